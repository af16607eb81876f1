package hot

import (
	"github.com/RoaringBitmap/roaring/v2"
)

// matcher says which nodes may be answers: those with a key that the filter has, or with any key when there is none. It is
// not active while every node is one.
type matcher struct {
	active bool
	filter *roaring.Bitmap
	dense  []uint64 // the filter's bits, when they take no more room than a search's visited bytes
}

// use sets the matcher for a filter, nil for none.
func (s *search) use(g *Graph, filter *roaring.Bitmap) {
	s.match = matcher{active: filter != nil || g.dead.Load() > 0, filter: filter}
	if filter == nil {
		return
	}
	words := int(filter.DenseSize())
	if words > max(1024, g.Nodes()/4) {
		return
	}
	if cap(s.dense) < words {
		s.dense = make([]uint64, words+words/4)
	}
	s.dense = s.dense[:words]
	clear(s.dense)
	filter.WriteDenseTo(s.dense)
	s.match.dense = s.dense
}

func (m *matcher) matches(g *Graph, id uint32) bool {
	for at := g.firstKey(id); at != noKey; at = g.nextKey(at) {
		if m.has(uint32(at >> 32)) {
			return true
		}
	}
	return false
}

func (m *matcher) has(key uint32) bool {
	switch {
	case m.filter == nil:
		return true
	case m.dense != nil:
		word := int(key >> 6)
		return word < len(m.dense) && m.dense[word]>>(key&63)&1 != 0
	}
	return m.filter.Contains(key)
}
