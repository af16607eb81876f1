package cold_test

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

// set is a source in memory. Its keys are even numbers in another order than its vectors, so that a place is never a key.
type set struct {
	form   cold.Form
	dim    int
	codes  []int8
	floats []float32
	keys   []uint32
	links  func(i int) []uint32
}

func (s *set) Len() int         { return len(s.keys) }
func (s *set) Dim() int         { return s.dim }
func (s *set) Form() cold.Form  { return s.form }
func (s *set) Key(i int) uint32 { return s.keys[i] }

func (s *set) Links(i int) []uint32 {
	if s.links == nil {
		return nil
	}
	return s.links(i)
}

func (s *set) Row(i int) cold.Row {
	if s.form == cold.FormInt8 {
		return cold.Row{Int8: s.codes[i*s.dim : (i+1)*s.dim]}
	}
	return cold.Row{Float32: s.floats[i*s.dim : (i+1)*s.dim]}
}

// add appends a vector.
func (s *set) add(x []float32) {
	s.keys = append(s.keys, 0)
	s.floats, s.codes = append(s.floats, x...), append(s.codes, codesOf(x)...)
	if s.form == cold.FormInt8 {
		s.floats = nil
	} else {
		s.codes = nil
	}
}

// shuffleKeys gives every vector a key of its own.
func (s *set) shuffleKeys(r *rand.Rand) *set {
	for i, p := range r.Perm(len(s.keys)) {
		s.keys[i] = uint32(2 * p)
	}
	return s
}

func codesOf(x []float32) []int8 {
	largest := float32(0)
	for _, v := range x {
		largest = max(largest, v, -v)
	}
	codes := make([]int8, len(x))
	for i, v := range x {
		codes[i] = int8(math.RoundToEven(float64(v) * 127 / float64(largest)))
	}
	return codes
}

func rowOf(form cold.Form, x []float32) cold.Row {
	if form == cold.FormInt8 {
		return cold.Row{Int8: codesOf(x)}
	}
	return cold.Row{Float32: x}
}

// clusters draws vectors around centres, as embeddings of texts on topics lie.
type clusters struct {
	r       *rand.Rand
	centres [][]float32
	spread  float64
}

func newClusters(seed uint64, dim, count int, spread float64) *clusters {
	c := &clusters{r: rand.New(rand.NewPCG(seed, 1)), spread: spread}
	for range count {
		c.centres = append(c.centres, gaussian(c.r, dim))
	}
	return c
}

func gaussian(r *rand.Rand, dim int) []float32 {
	x := make([]float32, dim)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func (c *clusters) draw() []float32 {
	centre := c.centres[c.r.IntN(len(c.centres))]
	x := make([]float32, len(centre))
	for i := range x {
		x[i] = centre[i] + float32(c.spread*c.r.NormFloat64())
	}
	return x
}

func (c *clusters) set(form cold.Form, n int) *set {
	s := &set{form: form, dim: len(c.centres[0])}
	for range n {
		s.add(c.draw())
	}
	return s.shuffleKeys(c.r)
}

func seal(t testing.TB, s cold.Source, o cold.Options) (string, cold.Info) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shard")
	info, err := cold.Seal(context.Background(), path, s, o)
	require.NoError(t, err)
	return path, info
}

func open(t testing.TB, path string) *cold.Shard {
	t.Helper()
	shard, err := cold.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, shard.Close()) })
	return shard
}

// nearest is the answer by comparing with everything, in the precision of float64.
func nearest(s *set, q cold.Row, k int, filter *roaring.Bitmap) []cold.Hit {
	var hits []cold.Hit
	for i := range s.Len() {
		if filter == nil || filter.Contains(s.keys[i]) {
			hits = append(hits, cold.Hit{Key: s.keys[i], Similarity: cosine(q, s.Row(i))})
		}
	}
	slices.SortFunc(hits, func(a, b cold.Hit) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Key, b.Key))
	})
	return hits[:min(k, len(hits))]
}

func cosine(a, b cold.Row) float32 {
	var ab, aa, bb float64
	add := func(x, y float64) { ab, aa, bb = ab+x*y, aa+x*x, bb+y*y }
	for i, x := range a.Int8 {
		add(float64(x), float64(b.Int8[i]))
	}
	for i, x := range a.Float32 {
		add(float64(x), float64(b.Float32[i]))
	}
	return float32(ab * (1 / math.Sqrt(aa) * (1 / math.Sqrt(bb))))
}

// share returns how many of want are among got.
func share(got, want []cold.Hit) float64 {
	if len(want) == 0 {
		return 1
	}
	hit := 0
	for _, w := range want {
		if slices.ContainsFunc(got, func(g cold.Hit) bool { return g.Key == w.Key }) {
			hit++
		}
	}
	return float64(hit) / float64(len(want))
}
