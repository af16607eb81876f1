package cold_test

import (
	"math"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

// requireRecall searches with some queries, demands a mean share of the nearest, and returns the mean of pages touched and the
// memory of a vector.
func requireRecall(t *testing.T, s *set, o cold.Options, queries func() []float32, k int, least float64) (pages, residentBytes float64) {
	t.Helper()
	path, info := seal(t, s, o)
	shard := open(t, path)
	scratch := cold.NewScratch()
	const count = 100
	sum := 0.0
	for range count {
		q := rowOf(s.form, queries())
		hits, err := shard.Search(q, k, nil, scratch)
		require.NoError(t, err)
		require.Len(t, hits, k)
		sum += share(hits, nearest(s, q, k, nil))
		pages += float64(scratch.Pages())
	}
	t.Logf("%+v", info)
	t.Logf("recall@%d %.4f, %.1f pages, %.1f bytes a vector", k, sum/count, pages/count, float64(info.ResidentBytes)/float64(s.Len()))
	require.GreaterOrEqual(t, sum/count, least)
	require.Equal(t, info.ResidentBytes, shard.Stats().ResidentBytes)
	return pages / count, float64(info.ResidentBytes) / float64(s.Len())
}

// The bounds on pages and memory of the design hold here with room.
func TestSearch_FindsTheNearestOfClusters(t *testing.T) {
	c := newClusters(1, 384, 200, 0.7)
	pages, residentBytes := requireRecall(t, c.set(cold.FormInt8, 20_000), cold.Options{}, c.draw, 10, 0.97)
	require.LessOrEqual(t, pages, 40.0)
	require.LessOrEqual(t, residentBytes, 200.0)
}

// Word vectors have no clusters, and components of unequal weight.
func TestSearch_FindsTheNearestWithoutClusters(t *testing.T) {
	c := newClusters(2, 100, 1, 1)
	word := func() []float32 {
		x := gaussian(c.r, 100)
		for i := range x {
			x[i] *= float32(1 / math.Sqrt(float64(1+i)))
		}
		return x
	}
	s := &set{form: cold.FormFloat32, dim: 100}
	for range 20_000 {
		s.add(word())
	}
	requireRecall(t, s.shuffleKeys(c.r), cold.Options{}, word, 10, 0.95)
}

func TestSearch_OtherNumbersOfHits(t *testing.T) {
	c := newClusters(3, 64, 50, 0.7)
	s := c.set(cold.FormFloat32, 5000)
	for _, k := range []int{1, 50, 100} {
		requireRecall(t, s, cold.Options{Exact: true}, c.draw, k, 0.95)
	}
}

func TestSearch_OneBitCodesTakeLittleMemory(t *testing.T) {
	c := newClusters(4, 384, 50, 0.7)
	s := c.set(cold.FormInt8, 5000)
	_, residentBytes := requireRecall(t, s, cold.Options{ResidentBytesMax: 5000 * 100}, c.draw, 10, 0.95)
	require.LessOrEqual(t, residentBytes, 64.0)
	_, info := seal(t, s, cold.Options{ResidentBytesMax: 5000 * 200})
	require.Equal(t, 4, info.NavBits)
}
