package hot

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// An entry of a pool: order of its similarity << 32 | node << 2 | matches << 1 | expanded. Sorted ascending, the best
// come first.
const (
	expandedBit = 1
	matchBit    = 2
	nodeShift   = 2
)

func entry(o uint32, id uint32) uint64 { return uint64(o)<<32 | uint64(id)<<nodeShift }

func nodeOf(e uint64) uint32 { return uint32(e) >> nodeShift }

// search is the memory of one search, recycled.
type search struct {
	// The query.
	codes   []int8 // padded
	scale   float32
	inverse float64
	vector  Vector
	floats  []float32 // padded

	// The walk over one level.
	visited []uint8
	epoch   uint8
	pool    []uint64 // sorted; holds what leads the way, matching or not
	ef      int      // how many matching entries it keeps
	matched int
	visits  int    // vectors compared with the query
	lastAt  int    // where in the pool the last answer stood
	skip    uint32 // a node that the search stays off; noNode for none
	ids     [windowRows]uint32
	dots    [windowRows]int32
	sums    [windowRows]float32

	// The answer.
	one         [1]uint32
	dot, square [1]int32
	keys        [windowRows]uint32
	dense       []uint64
	match       matcher
	iter        roaring.ManyIntIterator
	best        best
}

// windowRows is how many rows a scan multiplies at once: their sums stay in the first-level cache.
const windowRows = 256

// prepare takes the query. The vector is used until release.
func (s *search) prepare(g *Graph, v Vector) {
	s.codes = slices.Grow(s.codes[:0], g.stride)[:g.stride]
	clear(s.codes[g.config.Dim:])
	s.vector, s.skip = v, noNode
	if g.config.Float {
		norm := normFloat(v.Float)
		s.scale = quantise(s.codes, v.Float, norm)
		s.inverse = 1 / norm
		padded := kernel.Pad(g.config.Dim, kernel.BlockF32)
		s.floats = slices.Grow(s.floats[:0], padded)[:padded]
		clear(s.floats[g.config.Dim:])
		for i, x := range v.Float {
			s.floats[i] = float32(float64(x) * s.inverse)
		}
		return
	}
	copy(s.codes, v.Int8)
	s.inverse = 1 / normInt8(v.Int8)
	s.scale = float32(s.inverse)
}

// noNode is no node's number.
const noNode = sentinel

// release lets go of what belongs to the caller.
func (s *search) release() {
	s.vector, s.match = Vector{}, matcher{}
	s.iter = roaring.ManyIntIterator{}
}

// begin empties the pool and forgets what was visited among the first n nodes.
func (s *search) begin(n, ef int) {
	if len(s.visited) < n {
		s.visited = make([]uint8, n+n/4+64)
		s.epoch = 0
	}
	s.epoch++
	if s.epoch == 0 {
		clear(s.visited)
		s.epoch = 1
	}
	s.pool, s.ef, s.matched = s.pool[:0], ef, 0
	if int(s.skip) < n {
		s.visited[s.skip] = s.epoch
	}
}

// offer puts e where it belongs and returns the place, or false when ef better ones match. What lies behind the
// last of ef matching entries is dropped: it can lead to nothing better.
func (s *search) offer(e uint64) (place int, ok bool) {
	p := s.pool
	if s.matched == s.ef && e >= p[len(p)-1] {
		return 0, false
	}
	lo, hi := 0, len(p)
	for lo < hi {
		if middle := int(uint(lo+hi) >> 1); p[middle] < e {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	if lo < len(p) && p[lo] == e { // a scan by keys meets a node once for each
		return 0, false
	}
	p = append(p, 0)
	copy(p[lo+1:], p[lo:])
	p[lo] = e
	if e&matchBit != 0 {
		if s.matched == s.ef {
			p = p[:len(p)-1]
		} else {
			s.matched++
		}
		for s.matched == s.ef && p[len(p)-1]&matchBit == 0 {
			p = p[:len(p)-1]
		}
	}
	s.pool = p
	return lo, true
}

// matchAt returns the place of the nth matching entry, or of the last if there are fewer.
func (s *search) matchAt(n int) int {
	at := 0
	for i, e := range s.pool {
		if e&matchBit != 0 && n > 0 {
			at, n = i, n-1
		}
	}
	return at
}

// best keeps the best answers: a heap of order << 32 | key whose root is the worst. Ties go to the lower key.
type best struct {
	heap []uint64
	size int
}

func (b *best) reset(size int) { b.heap, b.size = b.heap[:0], size }

func (b *best) accepts(h uint64) bool {
	return len(b.heap) < b.size || b.size > 0 && h < b.heap[0]
}

func (b *best) offer(similarity float32, key uint32) {
	h := uint64(order(similarity))<<32 | uint64(key)
	if !b.accepts(h) {
		return
	}
	if len(b.heap) < b.size {
		b.heap = append(b.heap, h)
		b.up(len(b.heap) - 1)
		return
	}
	b.heap[0] = h
	b.down()
}

func (b *best) up(i int) {
	for h := b.heap; i > 0 && h[(i-1)/2] < h[i]; i = (i - 1) / 2 {
		h[(i-1)/2], h[i] = h[i], h[(i-1)/2]
	}
}

func (b *best) down() {
	h := b.heap
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child] > h[worst] {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// appendTo appends the answers, best first.
func (b *best) appendTo(dst []Hit) []Hit {
	slices.Sort(b.heap)
	dst = slices.Grow(dst, len(b.heap))
	for _, h := range b.heap {
		dst = append(dst, Hit{Key: uint32(h), Similarity: unorder(uint32(h >> 32))})
	}
	return dst
}
