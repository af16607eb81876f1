package hot_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/hot"
	"github.com/stretchr/testify/require"
)

// oracle is an index that does everything the slow way.
type oracle map[uint32]hot.Vector

func (o oracle) search(g *hot.Graph, q hot.Vector, k int, filter *roaring.Bitmap) []hot.Hit {
	var hits []hot.Hit
	for key := range o {
		if filter == nil || filter.Contains(key) {
			hits = append(hits, hot.Hit{Key: key, Similarity: g.Similarity(q, []uint32{key}, nil)[0]})
		}
	}
	slices.SortFunc(hits, func(a, b hot.Hit) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.Key, b.Key))
	})
	return hits[:min(k, len(hits))]
}

// filter has about one key in `of`.
func (o oracle) filter(r *rand.Rand, of int) *roaring.Bitmap {
	f := roaring.New()
	for key := range o {
		if r.IntN(of) == 0 {
			f.Add(key)
		}
	}
	return f
}

// settle takes out all that is dead.
func settle(g *hot.Graph) {
	for g.Consolidate(100) {
	}
}

func requireSound(t testing.TB, g *hot.Graph) {
	t.Helper()
	unreachable, err := g.Check()
	require.NoError(t, err)
	require.Zero(t, unreachable, "nodes that cannot be reached")
}

// plans force each way to search.
var plans = map[string]hot.Costs{
	"measured": {},
	"walk":     walks,
	"rows":     {Row: 1, Key: 1e9, Visit: 1e9},
	"keys":     {Row: 1e6, Key: 1, Visit: 1e9},
}

func TestGraph_AnswersLikeTheOracleThroughRandomChanges(t *testing.T) {
	for name, costs := range plans {
		for _, float := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/float=%v", name, float), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				rows := vectorsOf(clustered(r, 500, 24, 20, 0.7), float)
				g, o := hot.New(hot.Config{Dim: 24, Float: float, Seed: 9, Costs: costs}), oracle{}
				found, wanted := 0, 0
				for i := range 1200 {
					key := uint32(r.IntN(600))
					switch r.IntN(20) {
					case 0, 1, 2, 3, 4, 5, 6, 7:
						v := rows[r.IntN(len(rows))]
						add(t, g, key, v)
						o[key] = v
					case 8, 9, 10, 11, 12:
						_, had := o[key]
						require.Equal(t, had, g.Unbind(key))
						delete(o, key)
					case 13:
						g.Consolidate(20)
					case 14:
						if i%5 == 0 {
							settle(g)
							requireSound(t, g)
							require.Zero(t, g.Dead())
						}
					default:
						f := []*roaring.Bitmap{nil, o.filter(r, 1), o.filter(r, 2), o.filter(r, 10), o.filter(r, 300)}[r.IntN(5)]
						k := []int{1, 5, 10, 40, 2000}[r.IntN(5)]
						q := rows[r.IntN(len(rows))]
						want := o.search(g, q, k, f)
						got := g.Search(hot.Query{Vector: q, K: k, Filter: f}, nil)
						requireAnswer(t, got, want, o, f, g, q)
						found += agreement(got, want)
						wanted += len(want)
						require.Empty(t, difference(want, g.Search(hot.Query{Vector: q, K: k, Filter: f, Exact: true}, nil)))
					}
					require.Equal(t, len(o), g.Len())
				}
				settle(g)
				requireSound(t, g)
				var keys []uint32
				g.Keys(func(key uint32) bool { keys = append(keys, key); return true })
				slices.Sort(keys)
				require.Equal(t, sortedKeys(o), keys)
				require.Greater(t, float64(found)/float64(wanted), 0.98)
			})
		}
	}
}

// requireAnswer checks what holds of every answer, whatever its recall.
func requireAnswer(t *testing.T, got, want []hot.Hit, o oracle, f *roaring.Bitmap, g *hot.Graph, q hot.Vector) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, h := range got {
		require.Contains(t, o, h.Key)
		require.True(t, f == nil || f.Contains(h.Key))
		require.Equal(t, g.Similarity(q, []uint32{h.Key}, nil)[0], h.Similarity)
		if i > 0 {
			before := got[i-1]
			require.True(t, before.Similarity > h.Similarity || before.Similarity == h.Similarity && before.Key < h.Key)
		}
	}
}

// agreement counts the answers that are as near as the last true one.
func agreement(got, want []hot.Hit) int {
	n := 0
	for _, h := range got {
		if h.Similarity >= want[len(want)-1].Similarity {
			n++
		}
	}
	return n
}

func sortedKeys(o oracle) []uint32 {
	var keys []uint32
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// difference describes where two answers differ; empty when they do not.
func difference(want, got []hot.Hit) string {
	if slices.Equal(want, got) {
		return ""
	}
	return fmt.Sprintf("want %v, got %v", want, got)
}
