package cold

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// How wide a search must be depends on the vectors. Seal asks for the neighbours of some vectors with noise, which it
// knows from comparing them with all, and takes the smallest width that finds enough of them.
const (
	trialQueries = 128
	trialNearest = 10
	trialNoise   = 0.8 // length of the noise, of the vector's
	trialSeed    = 0x6d6561737572
	slackShare   = 0.995 // of the nearest must not be missed because the codes in memory are coarse
)

var trialWidths = [...]int{16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 384, 512, 768, 1024}

// trial is a set of queries and the source vectors nearest to each.
type trial struct {
	source  Source
	queries []int8 // one after the other, padded
	inverse []float64
	dots    []int32
	nearest []ranking
}

func newTrial(s Source) (*trial, error) {
	stride, count := kernel.Stride(s.Dim()), min(trialQueries, s.Len())
	t := &trial{source: s, queries: make([]int8, count*stride), dots: make([]int32, count), nearest: make([]ranking, count)}
	r := rand.New(rand.NewPCG(trialSeed, uint64(s.Len())))
	for q := range count {
		i := q * s.Len() / count
		codes := t.queries[q*stride:][:s.Dim()]
		if !s.Row(i).direction(s.Form(), s.Dim(), codes) {
			return nil, invalidRow(uint32(i))
		}
		disturb(codes, r)
		t.inverse = append(t.inverse, 1/math.Sqrt(float64(kernel.SquareSum(codes))))
		t.nearest[q].reset(trialNearest)
	}
	return t, nil
}

// disturb adds noise, and leaves codes that have a direction.
func disturb(codes []int8, r *rand.Rand) {
	noise := trialNoise * math.Sqrt(float64(kernel.SquareSum(codes))/float64(len(codes)))
	before := slices.Clone(codes)
	for i, c := range codes {
		codes[i] = int8(min(max(math.RoundToEven(float64(c)+float64(noise*r.NormFloat64())), -127), 127))
	}
	if kernel.SquareSum(codes) == 0 {
		copy(codes, before)
	}
}

// compare compares vector i, whose codes are padded, with every query.
func (t *trial) compare(i uint32, codes []int8) {
	if len(t.dots) == 0 {
		return
	}
	kernel.DotRows(codes, t.queries, t.dots)
	inverse := 1 / math.Sqrt(float64(kernel.SquareSum(codes)))
	for q, dot := range t.dots {
		t.nearest[q].offer(found{similarity: float32(float64(dot) * (t.inverse[q] * inverse)), key: t.source.Key(int(i))})
	}
}

// measure sets the widths of the header, by searching the file at path that has been written with it.
func (t *trial) measure(ctx context.Context, path string, h *header, recall float64) (Info, error) {
	s, err := Open(path)
	if err != nil {
		return Info{}, fmt.Errorf("read what was written: %w", err)
	}
	defer s.Close() // read only: nothing to lose
	for i := range t.nearest {
		t.nearest[i].sort()
	}
	walk := func(c *Scratch, width int) error { return s.traverse(c, width, nil) }
	width, got, err := t.smallest(ctx, s, trialWidths[:], recall, walk)
	if err != nil {
		return Info{}, err
	}
	if err := t.scans(s); err != nil {
		return Info{}, err
	}
	if got < recall { // the source's graph is no good: its searches are scans
		width = widthMax
		if got, err = t.recall(s, NewScratch(), s.scanAll); err != nil {
			return Info{}, err
		}
	}
	h.width, h.rescore, h.recall, h.slack = width, s.rescore, float32(got), s.slack
	return Info{
		Vectors: h.n, FileBytes: h.fileBytes, ResidentBytes: s.residentBytes(), NavBits: h.navBits,
		Width: width, Rescore: h.rescore, Recall: got,
	}, nil
}

// smallest returns the first of sizes with which search finds enough, or the last, and the share that it found.
func (t *trial) smallest(ctx context.Context, s *Shard, sizes []int, enough float64, search func(c *Scratch, size int) error) (size int, got float64, err error) {
	if len(t.nearest) == 0 {
		return sizes[0], 1, nil
	}
	scratch := NewScratch()
	for _, size = range sizes {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		got, err = t.recall(s, scratch, func(c *Scratch) error { return search(c, size) })
		if err != nil || got >= enough {
			break
		}
	}
	return size, got, err
}

// recall returns the share of the nearest that a search finds. What is as similar as the last of them is as good.
func (t *trial) recall(s *Shard, scratch *Scratch, search func(c *Scratch) error) (float64, error) {
	hit, all := 0, 0
	for q := range t.nearest {
		t.prepare(s, scratch, q)
		if err := s.guard(func() error { return search(scratch) }); err != nil {
			return 0, err
		}
		nearest := t.nearest[q].heap
		if len(nearest) > 1 && nearest[0].similarity == nearest[len(nearest)-1].similarity {
			continue // among many equal vectors nothing can be missed
		}
		for _, f := range scratch.best.heap {
			if f.similarity >= nearest[len(nearest)-1].similarity {
				hit++
			}
		}
		all += len(nearest)
	}
	if all == 0 {
		return 1, nil
	}
	return float64(hit) / float64(all), nil
}

// prepare sets a scratch up for query q.
func (t *trial) prepare(s *Shard, scratch *Scratch, q int) {
	s.prepare(scratch, t.queries[q*kernel.Stride(s.dim):][:s.dim])
	scratch.best.reset(trialNearest)
}

// scans sets the shard's slack, by how much the codes in memory say less than the truth of the nearest, and how many vectors a scan
// then rescores on average.
func (t *trial) scans(s *Shard) error {
	scratch := NewScratch()
	var errs []float32
	for q := range t.nearest {
		t.prepare(s, scratch, q)
		for _, f := range t.nearest[q].heap {
			var node uint32
			err := s.guard(func() (err error) { node, err = s.lookUp(scratch, f.key); return err })
			if err != nil {
				return err
			}
			s.navigation.scores(&scratch.query, []uint32{node}, scratch.dots[:], scratch.scores[:])
			errs = append(errs, (f.similarity-scratch.scores[0])/spread(f.similarity))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	slices.Sort(errs)
	s.slack = min(max(errs[int(slackShare*float64(len(errs)-1))], 0), slackMax)
	rescored := 0
	for q := range t.nearest {
		t.prepare(s, scratch, q)
		if err := s.guard(func() error { return s.scanAll(scratch) }); err != nil {
			return err
		}
		rescored += scratch.rescored
	}
	s.rescore = max(1, rescored/len(t.nearest))
	return nil
}
