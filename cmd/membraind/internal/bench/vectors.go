package bench

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/membrain-db/membrain/vectors"
)

const nearest = 10

// vectorSet is what the index is filled with and asked for. The queries are no vectors of the base.
type vectorSet struct {
	base, queries []vectors.Embedding
	centres       []int // of the base
}

func drawVectors(c *clusters, base, queries int) *vectorSet {
	s := new(vectorSet)
	for range queries {
		v, _ := c.draw()
		s.queries = append(s.queries, vectors.Embedding{Form: vectors.FormFloat32, Float32: v})
	}
	for range base {
		v, centre := c.draw()
		s.base = append(s.base, vectors.Embedding{Form: vectors.FormFloat32, Float32: v})
		s.centres = append(s.centres, centre)
	}
	return s
}

// int8s is the set in codes whose largest is 127, vector by vector.
func (s *vectorSet) int8s() *vectorSet {
	return &vectorSet{base: int8sOf(s.base), queries: int8sOf(s.queries), centres: s.centres}
}

func int8sOf(rows []vectors.Embedding) []vectors.Embedding {
	out := make([]vectors.Embedding, len(rows))
	for i, e := range rows {
		largest := float32(0)
		for _, x := range e.Float32 {
			largest = max(largest, x, -x)
		}
		codes := make([]int8, len(e.Float32))
		for j, x := range e.Float32 {
			codes[j] = int8(math.Round(float64(x) / float64(largest) * 127))
		}
		out[i] = vectors.Embedding{Form: vectors.FormInt8, Int8: codes}
	}
	return out
}

// exact fills a flat index, which tells the truth.
func (s *vectorSet) exact() (*vectors.Flat, error) {
	flat := vectors.NewFlat(clusterDim, s.base[0].Form)
	for i, e := range s.base {
		if err := flat.Add(uint32(i), e); err != nil {
			return nil, err
		}
	}
	return flat, nil
}

// truth returns the true nearest of each query.
func (s *vectorSet) truth(flat *vectors.Flat, filter *roaring.Bitmap) [][]vectors.Hit {
	var hits [][]vectors.Hit
	for _, q := range s.queries {
		hits = append(hits, flat.Search(q, nearest, filter))
	}
	return hits
}

// recallOf is the part of the true nearest that was found. An answer counts when it is as near as the last true one.
func recallOf(truth, got [][]vectors.Hit) float64 {
	found, wanted := 0, 0
	for i, want := range truth {
		wanted += len(want)
		for _, h := range got[i] {
			if h.Similarity >= want[len(want)-1].Similarity {
				found++
			}
		}
	}
	return float64(found) / float64(max(wanted, 1))
}

// runVectors measures the vector index on generated clusters of 384 components.
func runVectors(ctx context.Context, r *runner) error {
	set := drawVectors(newClusters(), r.size(100_000, 10_000), r.size(300, 100))
	flat, err := set.exact()
	if err != nil {
		return err
	}
	truth := set.truth(flat, nil)
	index, err := r.clustered(ctx, "vectors.clustered", set, flat, truth, vectors.DefaultTarget)
	if err != nil {
		return err
	}
	defer index.Close()
	for _, part := range []func() error{
		func() error { return r.searchAllocations(index, set) },
		func() error { return r.filtered(ctx, index, flat, set) },
		func() error { return r.reopened(index) },
		func() error { return r.besideWriter(ctx, index, set) },
		func() error { return r.target95(ctx, set, flat, truth) },
		func() error { return r.clusteredInt8(ctx, set) },
		func() error { return r.churn(ctx) },
	} {
		if err := errors.Join(part(), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// target95 is the first measurement with a lower recall to reach.
func (r *runner) target95(ctx context.Context, set *vectorSet, flat *vectors.Flat, truth [][]vectors.Hit) error {
	index, err := r.clustered(ctx, "vectors.clustered.target_95", set, flat, truth, 0.95)
	if err == nil {
		index.Close()
	}
	return err
}

// clusteredInt8 is the first measurement and that of a cold shard, of the form that the built-in embedder answers in.
func (r *runner) clusteredInt8(ctx context.Context, set *vectorSet) error {
	set = set.int8s()
	flat, err := set.exact()
	if err != nil {
		return err
	}
	truth := set.truth(flat, nil)
	index, err := r.clustered(ctx, "vectors.clustered.int8", set, flat, truth, vectors.DefaultTarget)
	if err != nil {
		return err
	}
	index.Close()
	return r.cold(ctx, set, flat, truth)
}

// newIndex leaves a graph to a tenth of n vectors and more, so that a quick run has one too.
func newIndex(form vectors.Form, n int, target float64) *vectors.Auto {
	return vectors.NewIndex(clusterDim, form, vectors.Options{Target: target, FlatMax: n / 10})
}

// clustered builds an index and measures that, its size, recall and speed.
func (r *runner) clustered(ctx context.Context, metric string, set *vectorSet, flat *vectors.Flat, truth [][]vectors.Hit, target float64) (*vectors.Auto, error) {
	n := len(set.base)
	r.say("%s: build of %d", metric, n)
	index := newIndex(set.base[0].Form, n, target)
	spent, err := processorTimeOf(func() error { return fillIndex(ctx, index, set.base) })
	if err != nil {
		index.Close()
		return nil, err
	}
	stats := index.Stats()
	r.add(metric+".build_cpu_s", spent.Seconds(), "s", n)
	r.add(metric+".inserts_per_second", float64(n)/spent.Seconds(), "vectors/s of processor", n)
	r.add(metric+".bytes_per_vector", float64(stats.MemoryBytes)/float64(n), "B", n)
	r.add(metric+".ef", float64(stats.Ef), "candidates", n)
	r.say("%s: search", metric)
	got := make([][]vectors.Hit, len(set.queries))
	var took latencies
	for i, q := range set.queries {
		started := time.Now()
		got[i] = index.Search(q, nearest, nil)
		took = append(took, time.Since(started))
	}
	r.add(metric+".recall_at_10", recallOf(truth, got), "share", len(set.queries))
	r.add(metric+".p50_ms", millis(took.at(0.5)), "ms", len(took))
	walks := searchesPerSecond(index, set.queries, r.size(20, 100))
	scans := searchesPerSecond(flat, set.queries[:r.size(50, 20)], 1)
	r.compare(metric+".queries_per_second", walks, "searches/s of processor", len(set.queries), "flat", scans)
	return index, ctx.Err()
}

// fillIndex adds vectors under their numbers and waits until the index has nothing more to do.
func fillIndex(ctx context.Context, index *vectors.Auto, rows []vectors.Embedding) error {
	for i, e := range rows {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := index.Add(uint32(i), e); err != nil {
			return err
		}
	}
	index.Settle()
	return ctx.Err()
}

// processorTimeOf is what the process spent while work ran: the time on the clock where the system does not tell.
func processorTimeOf(work func() error) (time.Duration, error) {
	started := time.Now()
	before, known := processorTime()
	err := work()
	after, _ := processorTime()
	if !known {
		return time.Since(started), err
	}
	return max(after-before, clockTick), err
}

// searchesPerSecond asks on one thread, in rounds.
func searchesPerSecond(index vectors.Index, queries []vectors.Embedding, rounds int) float64 {
	spent, _ := processorTimeOf(func() error {
		for range rounds {
			for _, q := range queries {
				index.Search(q, nearest, nil)
			}
		}
		return nil
	})
	return float64(rounds*len(queries)) / spent.Seconds()
}

func (r *runner) searchAllocations(index vectors.Index, set *vectorSet) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, q := range set.queries {
		index.Search(q, nearest, nil)
	}
	runtime.ReadMemStats(&after)
	n := len(set.queries)
	r.add("vectors.search_allocations", float64(after.Mallocs-before.Mallocs)/float64(n), "allocations", n)
	r.add("vectors.search_allocated_bytes", float64(after.TotalAlloc-before.TotalAlloc)/float64(n), "B", n)
	return nil
}

// filtered asks with filters that let a share of the vectors through: every vector by chance, or whole clusters.
func (r *runner) filtered(ctx context.Context, index vectors.Index, flat *vectors.Flat, set *vectorSet) error {
	byChance := rand.New(rand.NewPCG(clusterSeed, 2)).Perm(len(set.base))
	byCentre := make([]int, len(set.base))
	for i := range byCentre {
		byCentre[i] = i
	}
	slices.SortStableFunc(byCentre, func(a, b int) int { return set.centres[a] - set.centres[b] })
	part := &vectorSet{queries: set.queries[:r.size(100, 50)]}
	for _, by := range []struct {
		name  string
		order []int
	}{{"random", byChance}, {"correlated", byCentre}} {
		for _, share := range []struct {
			name string
			of   float64
		}{{"50", 0.5}, {"10", 0.1}, {"1", 0.01}, {"0_1", 0.001}} {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			filter := roaring.New()
			for _, i := range by.order[:int(share.of*float64(len(by.order)))] {
				filter.AddInt(i)
			}
			r.filter("vectors.filter."+by.name+"_"+share.name, index, flat, part, filter)
		}
	}
	return nil
}

func (r *runner) filter(metric string, index vectors.Index, flat *vectors.Flat, set *vectorSet, filter *roaring.Bitmap) {
	r.say("%s", metric)
	truth := set.truth(flat, filter)
	var got [][]vectors.Hit
	var took latencies
	for range 2 {
		got = got[:0]
		for _, q := range set.queries {
			started := time.Now()
			hits := index.Search(q, nearest, filter)
			took = append(took, time.Since(started))
			got = append(got, hits)
		}
	}
	r.add(metric+".recall_at_10", recallOf(truth, got), "share", len(set.queries))
	r.add(metric+".p50_ms", millis(took.at(0.5)), "ms", len(took))
}

// reopened saves the index and opens it again.
func (r *runner) reopened(index *vectors.Auto) error {
	r.say("vectors.open")
	path := filepath.Join(r.dir, "vectors")
	started := time.Now()
	if err := index.SaveFile(path, vectors.Header{}); err != nil {
		return err
	}
	saved := time.Since(started)
	var took latencies
	for range 5 {
		started := time.Now()
		opened, _, err := vectors.LoadIndex(path, vectors.Header{}, vectors.Options{FlatMax: index.Len() / 10})
		if err != nil {
			return err
		}
		took = append(took, time.Since(started))
		opened.Close()
	}
	r.add("vectors.save_ms", millis(saved), "ms", index.Len())
	r.add("vectors.open_ms", millis(took.at(0.5)), "ms", index.Len())
	return nil
}

// besideWriter searches while another goroutine adds a twentieth more vectors and the index moves them to the graph.
func (r *runner) besideWriter(ctx context.Context, index *vectors.Auto, set *vectorSet) error {
	r.say("vectors.beside_writer")
	c, n := newClusters(), len(set.base)
	more := drawVectors(c, n/20, 0).base
	var alone, beside latencies
	ask := func(l latencies, i int) latencies {
		started := time.Now()
		index.Search(set.queries[i%len(set.queries)], nearest, nil)
		return append(l, time.Since(started))
	}
	for i := range r.size(2_000, 500) {
		alone = ask(alone, i)
	}
	done := make(chan error, 1)
	go func() {
		for i, e := range more {
			if err := errors.Join(index.Add(uint32(n+i), e), ctx.Err()); err != nil {
				done <- err
				return
			}
		}
		index.Settle()
		done <- nil
	}()
	for i := 0; ; i++ {
		select {
		case err := <-done:
			r.besideFigures(alone, beside)
			return err
		default:
			beside = ask(beside, i)
		}
	}
}

func (r *runner) besideFigures(alone, beside latencies) {
	for _, q := range []struct {
		name string
		of   float64
	}{{"p50", 0.5}, {"p99", 0.99}} {
		r.compare("vectors.beside_writer."+q.name+"_ms", millis(beside.at(q.of)), "ms", len(beside), "without writer", millis(alone.at(q.of)))
	}
}
