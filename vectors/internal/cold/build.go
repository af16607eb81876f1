package cold

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/membrain-db/membrain/vectors/internal/mem"
)

// The builder inserts vectors in a random order. Each is searched for among those before it, linked to a diverse choice of
// what was found, and linked from them; a list that overflows is thinned by the same choice. Malkov and Yashunin,
// "Efficient and robust approximate nearest neighbor search using HNSW graphs", algorithms 1 and 4, on a single level: a
// sample of vectors stands in for the upper ones. Vectors are inserted in batches: a batch is searched for on the graph as it was
// and then linked in order, so the result does not depend on the number of processors.
const (
	buildWidth  = 96  // candidates of a search
	buildLinks  = 16  // links a vector starts with
	buildSample = 512 // first vectors, which every search starts among
	buildBatch  = 256 // at most, and at most a fiftieth of what is there
	buildSeed   = 0x636f6c64
)

// near is a vector and its similarity to another.
type near struct {
	similarity float32
	id         uint32
}

func sortNear(n []near) {
	slices.SortFunc(n, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.id, b.id))
	})
}

func cosineOf(a, b []int8) float32 {
	dot := int64(0)
	for i, x := range a {
		dot += int64(x) * int64(b[i])
	}
	return float32(float64(dot) / math.Sqrt(float64(kernel.SquareSum(a))) / math.Sqrt(float64(kernel.SquareSum(b))))
}

// builder holds all vectors' codes while it makes the graph.
type builder struct {
	graph   *graph
	kernels kernel.Kernels
	codes   *mem.Chunks
	rows    kernel.Rows
	inverse []float32 // 1 / length
	order   []uint32
	workers []*worker
}

// build makes a graph with at most slots neighbours a vector.
func build(ctx context.Context, s Source, slots int) (g *graph, err error) {
	b := &builder{graph: newGraph(s.Len(), slots), kernels: kernel.Best()}
	b.codes = mem.NewChunks(kernel.Stride(s.Dim()), s.Len())
	defer func() { _ = b.codes.Free() }() // gives memory back; the graph is right or there is an error already
	if err := b.load(s); err != nil {
		return nil, err
	}
	b.order = permutation(s.Len())
	for range runtime.GOMAXPROCS(0) {
		b.workers = append(b.workers, newWorker(b))
	}
	for done := 0; done < len(b.order); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		size := min(max(1, done/50), buildBatch, len(b.order)-done)
		b.insert(done, done+size)
		done += size
	}
	return b.graph, nil
}

func permutation(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	r := rand.New(rand.NewPCG(buildSeed, uint64(n)))
	r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

func (b *builder) load(s Source) error {
	if err := b.codes.Grow(s.Len()); err != nil {
		return err
	}
	b.rows = kernel.Rows{Chunks: b.codes.Table(), Stride: uintptr(b.codes.Stride())}
	b.inverse = make([]float32, s.Len())
	for i := range s.Len() {
		row := mem.RowOf[int8](b.codes, uint32(i))
		if !s.Row(i).direction(s.Form(), s.Dim(), row[:s.Dim()]) {
			return invalidRow(uint32(i))
		}
		b.inverse[i] = float32(1 / math.Sqrt(float64(kernel.SquareSum(row))))
	}
	return nil
}

// insert adds the vectors of order[from:to].
func (b *builder) insert(from, to int) {
	chosen := make([][]uint32, to-from)
	var wait sync.WaitGroup
	for w, worker := range b.workers {
		wait.Go(func() {
			for i := from + w; i < to; i += len(b.workers) {
				id := b.order[i]
				chosen[i-from] = slices.Clone(worker.choose(id, worker.search(id, b.order[:from]), buildLinks))
			}
		})
	}
	wait.Wait()
	for i, links := range chosen {
		b.graph.set(b.order[from+i], links)
	}
	for i, links := range chosen {
		for _, link := range links {
			b.workers[0].link(link, b.order[from+i])
		}
	}
}

// worker is the memory of one goroutine.
type worker struct {
	*builder
	visited []uint8
	epoch   uint8
	pool    pool
	fresh   []uint32
	dots    []int32
	found   []near
	kept    []uint32
}

func newWorker(b *builder) *worker {
	return &worker{
		builder: b, visited: make([]uint8, b.graph.len()),
		fresh: make([]uint32, max(buildSample, b.graph.slots)), dots: make([]int32, buildSample+b.graph.slots+1),
	}
}

// search returns those before id that are most similar, best first.
func (w *worker) search(id uint32, before []uint32) []near {
	if w.epoch++; w.epoch == 0 {
		clear(w.visited)
		w.epoch = 1
	}
	w.pool.reset(buildWidth)
	w.offer(id, w.fresh[:w.kernels.FilterPrefetch(before[:min(len(before), buildSample)], w.visited, w.epoch, w.rows, w.fresh)])
	for {
		next, ok := w.pool.next()
		if !ok {
			break
		}
		n := w.kernels.FilterPrefetch(w.graph.row(next), w.visited, w.epoch, w.rows, w.fresh)
		w.offer(id, w.fresh[:n])
	}
	w.found = w.found[:0]
	for _, item := range w.pool.items {
		w.found = append(w.found, near{item.score(), item.id()})
	}
	return w.found
}

func (w *worker) offer(id uint32, others []uint32) {
	w.similarities(id, others, func(other uint32, similarity float32) { w.pool.add(similarity, other) })
}

// similarities calls each with the similarity of id and every other.
func (w *worker) similarities(id uint32, others []uint32, each func(other uint32, similarity float32)) {
	if len(others) == 0 {
		return
	}
	w.kernels.DotI8(mem.RowOf[int8](w.codes, id), w.rows, others, w.dots)
	for i, other := range others {
		each(other, float32(w.dots[i])*w.inverse[id]*w.inverse[other])
	}
}

// choose keeps at most most of found, which are sorted: those that are nearer to id than to any kept before them. A tie is
// dropped, so that many equal vectors do not only know each other.
func (w *worker) choose(id uint32, found []near, most int) []uint32 {
	w.kept = w.kept[:0]
	for _, n := range found {
		if len(w.kept) == most {
			break
		}
		if n.id != id && w.diverse(n) {
			w.kept = append(w.kept, n.id)
		}
	}
	return w.kept
}

func (w *worker) diverse(n near) bool {
	const step = 4
	for from := 0; from < len(w.kept); from += step {
		nearer := false
		w.similarities(n.id, w.kept[from:min(from+step, len(w.kept))], func(_ uint32, similarity float32) {
			nearer = nearer || similarity >= n.similarity
		})
		if nearer {
			return false
		}
	}
	return true
}

// link adds a link, and thins the list when it is full.
func (w *worker) link(from, to uint32) {
	links := w.graph.of(from)
	if slices.Contains(links, to) {
		return
	}
	if len(links) < w.graph.slots {
		w.graph.row(from)[len(links)] = to
		return
	}
	w.found = w.found[:0]
	add := func(other uint32, similarity float32) { w.found = append(w.found, near{similarity, other}) }
	w.similarities(from, links, add)
	w.similarities(from, []uint32{to}, add)
	sortNear(w.found)
	w.graph.set(from, w.choose(from, w.found, w.graph.slots))
}
