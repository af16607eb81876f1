package cold_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

func random(seed uint64, form cold.Form, dim, n int) *set {
	r := rand.New(rand.NewPCG(seed, uint64(dim)))
	s := &set{form: form, dim: dim}
	for range n {
		s.add(gaussian(r, dim))
	}
	return s.shuffleKeys(r)
}

// C1: with few vectors all are compared, so the answer is that of comparing with everything, bit for bit where the similarity is exact.
func TestSearch_FewVectorsAreExact(t *testing.T) {
	for _, dim := range []int{1, 2, 31, 32, 33, 64, 65, 100, 384, 512, 768, 1536, 3968, 3969, 5000, 16384} {
		for _, form := range []cold.Form{cold.FormInt8, cold.FormFloat32} {
			for _, n := range []int{0, 1, 2, 9, 30} {
				t.Run(fmt.Sprintf("%d/%d/%d", dim, form, n), func(t *testing.T) {
					s := random(uint64(n), form, dim, n)
					path, info := seal(t, s, cold.Options{Exact: true})
					require.Equal(t, n, info.Vectors)
					requireExact(t, s, open(t, path))
				})
			}
		}
	}
}

func requireExact(t *testing.T, s *set, shard *cold.Shard) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 9))
	scratch := cold.NewScratch()
	for range 5 {
		q := rowOf(s.form, gaussian(r, s.dim))
		for _, filter := range filtersOf(r, s) {
			for _, k := range []int{0, 1, 3, s.Len(), s.Len() + 5} {
				want := nearest(s, q, k, filter)
				got, err := shard.Search(q, k, filter, scratch)
				require.NoError(t, err)
				requireHits(t, want, got)
			}
		}
	}
}

// requireHits allows the last bit of a float32: oracle and shard sum floats in another order.
func requireHits(t *testing.T, want, got []cold.Hit) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.InDelta(t, want[i].Similarity, got[i].Similarity, 1e-6, "hit %d", i)
	}
	keys := func(hits []cold.Hit) (keys []uint32) {
		for _, h := range hits {
			keys = append(keys, h.Key)
		}
		slices.Sort(keys)
		return keys
	}
	require.Equal(t, keys(want), keys(got))
}

func filtersOf(r *rand.Rand, s *set) []*roaring.Bitmap {
	half, more := roaring.New(), roaring.New()
	for _, key := range s.keys {
		more.Add(key)
		if r.IntN(2) == 0 {
			half.Add(key)
		}
	}
	more.AddRange(1<<20, 1<<20+5000)
	elsewhere := roaring.BitmapOf(1, 3, 1<<31)
	return []*roaring.Bitmap{nil, roaring.New(), half, more, elsewhere}
}

func TestSearch_RefusesWrongQueries(t *testing.T) {
	path, _ := seal(t, random(1, cold.FormInt8, 8, 9), cold.Options{})
	floats, _ := seal(t, random(1, cold.FormFloat32, 2, 9), cold.Options{})
	for _, of := range []struct {
		path string
		q    cold.Row
	}{
		{path, cold.Row{}},
		{path, cold.Row{Int8: make([]int8, 8)}},
		{path, cold.Row{Int8: []int8{1, 2, 3, 4, 5, 6, 7}}},
		{path, cold.Row{Int8: []int8{1, 2, 3, 4, 5, 6, 7, -128}}},
		{path, cold.Row{Float32: []float32{1, 2, 3, 4, 5, 6, 7, 8}}},
		{floats, cold.Row{Int8: []int8{1, 1}}},
		{floats, cold.Row{Float32: []float32{1, float32(math.NaN())}}},
		{floats, cold.Row{Float32: []float32{1, float32(math.Inf(-1))}}},
		{floats, cold.Row{Float32: []float32{0, 0}}},
	} {
		shard := open(t, of.path)
		_, err := shard.Search(of.q, 3, nil, cold.NewScratch())
		require.ErrorIs(t, err, cold.ErrQuery)
		_, err = shard.Similarity(of.q, []uint32{0}, nil, cold.NewScratch())
		require.ErrorIs(t, err, cold.ErrQuery)
	}
}

func TestSimilarity_IsThatOfEachKey(t *testing.T) {
	for _, form := range []cold.Form{cold.FormInt8, cold.FormFloat32} {
		s := random(3, form, 50, 3000)
		path, _ := seal(t, s, cold.Options{Exact: true})
		shard := open(t, path)
		q := rowOf(form, gaussian(rand.New(rand.NewPCG(1, 1)), 50))
		got, err := shard.Similarity(q, append(slices.Clone(s.keys), 1, 1<<30), []float32{7}, cold.NewScratch())
		require.NoError(t, err)
		require.Len(t, got, 3003)
		require.EqualValues(t, 7, got[0])
		for i := range s.keys {
			require.InDelta(t, cosine(q, s.Row(i)), got[1+i], 1e-6)
		}
		require.True(t, got[3001] != got[3001] && got[3002] != got[3002])
	}
}

// C1, with filters of all sizes, near the query, anywhere, and everywhere but near it.
func TestSearch_FiltersKeepRecallAndCount(t *testing.T) {
	const n = 20_000
	c := newClusters(7, 64, 100, 0.7)
	s := c.set(cold.FormInt8, n)
	path, _ := seal(t, s, cold.Options{})
	shard := open(t, path)
	scratch := cold.NewScratch()
	for _, part := range []float64{0.95, 0.9, 0.5, 0.1, 0.01, 0.001, 0.0002} {
		for _, where := range []string{"anywhere", "near", "far"} {
			sum, lost := 0.0, 0.0
			const count = 30
			for range count {
				q := rowOf(s.form, c.draw())
				filter := filterOf(c.r, s, q, part, where)
				hits, err := shard.Search(q, 10, filter, scratch)
				require.NoError(t, err)
				require.Len(t, hits, min(10, int(filter.GetCardinality())))
				for _, h := range hits {
					require.True(t, filter.Contains(h.Key))
				}
				want := nearest(s, q, 10, filter)
				sum += share(hits, want)
				for i, w := range want {
					lost += float64(w.Similarity-hits[i].Similarity) / float64(len(want))
				}
			}
			t.Logf("%v of all, %s: recall %.4f", part, where, sum/count)
			least := 0.97
			if where == "far" && part < 0.9 {
				// The filter cuts where vectors are densest: thousands are within a hair of the tenth.
				least = 0.85
			}
			require.GreaterOrEqual(t, sum/count, least, "%v of all, %s", part, where)
			require.LessOrEqual(t, lost/count, 0.002, "similarity lost: %v of all, %s", part, where)
		}
	}
}

func filterOf(r *rand.Rand, s *set, q cold.Row, part float64, where string) *roaring.Bitmap {
	filter, want := roaring.New(), int(part*float64(s.Len()))
	ranked := nearest(s, q, s.Len(), nil)
	switch where {
	case "near":
		ranked = ranked[:want]
	case "far":
		ranked = ranked[len(ranked)-want:]
	default:
		r.Shuffle(len(ranked), func(i, j int) { ranked[i], ranked[j] = ranked[j], ranked[i] })
		ranked = ranked[:want]
	}
	for _, h := range ranked {
		filter.Add(h.Key)
	}
	return filter
}

// Keys far apart have no dense bitmap.
func TestSearch_FiltersOfScatteredKeys(t *testing.T) {
	s := random(8, cold.FormInt8, 32, 2000)
	for i := range s.keys {
		s.keys[i] *= 1_000_003
	}
	path, _ := seal(t, s, cold.Options{})
	shard := open(t, path)
	filter := roaring.New()
	for i := 0; i < s.Len(); i += 3 {
		filter.Add(s.keys[i])
	}
	require.True(t, shard.Keys().Contains(s.keys[7]))
	require.EqualValues(t, 2000, shard.Keys().GetCardinality())
	for range 20 {
		q := rowOf(s.form, gaussian(rand.New(rand.NewPCG(2, 2)), 32))
		hits, err := shard.Search(q, 10, filter, cold.NewScratch())
		require.NoError(t, err)
		require.GreaterOrEqual(t, share(hits, nearest(s, q, 10, filter)), 0.9)
	}
}

// Many equal vectors must not hide the others.
func TestSearch_EqualVectorsDoNotHideOthers(t *testing.T) {
	s := random(9, cold.FormInt8, 32, 1000)
	same := gaussian(rand.New(rand.NewPCG(5, 5)), 32)
	for range 1000 {
		s.add(same)
	}
	s.shuffleKeys(rand.New(rand.NewPCG(6, 6)))
	path, _ := seal(t, s, cold.Options{Recall: 0.99})
	shard := open(t, path)
	scratch := cold.NewScratch()
	found := 0
	for i := range 1000 {
		hits, err := shard.Search(s.Row(i), 1, nil, scratch)
		require.NoError(t, err)
		if hits[0].Key == s.keys[i] {
			found++
		}
	}
	require.GreaterOrEqual(t, found, 980)
	hits, err := shard.Search(rowOf(s.form, same), 20, nil, scratch)
	require.NoError(t, err)
	for _, h := range hits {
		require.EqualValues(t, 1, h.Similarity)
	}
}

func TestSearch_AllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	c := newClusters(1, 64, 20, 0.7)
	path, _ := seal(t, c.set(cold.FormInt8, 3000), cold.Options{})
	shard, scratch, q := open(t, path), cold.NewScratch(), rowOf(cold.FormInt8, c.draw())
	search := func() {
		_, err := shard.Search(q, 10, nil, scratch)
		require.NoError(t, err)
	}
	search()
	require.Zero(t, testing.AllocsPerRun(100, search))
}
