package vectors

import (
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/hot"
)

// Search implements Index.
func (a *Auto) Search(e Embedding, k int, filter *roaring.Bitmap) []Hit {
	if k < 1 || a.view.Load().flat.check(e) != nil {
		return nil
	}
	var hits []Hit
	a.steady(func(v *view) {
		if v.graph == nil {
			hits = v.flat.Search(e, k, filter)
			return
		}
		hits = a.searchBoth(v, e, k, filter)
	})
	return hits
}

// steady calls read until no vector was replaced by another meanwhile; when that does not come about, it makes writers wait.
func (a *Auto) steady(read func(*view)) {
	for range 3 {
		before := a.swaps.Load()
		v := a.view.Load()
		read(v)
		if v.graph == nil || before&1 == 0 && a.swaps.Load() == before {
			return
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	read(a.view.Load())
}

// found recycles the memory of a graph's answers.
var found = sync.Pool{New: func() any { return new([]hot.Hit) }}

// searchBoth merges the answers of the tail and the graph, in this order (see view).
func (a *Auto) searchBoth(v *view, e Embedding, k int, filter *roaring.Bitmap) []Hit {
	tail := v.flat.Search(e, k, filter)
	memory := found.Get().(*[]hot.Hit)
	defer found.Put(memory)
	q := hot.Query{Vector: vectorOf(e), K: k, Filter: filter, Exact: a.o.exact() || a.Len() <= a.o.FlatMax}
	*memory = v.graph.Search(q, (*memory)[:0])
	return merge(tail, *memory, k)
}

func vectorOf(e Embedding) hot.Vector { return hot.Vector{Int8: e.Int8, Float: e.Float32} }

// merge returns the k best of both, each sorted. A key that is on its way is in both, with the same similarity.
func merge(tail []Hit, graph []hot.Hit, k int) []Hit {
	hits := make([]Hit, 0, min(k, len(tail)+len(graph)))
	for len(hits) < k && len(tail)+len(graph) > 0 {
		if len(graph) == 0 {
			return append(hits, tail[:min(len(tail), k-len(hits))]...)
		}
		first := Hit(graph[0])
		switch {
		case len(tail) == 0 || better(first, tail[0]):
			hits, graph = append(hits, first), graph[1:]
		case first == tail[0]:
			graph = graph[1:]
		default:
			hits, tail = append(hits, tail[0]), tail[1:]
		}
	}
	return hits
}

// Similarity implements Index.
func (a *Auto) Similarity(e Embedding, keys []uint32, dst []float32) []float32 {
	from := len(dst)
	a.steady(func(v *view) {
		dst = v.flat.Similarity(e, keys, dst[:from])
		if v.graph != nil && v.flat.check(e) == nil {
			fillIn(v.graph, vectorOf(e), keys, dst[from:])
		}
	})
	return dst
}

// fillIn asks the graph for the keys that the tail does not have.
func fillIn(g *hot.Graph, v hot.Vector, keys []uint32, similarities []float32) {
	var absent []uint32
	for i, x := range similarities {
		if math.IsNaN(float64(x)) {
			absent = append(absent, keys[i])
		}
	}
	if len(absent) == 0 {
		return
	}
	more := g.Similarity(v, absent, slices.Grow([]float32(nil), len(absent)))
	for i, x := range similarities {
		if math.IsNaN(float64(x)) {
			similarities[i], more = more[0], more[1:]
		}
	}
}
