package cold_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

// Readers share a shard, and a scratch serves shards of any size one after the other.
func TestShard_ManyReaders(t *testing.T) {
	c := newClusters(1, 32, 20, 0.7)
	large, small := c.set(cold.FormInt8, 3000), c.set(cold.FormInt8, 70)
	path, _ := seal(t, large, cold.Options{})
	other, _ := seal(t, small, cold.Options{ResidentBytesMax: 1})
	shards := []*cold.Shard{open(t, path), open(t, other)}
	queries := make([]cold.Row, 40)
	want := make([][2][]cold.Hit, len(queries))
	for i := range queries {
		queries[i] = rowOf(cold.FormInt8, c.draw())
		for w, shard := range shards {
			hits, err := shard.Search(queries[i], 10, nil, cold.NewScratch())
			require.NoError(t, err)
			want[i][w] = slices.Clone(hits)
		}
	}
	var wait sync.WaitGroup
	for reader := range 4 {
		wait.Go(func() {
			scratch := cold.NewScratch()
			for round := range 8 * len(queries) { // more than 256 searches: marks of visits wrap
				i := (round + reader*7) % len(queries)
				for w, shard := range shards {
					hits, err := shard.Search(queries[i], 10, nil, scratch)
					if err != nil || !slices.Equal(hits, want[i][w]) {
						t.Errorf("query %d: %v, %v", i, hits, err)
						return
					}
				}
			}
		})
	}
	wait.Wait()
	stats := shards[0].Stats()
	require.EqualValues(t, 4*8*40+40, stats.Searches)
	require.Positive(t, stats.PagesTouched)
	require.Equal(t, 3000, stats.Vectors)
}

func TestShard_CloseWaitsForReaders(t *testing.T) {
	c := newClusters(1, 32, 20, 0.7)
	path, _ := seal(t, c.set(cold.FormInt8, 3000), cold.Options{})
	shard, err := cold.Open(path)
	require.NoError(t, err)
	q := rowOf(cold.FormInt8, c.draw())
	started := make(chan struct{}, 4)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			scratch := cold.NewScratch()
			for round := 0; ; round++ {
				hits, err := shard.Search(q, 10, nil, scratch)
				if round == 10 {
					started <- struct{}{}
				}
				if err != nil {
					if !errors.Is(err, cold.ErrClosed) || round < 10 {
						t.Error(err)
					}
					return
				}
				if len(hits) != 10 {
					t.Error(len(hits))
				}
			}
		})
	}
	for range 4 {
		<-started
	}
	require.NoError(t, shard.Close())
	require.NoError(t, shard.Close())
	wait.Wait()
}
