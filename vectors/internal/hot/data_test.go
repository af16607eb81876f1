package hot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/hot"
	"github.com/stretchr/testify/require"
)

// clustered makes n unit vectors around centres, as embeddings of texts lie: spread is the length of what a vector adds to its
// centre of length 1.
func clustered(r *rand.Rand, n, dim, centres int, spread float64) [][]float32 {
	middle := make([][]float32, centres)
	for i := range middle {
		middle[i] = unit(gauss(r, dim))
	}
	out := make([][]float32, n)
	for i := range out {
		v := gauss(r, dim)
		c := middle[r.IntN(centres)]
		for j := range v {
			v[j] = c[j] + v[j]*float32(spread/math.Sqrt(float64(dim)))
		}
		out[i] = unit(v)
	}
	return out
}

func gauss(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// coded scales a vector so that its largest component is 127.
func coded(v []float32) []int8 {
	largest := 0.0
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	codes := make([]int8, len(v))
	for i, x := range v {
		codes[i] = int8(math.Round(float64(x) / largest * 127))
	}
	return codes
}

// vectorsOf returns them in one form.
func vectorsOf(rows [][]float32, float bool) []hot.Vector {
	out := make([]hot.Vector, len(rows))
	for i, v := range rows {
		if float {
			out[i].Float = v
		} else {
			out[i].Int8 = coded(v)
		}
	}
	return out
}

// build puts vectors under the keys 0, 1, 2 and so on.
func build(t testing.TB, c hot.Config, rows []hot.Vector) *hot.Graph {
	t.Helper()
	g := hot.New(c)
	for i, v := range rows {
		add(t, g, uint32(i), v)
	}
	return g
}

func add(t testing.TB, g *hot.Graph, key uint32, v hot.Vector) {
	t.Helper()
	g.Unbind(key)
	node, err := g.Insert(key, v)
	require.NoError(t, err)
	require.NoError(t, g.Bind(key, node))
}

// truths returns the similarity of the last of the true k neighbours of each query, from a scan.
func truths(g *hot.Graph, queries []hot.Vector, k int) []float32 {
	var worst []float32
	for _, v := range queries {
		hits := g.Scan(v, k)
		worst = append(worst, hits[len(hits)-1].Similarity)
	}
	return worst
}

// recallOf returns the part of the true k neighbours that searches find; an answer counts when it is as near as the
// last true one.
func recallOf(g *hot.Graph, queries []hot.Vector, truth []float32, k, ef int) float64 {
	found := 0
	var got []hot.Hit
	for i, v := range queries {
		got = g.Search(hot.Query{Vector: v, K: k, Ef: ef}, got[:0])
		for _, h := range got {
			if h.Similarity >= truth[i] {
				found++
			}
		}
	}
	return float64(found) / float64(len(queries)*min(k, g.Len()))
}

func recall(g *hot.Graph, queries []hot.Vector, k, ef int) float64 {
	return recallOf(g, queries, truths(g, queries, k), k, ef)
}

func keysOf(hits []hot.Hit) []uint32 {
	var keys []uint32
	for _, h := range hits {
		keys = append(keys, h.Key)
	}
	slices.Sort(keys)
	return keys
}
