package vectors_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

var forms = []vectors.Form{vectors.FormInt8, vectors.FormFloat32}

// randomVector makes a vector; a small spread of codes makes equal similarities common.
func randomVector(r *rand.Rand, form vectors.Form, dim, spread int) vectors.Embedding {
	e := vectors.Embedding{Form: form}
	for range dim {
		x := r.IntN(2*spread+1) - spread
		if form == vectors.FormInt8 {
			e.Int8 = append(e.Int8, int8(x))
		} else {
			e.Float32 = append(e.Float32, float32(x)*0.37)
		}
	}
	if e.Validate(dim) != nil { // all zero
		return randomVector(r, form, dim, spread)
	}
	return e
}

// oracle is an index that does everything the slow way.
type oracle map[uint32]vectors.Embedding

// search ranks by the similarities that the index itself gives for single keys, which TestSimilarity_IsTheCosine checks.
func (o oracle) search(ix vectors.Index, q vectors.Embedding, k int, filter *roaring.Bitmap) []vectors.Hit {
	var hits []vectors.Hit
	for key := range o {
		if filter == nil || filter.Contains(key) {
			hits = append(hits, vectors.Hit{Key: key, Similarity: ix.Similarity(q, []uint32{key}, nil)[0]})
		}
	}
	slices.SortFunc(hits, func(a, b vectors.Hit) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Key, b.Key))
	})
	return hits[:min(k, len(hits))]
}

func (o oracle) keys() *roaring.Bitmap {
	keys := roaring.New()
	for key := range o {
		keys.Add(key)
	}
	return keys
}

// filters are of all sizes and places: none, few, about half, most, all and more.
func filters(r *rand.Rand, o oracle) []*roaring.Bitmap {
	few, half, most := roaring.New(), roaring.New(), roaring.New()
	for key := range o {
		if r.IntN(50) == 0 {
			few.Add(key)
		}
		if r.IntN(2) == 0 {
			half.Add(key)
		}
		if r.IntN(50) > 0 {
			most.Add(key)
		}
	}
	more := o.keys()
	more.AddRange(1<<20, 1<<20+5000)
	more.RunOptimize()
	elsewhere := roaring.New()
	elsewhere.AddRange(1<<31, 1<<31+10_000)
	return []*roaring.Bitmap{nil, roaring.New(), few, half, most, o.keys(), more, elsewhere}
}

func requireSearches(t *testing.T, r *rand.Rand, ix vectors.Index, o oracle, form vectors.Form, spread int) {
	t.Helper()
	require.Equal(t, len(o), ix.Len())
	require.True(t, o.keys().Equals(ix.Keys()))
	for i, filter := range filters(r, o) {
		q := randomVector(r, form, ix.Dim(), spread)
		all := o.search(ix, q, len(o), filter)
		for _, k := range []int{1, 3, 10, len(o) + 5} {
			want, got := all[:min(k, len(all))], ix.Search(q, k, filter)
			require.Len(t, got, len(want), "filter %d, k %d", i, k)
			if len(want) > 0 {
				require.Equal(t, want, got, "filter %d, k %d", i, k)
			}
		}
	}
}

func TestFlat_EqualsTheOracleThroughChanges(t *testing.T) {
	for _, form := range forms {
		for _, dim := range []int{1, 2, 31, 32, 33, 100} {
			for _, spread := range []int{1, 127} {
				t.Run(fmt.Sprintf("%v/%d/%d", form, dim, spread), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(dim), uint64(spread)))
					ix, o := vectors.NewFlat(dim, form), oracle{}
					requireSearches(t, r, ix, o, form, spread)
					for range 4 {
						churn(t, r, ix, o, form, spread)
						requireSearches(t, r, ix, o, form, spread)
					}
					for key := range o {
						require.True(t, ix.Remove(key))
						delete(o, key)
					}
					requireSearches(t, r, ix, o, form, spread)
					churn(t, r, ix, o, form, spread)
					requireSearches(t, r, ix, o, form, spread)
				})
			}
		}
	}
}

// churn adds, replaces, removes and adds again, over the edges of chunks.
func churn(t *testing.T, r *rand.Rand, ix vectors.Index, o oracle, form vectors.Form, spread int) {
	for range 900 {
		key := uint32(r.IntN(2500))
		if key%7 == 0 {
			key += 1 << 30
		}
		if r.IntN(4) == 0 {
			_, had := o[key]
			require.Equal(t, had, ix.Remove(key))
			delete(o, key)
			continue
		}
		e := randomVector(r, form, ix.Dim(), spread)
		require.NoError(t, ix.Add(key, e))
		o[key] = e
	}
}

// exactCosine computes in numbers of 300 bits.
func exactCosine(a, b vectors.Embedding) float32 {
	at := func(e vectors.Embedding, i int) *big.Float {
		if e.Form == vectors.FormInt8 {
			return big.NewFloat(float64(e.Int8[i])).SetPrec(300)
		}
		return big.NewFloat(float64(e.Float32[i])).SetPrec(300)
	}
	dot := func(a, b vectors.Embedding) *big.Float {
		sum := new(big.Float).SetPrec(300)
		for i := range a.Dim() {
			sum.Add(sum, new(big.Float).SetPrec(300).Mul(at(a, i), at(b, i)))
		}
		return sum
	}
	norm := new(big.Float).SetPrec(300).Sqrt(new(big.Float).SetPrec(300).Mul(dot(a, a), dot(b, b)))
	f, _ := new(big.Float).SetPrec(300).Quo(dot(a, b), norm).Float64()
	return float32(f)
}

func TestSimilarity_IsTheCosine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, form := range forms {
		for _, dim := range []int{1, 5, 33, 384} {
			ix := vectors.NewFlat(dim, form)
			stored := map[uint32]vectors.Embedding{}
			for key := range uint32(40) {
				stored[key] = randomVector(r, form, dim, 127)
				require.NoError(t, ix.Add(key, stored[key]))
			}
			for key, e := range stored {
				q := randomVector(r, form, dim, 127)
				got := ix.Similarity(q, []uint32{key}, nil)[0]
				require.InDelta(t, exactCosine(q, e), got, 1e-7)
				require.InDelta(t, vectors.Cosine(q, e), got, 1e-7)
				require.EqualValues(t, 1, ix.Similarity(e, []uint32{key}, nil)[0])
			}
		}
	}
}

// V1: the numbers themselves are part of the promise, on every processor and under noasm.
func TestFlat_GoldenSimilarities(t *testing.T) {
	for form, want := range map[vectors.Form][]uint32{
		vectors.FormInt8:    goldenInt8,
		vectors.FormFloat32: goldenFloat32,
	} {
		r := rand.New(rand.NewPCG(11, 12))
		ix := vectors.NewFlat(100, form)
		for key := range uint32(6) {
			require.NoError(t, ix.Add(key, randomVector(r, form, 100, 127)))
		}
		var got []uint32
		for _, s := range ix.Similarity(randomVector(r, form, 100, 127), []uint32{0, 1, 2, 3, 4, 5}, nil) {
			got = append(got, math.Float32bits(s))
		}
		require.Equal(t, want, got, "%v: %#x", form, got)
	}
}

var (
	goldenInt8    = []uint32{0x3d88e884, 0x3cc6cd32, 0xbe03b089, 0x3c5984b1, 0x3c41fdfc, 0x3d7da176}
	goldenFloat32 = []uint32{0x3d88e884, 0x3cc6cd34, 0xbe03b089, 0x3c5984b5, 0x3c41fdf4, 0x3d7da175}
)

func TestSimilarity_AppendsAndMarksTheAbsent(t *testing.T) {
	ix := vectors.NewFlat(2, vectors.FormInt8)
	require.NoError(t, ix.Add(5, vectors.Embedding{Form: vectors.FormInt8, Int8: []int8{0, 9}}))
	q := vectors.Embedding{Form: vectors.FormInt8, Int8: []int8{0, -1}}
	got := ix.Similarity(q, []uint32{5, 6, 5}, []float32{42})
	require.Len(t, got, 4)
	require.Equal(t, []float32{42, -1}, got[:2])
	require.True(t, math.IsNaN(float64(got[2])))
	require.EqualValues(t, -1, got[3])
	for _, bad := range []vectors.Embedding{{}, {Form: vectors.FormInt8, Int8: []int8{0, 0}}, {Form: vectors.FormInt8, Int8: []int8{1}}} {
		got = ix.Similarity(bad, []uint32{5, 6}, nil)
		require.Len(t, got, 2)
		require.True(t, math.IsNaN(float64(got[0])) && math.IsNaN(float64(got[1])))
	}
}

func TestFlat_RefusesWhatHasNoDirection(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	i8 := func(v ...int8) vectors.Embedding { return vectors.Embedding{Form: vectors.FormInt8, Int8: v} }
	f32 := func(v ...float32) vectors.Embedding { return vectors.Embedding{Form: vectors.FormFloat32, Float32: v} }
	both := i8(1, 2)
	both.Float32 = []float32{1, 2}
	for _, c := range []struct {
		form vectors.Form
		bad  vectors.Embedding
		want error
	}{
		{vectors.FormInt8, i8(0, 0), vectors.ErrEmbeddingInvalid},
		{vectors.FormInt8, i8(1, -128), vectors.ErrEmbeddingInvalid},
		{vectors.FormInt8, both, vectors.ErrEmbeddingInvalid},
		{vectors.FormInt8, i8(1), vectors.ErrDimension},
		{vectors.FormInt8, i8(1, 2, 3), vectors.ErrDimension},
		{vectors.FormInt8, i8(), vectors.ErrDimension},
		{vectors.FormInt8, f32(1, 2), vectors.ErrForm},
		{vectors.FormInt8, vectors.Embedding{}, vectors.ErrForm},
		{vectors.FormFloat32, f32(0, 0), vectors.ErrEmbeddingInvalid},
		{vectors.FormFloat32, f32(1, nan), vectors.ErrEmbeddingInvalid},
		{vectors.FormFloat32, f32(inf, 1), vectors.ErrEmbeddingInvalid},
		{vectors.FormFloat32, f32(1), vectors.ErrDimension},
		{vectors.FormFloat32, i8(1, 2), vectors.ErrForm},
	} {
		ix := vectors.NewFlat(2, c.form)
		good := map[vectors.Form]vectors.Embedding{vectors.FormInt8: i8(3, 4), vectors.FormFloat32: f32(3, 4)}[c.form]
		require.NoError(t, ix.Add(1, good))
		require.ErrorIs(t, ix.Add(1, c.bad), c.want, "%v", c.bad)
		require.ErrorIs(t, ix.Add(2, c.bad), c.want, "%v", c.bad)
		require.Empty(t, ix.Search(c.bad, 5, nil))
		require.Equal(t, []vectors.Hit{{Key: 1, Similarity: 1}}, ix.Search(good, 5, nil), "a refusal changes nothing")
	}
	require.Panics(t, func() { vectors.NewFlat(0, vectors.FormInt8) })
	require.Panics(t, func() { vectors.NewFlat(vectors.EmbeddingDimMax+1, vectors.FormInt8) })
	require.Panics(t, func() { vectors.NewFlat(8, 3) })
}

// The largest and smallest floats have a direction, too.
func TestFlat_ExtremeFloats(t *testing.T) {
	for _, x := range []float32{math.MaxFloat32, math.SmallestNonzeroFloat32} {
		ix := vectors.NewFlat(5, vectors.FormFloat32)
		e := vectors.Embedding{Form: vectors.FormFloat32, Float32: []float32{x, -x, x, x, 0}}
		opposite := vectors.Embedding{Form: vectors.FormFloat32, Float32: []float32{-x, x, -x, -x, 0}}
		require.NoError(t, ix.Add(1, e))
		require.NoError(t, ix.Add(2, opposite))
		require.Equal(t, []vectors.Hit{{1, 1}, {2, -1}}, ix.Search(e, 2, nil))
	}
}

func TestFlat_CopiesWhatItIsGiven(t *testing.T) {
	e := vectors.Embedding{Form: vectors.FormInt8, Int8: []int8{1, 0}}
	ix := vectors.NewFlat(2, vectors.FormInt8)
	require.NoError(t, ix.Add(1, e))
	e.Int8[0], e.Int8[1] = 0, 1
	require.Equal(t, []vectors.Hit{{1, 0}}, ix.Search(e, 1, nil))
	ix.Keys().Add(9)
	require.EqualValues(t, 1, ix.Keys().GetCardinality())
}

func TestFlat_DuplicatesComeInOrderOfKeys(t *testing.T) {
	ix := vectors.NewFlat(3, vectors.FormInt8)
	e := vectors.Embedding{Form: vectors.FormInt8, Int8: []int8{5, -6, 7}}
	var filter roaring.Bitmap
	for i := range uint32(3000) {
		key := (i * 1031) % 3001 // all different, in no order
		require.NoError(t, ix.Add(key, e))
		filter.Add(key)
	}
	for _, f := range []*roaring.Bitmap{nil, &filter} {
		hits := ix.Search(e, 50, f)
		require.Len(t, hits, 50)
		for i, h := range hits {
			require.Equal(t, vectors.Hit{Key: uint32(i), Similarity: 1}, h)
		}
	}
	require.Empty(t, ix.Search(e, 0, nil))
	require.Empty(t, ix.Search(e, -1, nil))
}

func TestFlat_ARemovedVectorLeavesMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, form := range forms {
		ix := vectors.NewFlat(40, form)
		for key := range uint32(40) {
			require.NoError(t, ix.Add(key, randomVector(r, form, 40, 127)))
		}
		for key := range uint32(30) {
			require.True(t, ix.Remove(key))
		}
		codes, floats := ix.Residue()
		require.Greater(t, len(codes)+len(floats), 30*40)
		require.Equal(t, make([]int8, len(codes)), append([]int8{}, codes...))
		require.Equal(t, make([]float32, len(floats)), append([]float32{}, floats...))
		require.Equal(t, form, ix.Form())
	}
}

// A vector of most numbers and its like: rounding carries no similarity past 1.
func TestFlat_SimilarityStaysWithinOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, form := range forms {
		for _, dim := range []int{1, 3, 1000, vectors.EmbeddingDimMax} {
			for range 20 {
				ix := vectors.NewFlat(dim, form)
				e := randomVector(r, form, dim, 127)
				require.NoError(t, ix.Add(1, e))
				require.EqualValues(t, 1, ix.Similarity(e, []uint32{1}, nil)[0])
			}
		}
	}
}

func TestFlat_StatsFollowTheContent(t *testing.T) {
	ix := vectors.NewFlat(384, vectors.FormInt8)
	require.Zero(t, ix.Stats().MemoryBytes)
	r := rand.New(rand.NewPCG(1, 1))
	const n = 5000
	for key := range uint32(n) {
		require.NoError(t, ix.Add(key, randomVector(r, vectors.FormInt8, 384, 127)))
	}
	s := ix.Stats()
	require.Equal(t, n, s.Vectors)
	require.Equal(t, 384, s.Dim)
	require.Equal(t, vectors.FormInt8, s.Form)
	require.InDelta(t, n*(384+8+4+12), s.MemoryBytes, 1024*400)
	for key := range uint32(n) {
		ix.Remove(key)
	}
	require.Zero(t, ix.Stats().MemoryBytes)
}

func TestSearch_AllocatesOnlyItsResult(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, form := range forms {
		ix := vectors.NewFlat(64, form)
		half, few := roaring.New(), roaring.New()
		for key := range uint32(3000) {
			require.NoError(t, ix.Add(key, randomVector(r, form, 64, 127)))
			if key%2 == 0 {
				half.Add(key)
			}
			if key%100 == 0 {
				few.Add(key)
			}
		}
		q := randomVector(r, form, 64, 127)
		for _, filter := range []*roaring.Bitmap{nil, half, few, ix.Keys()} {
			require.LessOrEqual(t, testing.AllocsPerRun(50, func() { ix.Search(q, 10, filter) }), 1.0)
		}
		keys, dst := half.ToArray(), make([]float32, 0, 3000)
		require.Zero(t, testing.AllocsPerRun(50, func() { ix.Similarity(q, keys, dst) }))
	}
}

// One writer and four readers: every answer is of one moment, sorted and full.
func TestFlat_OneWriterManyReaders(t *testing.T) {
	const dim, keep = 40, 300
	ix := vectors.NewFlat(dim, vectors.FormInt8)
	r := rand.New(rand.NewPCG(1, 1))
	filter := roaring.New()
	for key := range uint32(keep) { // these stay
		require.NoError(t, ix.Add(key, randomVector(r, vectors.FormInt8, dim, 127)))
		filter.Add(key)
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for i := range uint64(4) {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(i, 2))
			for {
				select {
				case <-stop:
					return
				default:
				}
				q := randomVector(r, vectors.FormInt8, dim, 127)
				checkHits(t, ix.Search(q, 20, nil), 20)
				checkHits(t, ix.Search(q, keep, filter), keep)
				ix.Similarity(q, []uint32{1, 2, 100_000}, nil)
				ix.Stats()
			}
		})
	}
	for i := range uint32(6000) {
		key := keep + 1 + i%2000
		if i%3 == 2 {
			ix.Remove(key - 1)
			continue
		}
		e := randomVector(r, vectors.FormInt8, dim, 127)
		if ix.Add(key, e) != nil || ix.Similarity(e, []uint32{key}, nil)[0] != 1 {
			t.Errorf("the writer does not read key %d as written", key)
		}
	}
	close(stop)
	readers.Wait()
}

func checkHits(t *testing.T, hits []vectors.Hit, want int) {
	if len(hits) != want {
		t.Errorf("%d hits, want %d", len(hits), want)
	}
	for i := 1; i < len(hits); i++ {
		a, b := hits[i-1], hits[i]
		if a.Similarity < b.Similarity || a.Similarity == b.Similarity && a.Key >= b.Key {
			t.Errorf("hits %v and %v stand the wrong way round", a, b)
		}
	}
}

func BenchmarkFlat(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, form := range forms {
		for _, n := range []int{1000, 10_000} {
			const dim = 384
			ix := vectors.NewFlat(dim, form)
			tenth := roaring.New()
			for key := range uint32(n) {
				require.NoError(b, ix.Add(key, randomVector(r, form, dim, 127)))
				if r.IntN(10) == 0 {
					tenth.Add(key)
				}
			}
			q := randomVector(r, form, dim, 127)
			for name, filter := range map[string]*roaring.Bitmap{"all": nil, "tenth": tenth} {
				b.Run(fmt.Sprintf("%v/%d/%s", form, n, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						ix.Search(q, 10, filter)
					}
				})
			}
		}
	}
}
