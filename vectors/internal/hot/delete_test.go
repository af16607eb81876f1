package hot_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/hot"
	"github.com/stretchr/testify/require"
)

// unreachable counts what no way leads to, whatever the other invariants.
func unreachable(t testing.TB, g *hot.Graph) int {
	t.Helper()
	n, err := g.Check()
	require.NoError(t, err)
	return n
}

func TestDelete_ThePartsOfAGraphThatHurt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := vectorsOf(clustered(r, 4100, 32, 40, 0.7), false)
	queries, rows := all[:100], all[100:]
	for name, remove := range map[string]func(g *hot.Graph) []uint32{
		"the entry, again and again": func(g *hot.Graph) []uint32 {
			var gone []uint32
			for range 200 {
				gone = append(gone, g.EntryKey())
				g.Unbind(gone[len(gone)-1])
				settle(g)
			}
			return nil
		},
		"half, at random": func(g *hot.Graph) (keys []uint32) {
			for key := range uint32(4000) {
				if r.IntN(2) == 0 {
					keys = append(keys, key)
				}
			}
			return keys
		},
		"four of five": func(g *hot.Graph) (keys []uint32) {
			for key := range uint32(4000) {
				if key%5 > 0 {
					keys = append(keys, key)
				}
			}
			return keys
		},
		"a region": func(g *hot.Graph) (keys []uint32) { return keysOf(g.Scan(queries[0], 1200)) },
	} {
		t.Run(name, func(t *testing.T) {
			g := build(t, hot.Config{Dim: 32, Costs: walks}, rows)
			for _, key := range remove(g) {
				require.True(t, g.Unbind(key))
			}
			require.GreaterOrEqual(t, recall(g, queries, 10, 64), 0.98, "with tombstones")
			settle(g)
			requireSound(t, g)
			require.Zero(t, g.Dead())
			require.GreaterOrEqual(t, recall(g, queries, 10, 64), 0.96, "repaired")
		})
	}
}

func TestDelete_FortyOfFiftyWithManySeeds(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		rows := vectorsOf(clustered(r, 50, 12, 4, 0.5), false)
		g := build(t, hot.Config{Dim: 12, Seed: seed, Costs: walks}, rows)
		for _, key := range r.Perm(50)[:40] {
			g.Unbind(uint32(key))
		}
		settle(g)
		requireSound(t, g)
		require.Len(t, g.Search(hot.Query{Vector: rows[0], K: 50}, nil), 10)
	}
}

func TestDelete_EverythingThenInsert(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	rows := vectorsOf(clustered(r, 1000, 16, 10, 0.7), true)
	g := build(t, hot.Config{Dim: 16, Float: true, Costs: walks}, rows)
	for range 3 {
		for key := range uint32(1000) {
			require.True(t, g.Unbind(key))
		}
		require.Empty(t, g.Search(hot.Query{Vector: rows[0], K: 5}, nil))
		for key := range uint32(500) { // while the dead still lead the way
			add(t, g, key, rows[key])
		}
		settle(g)
		requireSound(t, g)
		for key := uint32(500); key < 1000; key++ {
			add(t, g, key, rows[key])
		}
		requireSound(t, g)
		require.GreaterOrEqual(t, recall(g, rows[:100], 10, 64), 0.98)
		require.LessOrEqual(t, g.Nodes(), 1500, "slots are used again")
	}
}

func TestDelete_RecallHoldsThroughChurn(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	all := vectorsOf(clustered(r, 6200, 32, 60, 0.8), false)
	queries, rows := all[:200], all[200:]
	g := build(t, hot.Config{Dim: 32, Costs: walks}, rows[:3000])
	live := map[uint32]bool{}
	for key := range uint32(3000) {
		live[key] = true
	}
	before := recall(g, queries, 10, 64)
	for range 10 { // two turnovers, with slots used again
		var dead []uint32
		for len(dead) < 600 {
			if key := r.Uint32N(6000); live[key] {
				g.Unbind(key)
				delete(live, key)
				dead = append(dead, key)
			}
		}
		settle(g)
		for added := 0; added < 600; {
			if key := r.Uint32N(6000); !live[key] {
				add(t, g, key, rows[key])
				live[key] = true
				added++
			}
		}
	}
	requireSound(t, g)
	require.LessOrEqual(t, g.Nodes(), 3700)
	require.GreaterOrEqual(t, recall(g, queries, 10, 64), before-0.005, "was %v", before)
}

func TestDelete_ManySmallRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	all := vectorsOf(clustered(r, 3100, 24, 30, 0.7), false)
	queries, rows := all[:100], all[100:]
	g := build(t, hot.Config{Dim: 24, Costs: walks}, rows)
	left := r.Perm(3000)
	for range 100 { // one in a hundred of what is left, each time repaired
		n := len(left) / 100
		for _, key := range left[:n] {
			g.Unbind(uint32(key))
		}
		left = left[n:]
		settle(g)
		require.Zero(t, unreachable(t, g))
	}
	require.GreaterOrEqual(t, recall(g, queries, 10, 64), 0.98)
}

func TestConsolidate_TakesSmallSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	rows := vectorsOf(clustered(r, 3000, 16, 10, 0.7), false)
	g := build(t, hot.Config{Dim: 16}, rows)
	for key := range uint32(1000) {
		g.Unbind(key)
	}
	steps := 0
	for g.Consolidate(10) {
		steps++
		if steps%10 == 0 { // writes go on meanwhile
			add(t, g, uint32(10_000+steps), rows[steps%3000])
			g.Unbind(uint32(1000 + steps%500))
		}
	}
	require.Greater(t, steps, 100)
	settle(g)
	requireSound(t, g)
}

func TestGraph_ReadersBesideTheWriters(t *testing.T) {
	const keep, keys = 200, 1500
	for _, float := range []bool{false, true} {
		r := rand.New(rand.NewPCG(8, 2))
		rows := vectorsOf(clustered(r, 4000, 16, 20, 0.7), float)
		g := build(t, hot.Config{Dim: 16, Float: float, Costs: walks}, rows[:keep])
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for i := range uint64(3) {
			readers.Go(func() {
				r := rand.New(rand.NewPCG(i, 3))
				var hits []hot.Hit
				for {
					select {
					case <-stop:
						return
					default:
					}
					key := r.Uint32N(keep)
					hits = g.Search(hot.Query{Vector: rows[key], K: 10}, hits[:0])
					if len(hits) != 10 {
						t.Errorf("%d hits", len(hits))
						return
					}
					for i := 1; i < 10; i++ {
						if hits[i-1].Similarity < hits[i].Similarity {
							t.Errorf("out of order: %v", hits)
						}
					}
					if s := g.Similarity(rows[key], []uint32{key}, nil)[0]; s != 1 {
						t.Errorf("key %d has similarity %v to itself", key, s)
					}
				}
			})
		}
		for i := range 3000 {
			key := keep + r.Uint32N(keys)
			switch r.IntN(8) {
			case 0, 1, 2, 3:
				add(t, g, key, rows[r.IntN(4000)])
			case 4, 5, 6:
				if g.Unbind(key); i%3 == 0 {
					g.Consolidate(20)
				}
			default:
				if i%40 == 0 {
					g.Calibrate(0.9)
				}
			}
		}
		close(stop)
		readers.Wait()
		settle(g)
		requireSound(t, g)
	}
}
