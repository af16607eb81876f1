package vectors

import (
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// windowRows is how many rows one call of the kernel serves: their sums stay in the first-level cache.
const windowRows = 256

// scratch is what one search needs beside its result.
type scratch struct {
	codes []int8 // the query, padded to the stride of the rows
	dots  [windowRows]int32
	keys  [windowRows]uint32
	iter  roaring.ManyIntIterator
	best  ranking
}

// scratches recycles the memory of searches; it holds no state between them.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (s *scratch) release() {
	s.iter = roaring.ManyIntIterator{} // lets go of the filter
	scratches.Put(s)
}

// query is a checked vector, ready for many comparisons.
type query struct {
	codes   []int8
	floats  []float32
	inverse float64
}

func (s *scratch) query(e Embedding) query {
	q := query{floats: e.Float32, inverse: inverseNorm(e)}
	if e.Form == FormInt8 {
		stride := kernel.Stride(len(e.Int8))
		s.codes = slices.Grow(s.codes[:0], stride)[:stride]
		clear(s.codes[copy(s.codes, e.Int8):])
		q.codes = s.codes
	}
	return q
}

// Search implements Index. It allocates its result and nothing else.
func (f *Flat) Search(e Embedding, k int, filter *roaring.Bitmap) []Hit {
	if k < 1 || f.check(e) != nil {
		return nil
	}
	s := scratches.Get().(*scratch)
	defer s.release()
	q := s.query(e)
	f.mu.RLock()
	defer f.mu.RUnlock()
	s.best.reset(min(k, len(f.slots)))
	if filter != nil && filter.GetCardinality() < uint64(len(f.slots)) {
		f.searchFilter(s, q, filter)
	} else {
		f.searchAll(s, q, filter)
	}
	return s.best.hits()
}

// searchAll compares every row, a window at a time. Only a row that would enter the ranking is looked up in the filter,
// which is then at least as large as the index.
func (f *Flat) searchAll(s *scratch, q query, filter *roaring.Bitmap) {
	for _, c := range f.chunks {
		for from := 0; from < c.rows(); from += windowRows {
			to := min(from+windowRows, c.rows())
			c.dotWindow(s, q, from, to)
			for i := from; i < to; i++ {
				hit := Hit{c.keys[i], c.similarity(s, q, i, from)}
				if s.best.accepts(hit) && (filter == nil || filter.Contains(hit.Key)) {
					s.best.add(hit)
				}
			}
		}
	}
}

// dotWindow multiplies the codes of rows [from, to) with the query.
func (c *chunk) dotWindow(s *scratch, q query, from, to int) {
	if q.codes != nil {
		kernel.DotRows(q.codes, c.codes[from*c.stride:to*c.stride], s.dots[:to-from])
	}
}

// similarity returns the cosine of the query and row i, whose dot product of codes is s.dots[i-from].
func (c *chunk) similarity(s *scratch, q query, i, from int) float32 {
	if q.codes != nil {
		return cosine(float64(s.dots[i-from]), q.inverse, c.inverse[i])
	}
	return cosine(kernel.DotFloat(q.floats, row(c.floats, i, c.stride)), q.inverse, c.inverse[i])
}

// cosine scales a dot product. The errors of float64 (below 1e-11 at EmbeddingDimMax) are far smaller than half a unit of float32, so
// the result does not leave [-1, 1], and a vector's similarity to itself is 1.
func cosine(dot, inverseA, inverseB float64) float32 {
	return float32(dot * (inverseA * inverseB))
}

// searchFilter compares the rows of the filter's keys.
func (f *Flat) searchFilter(s *scratch, q query, filter *roaring.Bitmap) {
	s.iter.Initialize(filter)
	for {
		n := s.iter.NextMany(s.keys[:])
		if n == 0 {
			return
		}
		for _, key := range s.keys[:n] {
			if slot, ok := f.slots[key]; ok {
				s.best.offer(Hit{key, f.similarityAt(s, q, slot)})
			}
		}
	}
}

// similarityAt returns the cosine of the query and the row of one slot.
func (f *Flat) similarityAt(s *scratch, q query, slot uint32) float32 {
	c, i := f.chunks[slot/chunkRows], int(slot%chunkRows)
	c.dotWindow(s, q, i, i+1)
	return c.similarity(s, q, i, i)
}

// Similarity implements Index. It allocates only what dst lacks.
func (f *Flat) Similarity(e Embedding, keys []uint32, dst []float32) []float32 {
	dst = slices.Grow(dst, len(keys))
	nan := float32(math.NaN())
	if f.check(e) != nil {
		for range keys {
			dst = append(dst, nan)
		}
		return dst
	}
	s := scratches.Get().(*scratch)
	defer s.release()
	q := s.query(e)
	f.mu.RLock()
	defer f.mu.RUnlock()
	for _, key := range keys {
		if slot, ok := f.slots[key]; ok {
			dst = append(dst, f.similarityAt(s, q, slot))
		} else {
			dst = append(dst, nan)
		}
	}
	return dst
}
