package cold

import "math"

// candidate is a vector in a pool: its similarity, so written that better ones are smaller numbers, its id, and whether it
// has been expanded, in one number.
type candidate uint64

const expandedBit = 1

func newCandidate(score float32, id uint32) candidate {
	b := math.Float32bits(score)
	if b>>31 == 0 {
		b = ^b & 0x7fffffff
	}
	return candidate(b)<<32 | candidate(id)<<1
}

func (c candidate) id() uint32 { return uint32(c) >> 1 }

func (c candidate) score() float32 {
	b := uint32(c >> 32)
	if b>>31 == 0 {
		b = ^b & 0x7fffffff
	}
	return math.Float32frombits(b)
}

func (c candidate) expanded() bool { return c&expandedBit != 0 }

// pool keeps the best candidates seen, best first, ties by lower id. Ids are below 2^31.
type pool struct {
	items  []candidate
	size   int
	cursor int // all before it are expanded
}

func (p *pool) reset(size int) {
	p.size, p.items, p.cursor = size, p.items[:0], 0
}

// accepts says whether add would keep a candidate of this score.
func (p *pool) accepts(c candidate) bool {
	return len(p.items) < p.size || c < p.items[len(p.items)-1]
}

// add keeps a candidate that is not in the pool, if it is among the best.
func (p *pool) add(score float32, id uint32) {
	c := newCandidate(score, id)
	if !p.accepts(c) {
		return
	}
	if len(p.items) < p.size {
		p.items = append(p.items, 0)
	}
	low, high := 0, len(p.items)-1
	for low < high {
		if mid := int(uint(low+high) / 2); p.items[mid] < c {
			low = mid + 1
		} else {
			high = mid
		}
	}
	copy(p.items[low+1:], p.items[low:])
	p.items[low] = c
	p.cursor = min(p.cursor, low)
}

// next marks the best candidate that is not expanded and returns it.
func (p *pool) next() (uint32, bool) {
	for ; p.cursor < len(p.items); p.cursor++ {
		if c := p.items[p.cursor]; !c.expanded() {
			p.items[p.cursor] = c | expandedBit
			return c.id(), true
		}
	}
	return 0, false
}
