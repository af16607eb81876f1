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
	trialQueries   = 128
	trialNearest   = 10
	trialNoise     = 0.5 // length of the noise, of the vector's
	trialSeed      = 0x6d6561737572
	rescoreRecall  = 0.995 // of a scan: there is no reason to lose what memory has been read for
	rescoreNearest = 32    // fewest
)

var (
	trialWidths   = []int{16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 384, 512, 768, 1024}
	trialRescores = []int{rescoreNearest, 40, 48, 64, 96, 128, 192, 256, 384, 512}
)

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
	scratch := NewScratch()
	width, got, err := t.smallest(ctx, trialWidths, recall, func(width int) error { return s.traverse(scratch, width) }, s, scratch)
	if err != nil {
		return Info{}, err
	}
	rescore, _, err := t.smallest(ctx, trialRescores, rescoreRecall, func(rescore int) error { return s.scanAll(scratch, rescore) }, s, scratch)
	if err != nil {
		return Info{}, err
	}
	h.width, h.rescore, h.recall = width, rescore, float32(got)
	return Info{
		Vectors: h.n, FileBytes: h.fileBytes, ResidentBytes: s.residentBytes(), NavBits: h.navBits,
		Width: width, Rescore: rescore, Recall: got,
	}, nil
}

// smallest returns the first of sizes with which search finds enough, or the last, and what it found.
func (t *trial) smallest(ctx context.Context, sizes []int, enough float64, search func(size int) error, s *Shard, scratch *Scratch) (int, float64, error) {
	if len(t.nearest) == 0 {
		return sizes[0], 1, nil
	}
	stride := kernel.Stride(s.dim)
	for _, size := range sizes {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		hit, all := 0, 0
		for q := range t.nearest {
			s.prepare(scratch, t.queries[q*stride:][:s.dim])
			scratch.best.reset(trialNearest)
			if err := s.guard(func() error { return search(size) }); err != nil {
				return 0, 0, err
			}
			// What is as similar as the last of the nearest is as good.
			last := t.nearest[q].heap[len(t.nearest[q].heap)-1]
			for _, f := range scratch.best.heap {
				if f.similarity >= last.similarity {
					hit++
				}
			}
			all += len(t.nearest[q].heap)
		}
		if got := float64(hit) / float64(all); got >= enough || size == sizes[len(sizes)-1] {
			return size, got, nil
		}
	}
	panic("cold: no sizes to try")
}
