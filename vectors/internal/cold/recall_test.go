package cold_test

import (
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

// requireRecall searches with some queries and demands a mean share of the nearest.
func requireRecall(t *testing.T, s *set, o cold.Options, queries func() []float32, k int, least float64) (pages float64) {
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
	return pages / count
}

func TestSearch_FindsTheNearestOfClusters(t *testing.T) {
	c := newClusters(1, 384, 200, 0.7)
	pages := requireRecall(t, c.set(cold.FormInt8, 20_000), cold.Options{}, c.draw, 10, 0.97)
	require.LessOrEqual(t, pages, 40.0)
}
