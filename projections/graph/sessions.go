package graph

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
)

// Member is a live ordinal of a session.
type Member struct {
	Session model.Symbol // 0: none, and then it is in no list
	When    model.Millis // occurred, else created
	Ordinal uint32
}

// node is a member within its session.
type node struct {
	when    model.Millis
	ordinal uint32
}

func (a node) compare(b node) int {
	return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.ordinal, b.ordinal))
}

// Sessions are the lists of one namespace. Make one with New.
type Sessions struct {
	lists map[model.Symbol][]node
}

// New returns no lists.
func New() *Sessions { return &Sessions{lists: map[model.Symbol][]node{}} }

// Add puts members into their sessions; one that is there already is left as it is. Many at once cost one sort a session.
func (s *Sessions) Add(members []Member) {
	grown := map[model.Symbol][]node{}
	for _, m := range members {
		if m.Session != 0 {
			grown[m.Session] = append(grown[m.Session], node{m.When, m.Ordinal})
		}
	}
	for session, nodes := range grown {
		s.lists[session] = merge(s.lists[session], nodes)
	}
}

// merge puts nodes into a sorted list; the usual case is one that goes to the end.
func merge(list, nodes []node) []node {
	if len(nodes) > 1 {
		list = append(list, nodes...)
		slices.SortFunc(list, node.compare)
		return slices.Compact(list)
	}
	at, found := slices.BinarySearchFunc(list, nodes[0], node.compare)
	if found {
		return list
	}
	return slices.Insert(list, at, nodes[0])
}

// Remove takes a member out of its session.
func (s *Sessions) Remove(m Member) {
	list := s.lists[m.Session]
	at, found := slices.BinarySearchFunc(list, node{m.When, m.Ordinal}, node.compare)
	if !found {
		return
	}
	if list = slices.Delete(list, at, at+1); len(list) == 0 {
		delete(s.lists, m.Session)
		return
	}
	s.lists[m.Session] = list
}

// lookMax bounds how far Neighbours looks on each side for what is allowed, so that a narrow filter on a long session
// costs no more than a wide one.
const lookMax = 64

// Neighbours fills before and after, which are empty, with at most n ordinals on each side of a member in its session, nearest first,
// among the 64 nearest. allowed restricts them, so that what a viewer may not see takes no place; nil allows all.
func (s *Sessions) Neighbours(m Member, n int, allowed *roaring.Bitmap, before, after []uint32) (_, _ []uint32) {
	list := s.lists[m.Session]
	at, found := slices.BinarySearchFunc(list, node{m.When, m.Ordinal}, node.compare)
	if !found {
		return before, after
	}
	for i := at - 1; i >= max(0, at-lookMax) && n > len(before); i-- {
		if allowed == nil || allowed.Contains(list[i].ordinal) {
			before = append(before, list[i].ordinal)
		}
	}
	for i := at + 1; i < min(len(list), at+1+lookMax) && n > len(after); i++ {
		if allowed == nil || allowed.Contains(list[i].ordinal) {
			after = append(after, list[i].ordinal)
		}
	}
	return before, after
}

// Members returns the ordinals of a session in order, in a new slice.
func (s *Sessions) Members(session model.Symbol) []uint32 {
	list := s.lists[session]
	ordinals := make([]uint32, len(list))
	for i, n := range list {
		ordinals[i] = n.ordinal
	}
	return ordinals
}

// Len returns the number of sessions.
func (s *Sessions) Len() int { return len(s.lists) }
