package hot_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/hot"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
)

// walks makes the planner always walk.
var walks = hot.Costs{Row: 1e9, Key: 1e9, Visit: 1}

func TestSearch_RecallFloors(t *testing.T) {
	for _, c := range []struct {
		name           string
		n, dim, topics int
		spread         float64
		ef             int
		floor          float64
	}{
		{"clustered", 5000, 64, 80, 0.8, 64, 0.98},
		{"one cloud without clusters", 6000, 32, 1, 1e6, 128, 0.95},
		{"near-duplicates in tight groups", 6000, 32, 120, 0.05, 64, 0.95},
	} {
		for _, float := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/float=%v", c.name, float), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 1))
				all := vectorsOf(clustered(r, c.n+100, c.dim, c.topics, c.spread), float)
				g := build(t, hot.Config{Dim: c.dim, Float: float, Costs: walks}, all[100:])
				requireSound(t, g)
				queries := all[:100]
				truth := truths(g, queries, 10)
				before := 0.0
				for _, ef := range []int{16, 32, c.ef, 256} {
					now := recallOf(g, queries, truth, 10, ef)
					require.GreaterOrEqual(t, now, before-0.005, "width %d", ef)
					before = now
					if ef >= c.ef {
						require.GreaterOrEqual(t, now, c.floor, "width %d", ef)
					}
				}
			})
		}
	}
}

func TestSearch_RecallHoldsInEveryOrderOfInsertion(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	rows := clustered(r, 4000, 32, 40, 0.6)
	queries := vectorsOf(rows[:80], false)
	byFirst := slices.Clone(rows)
	slices.SortFunc(byFirst, func(a, b []float32) int { return int(1e6 * (a[0] - b[0])) })
	byCluster := slices.Clone(rows)
	slices.SortStableFunc(byCluster, func(a, b []float32) int {
		return int(1e6*(a[1]-b[1]))/100_000 - int(1e6*(b[2]-a[2]))/100_000
	})
	for name, order := range map[string][][]float32{"sorted": byFirst, "group by group": byCluster} {
		g := build(t, hot.Config{Dim: 32, Costs: walks}, vectorsOf(order, false))
		requireSound(t, g)
		require.GreaterOrEqual(t, recall(g, queries, 10, 64), 0.97, name)
	}
}

func TestInsert_EqualVectorsShareANode(t *testing.T) {
	for _, float := range []bool{false, true} {
		r := rand.New(rand.NewPCG(3, 1))
		rows := vectorsOf(clustered(r, 1001, 16, 10, 0.8), float)
		g, o := hot.New(hot.Config{Dim: 16, Float: float, Costs: walks}), oracle{}
		for key := range uint32(2000) { // every second is the same
			v := rows[1000]
			if key%2 == 1 {
				v = rows[key/2]
			}
			add(t, g, key, v)
			o[key] = v
		}
		require.Equal(t, 1001, g.Nodes())
		requireSound(t, g)
		for _, k := range []int{1, 10, 1000, 1500, 5000} {
			want := o.search(g, rows[1000], k, nil)
			require.Empty(t, difference(want, g.Search(hot.Query{Vector: rows[1000], K: k}, nil)))
		}
		require.GreaterOrEqual(t, recall(g, rows[:100], 5, 64), 0.98, "the others are not behind the crowd")
		for key := uint32(0); key < 2000; key += 2 { // take the crowd out, one by one
			require.True(t, g.Unbind(key))
			delete(o, key)
			if key%400 == 0 {
				require.Empty(t, difference(o.search(g, rows[1000], 3, nil), g.Search(hot.Query{Vector: rows[1000], K: 3, Exact: true}, nil)))
			}
		}
		require.Equal(t, 1, g.Dead())
		settle(g)
		requireSound(t, g)
	}
}

func TestSearch_ReachesOutliersAndLateStrangers(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	rows := clustered(r, 500, 24, 1, 0.01) // near-duplicates
	for range 20 {
		rows = append(rows, unit(gauss(r, 24)))
	}
	vectors := vectorsOf(rows, false)
	g := build(t, hot.Config{Dim: 24, Costs: walks}, vectors)
	requireSound(t, g)
	for i, v := range vectors {
		hits := g.Search(hot.Query{Vector: v, K: 1, Ef: 16}, nil)
		require.Len(t, hits, 1)
		require.InDelta(t, 1, hits[0].Similarity, 1e-4, "vector %d finds itself", i)
	}
	require.Len(t, g.Search(hot.Query{Vector: vectors[0], K: 1000}, nil), 520)
}

func TestGraph_OfNothingAndOfOne(t *testing.T) {
	g := hot.New(hot.Config{Dim: 3})
	v := hot.Vector{Int8: []int8{1, 2, 3}}
	require.Empty(t, g.Search(hot.Query{Vector: v, K: 5}, nil))
	require.False(t, g.Unbind(1))
	require.False(t, g.Consolidate(10))
	g.Calibrate(0.99)
	add(t, g, 1, v)
	require.Equal(t, []hot.Hit{{Key: 1, Similarity: 1}}, g.Search(hot.Query{Vector: v, K: 5}, nil))
	g.Calibrate(0.99)
	require.True(t, g.Unbind(1))
	require.Empty(t, g.Search(hot.Query{Vector: v, K: 5}, nil))
	settle(g)
	require.Zero(t, g.Dead())
	require.Zero(t, g.Levels())
	add(t, g, 2, hot.Vector{Int8: []int8{-1, 5, 3}})
	require.Equal(t, 1, g.Nodes(), "the slot is used again")
	require.Equal(t, uint32(2), g.Search(hot.Query{Vector: v, K: 5}, nil)[0].Key)
}

func TestGraph_IsTheSameWithEveryKernelAndEveryTime(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	rows := vectorsOf(clustered(r, 800, 40, 10, 0.8), false)
	var first [][]hot.Hit
	for _, k := range append(kernel.All(), kernel.Portable()) {
		g := build(t, hot.Config{Dim: 40, Seed: 3, Kernels: &k, Costs: walks}, rows)
		require.Equal(t, k.Name(), g.Kernel())
		var answers [][]hot.Hit
		for _, v := range rows[:50] {
			answers = append(answers, g.Search(hot.Query{Vector: v, K: 10, Ef: 16}, nil))
		}
		if first == nil {
			first = answers
		}
		require.Equal(t, first, answers, k.Name())
	}
}

func TestCalibrate_FindsAWidthThatReachesTheTarget(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, float := range []bool{false, true} {
		all := vectorsOf(clustered(r, 4200, 48, 1, 3), float)
		g := build(t, hot.Config{Dim: 48, Float: float, Costs: walks}, all[200:])
		require.True(t, g.NeedsCalibration())
		widths := []int{}
		for _, target := range []float64{0.8, 0.95, 0.99} {
			g.Calibrate(target)
			require.False(t, g.NeedsCalibration())
			q := g.Quality()
			require.GreaterOrEqual(t, q.Recall, target)
			require.GreaterOrEqual(t, recall(g, all[:200], 10, 0), target-0.02)
			widths = append(widths, q.Ef)
		}
		require.True(t, slices.IsSorted(widths), "%v", widths)
		require.Less(t, widths[0], widths[2])
	}
}

// filtersOf are the matches of a filter: any, those near to a vector, those far from it.
func filtersOf(g *hot.Graph, r *rand.Rand, v hot.Vector, share float64) map[string]*roaring.Bitmap {
	ranked := g.Scan(v, g.Len())
	n := int(share * float64(len(ranked)))
	random, near, far := roaring.New(), roaring.New(), roaring.New()
	for i, h := range ranked {
		if i < n {
			near.Add(h.Key)
		}
		if i >= len(ranked)-n {
			far.Add(h.Key)
		}
		if r.Float64() < share {
			random.Add(h.Key)
		}
	}
	return map[string]*roaring.Bitmap{"random": random, "near": near, "far": far}
}

func TestSearch_FiltersAtEverySelectivity(t *testing.T) {
	const n, dim = 6000, 32
	r := rand.New(rand.NewPCG(7, 1))
	all := vectorsOf(clustered(r, n+25, dim, 60, 0.8), false)
	queries := all[:25]
	// As measured on a graph sixteen times the size: so walks are chosen where they would be.
	usual := hot.Costs{Row: 16 * 8, Key: 16 * 30, Visit: 70}
	for name, costs := range map[string]hot.Costs{"walk": walks, "planned": usual} {
		g := build(t, hot.Config{Dim: dim, Costs: costs}, all[25:])
		for _, share := range []float64{0.5, 0.1, 0.01, 0.001} {
			found, wanted := map[string]int{}, map[string]int{}
			for _, q := range queries {
				for kind, f := range filtersOf(g, r, q, share) {
					want := g.Search(hot.Query{Vector: q, K: 10, Filter: f, Exact: true}, nil)
					got := g.Search(hot.Query{Vector: q, K: 10, Filter: f, Ef: 64}, nil)
					require.Len(t, got, int(min(10, f.GetCardinality())))
					for _, h := range got {
						require.True(t, f.Contains(h.Key))
					}
					found[kind] += agreement(got, want)
					wanted[kind] += len(want)
				}
			}
			for kind := range wanted {
				require.GreaterOrEqual(t, float64(found[kind])/float64(wanted[kind]), 0.99, "%s %s %v", name, kind, share)
			}
		}
	}
}

func TestSearch_GivesUpAWalkThatCostsMoreThanTheScan(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	rows := vectorsOf(clustered(r, 5000, 32, 50, 0.5), false)
	f := roaring.New() // half of the index, none of it near the query
	ranked := build(t, hot.Config{Dim: 32}, rows).Scan(rows[0], 5000)
	for _, h := range ranked[2500:] {
		f.Add(h.Key)
	}
	for name, costs := range map[string]hot.Costs{
		"strained, then scanned":   {Row: 1, Key: 1, Visit: 1},
		"over its budget":          {Row: 0.6, Key: 0.6, Visit: 1},
		"strained, then far wider": walks,
	} {
		g := build(t, hot.Config{Dim: 32, Costs: costs}, rows)
		want := g.Search(hot.Query{Vector: rows[0], K: 10, Filter: f, Exact: true}, nil)
		got := g.Search(hot.Query{Vector: rows[0], K: 10, Filter: f, Ef: 64}, nil)
		require.Equal(t, 10, agreement(got, want), name)
	}
}

func TestSearch_FiltersOfKeysThatAreNotThere(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	rows := vectorsOf(clustered(r, 3000, 16, 10, 0.8), false)
	for name, costs := range plans {
		g := build(t, hot.Config{Dim: 16, Costs: costs}, rows)
		f := roaring.New()
		f.AddRange(2995, 10_000)
		f.AddRange(1<<31, 1<<31+100_000) // too far for a dense form
		require.Len(t, g.Search(hot.Query{Vector: rows[0], K: 10, Filter: f}, nil), 5, name)
		require.Empty(t, g.Search(hot.Query{Vector: rows[0], K: 10, Filter: roaring.New()}, nil), name)
	}
}

func TestSearch_AllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	r := rand.New(rand.NewPCG(10, 1))
	for _, float := range []bool{false, true} {
		rows := vectorsOf(clustered(r, 3000, 64, 30, 0.8), float)
		f := roaring.New()
		f.AddRange(100, 2500)
		for _, costs := range plans {
			g := build(t, hot.Config{Dim: 64, Float: float, Costs: costs}, rows)
			g.Unbind(7)
			dst := make([]hot.Hit, 0, 10)
			for _, filter := range []*roaring.Bitmap{nil, f} {
				require.Zero(t, testing.AllocsPerRun(100, func() {
					dst = g.Search(hot.Query{Vector: rows[1], K: 10, Filter: filter}, dst[:0])
				}))
			}
		}
	}
}

func TestProbe_LinksToAnIsland(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	g := build(t, hot.Config{Dim: 24, Costs: walks}, vectorsOf(clustered(r, 2000, 24, 20, 0.7), false))
	for _, n := range []uint32{1, 50, 600} {
		g.Isolate(n)
		if lost, err := g.Check(); err == nil {
			require.Positive(t, lost)
		}
		g.Probe()
		settle(g)
		requireSound(t, g)
	}
}
