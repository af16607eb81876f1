package hot

import (
	"math"
	"slices"
	"sync/atomic"
)

// Lists are written by the writer of links only, so it reads them without atomics.

func capacity(level int) int {
	if level == 0 {
		return linksBase
	}
	return linksUpper
}

// lengthOf returns the number of links.
func lengthOf(list []uint32) int {
	if n := slices.Index(list, sentinel); n >= 0 {
		return n
	}
	return len(list)
}

// setLinks replaces a list.
func (g *Graph) setLinks(p uint32, level int, ids []uint32) {
	list := g.list(p, level)
	if level == 0 {
		for _, id := range ids {
			g.gain(id)
		}
		for _, id := range list[:lengthOf(list)] {
			g.lose(id)
		}
	}
	for i, id := range ids {
		atomic.StoreUint32(&list[i], id)
	}
	if len(ids) < len(list) {
		atomic.StoreUint32(&list[len(ids)], sentinel)
	}
}

// gain and lose count links on level 0. A count that reached its maximum stays there.
func (g *Graph) gain(id uint32) {
	if d := &g.w.degrees[id]; *d < math.MaxUint16 {
		*d++
	}
}

func (g *Graph) lose(id uint32) {
	d := &g.w.degrees[id]
	if *d == math.MaxUint16 {
		return
	}
	if *d--; *d == 0 {
		g.w.orphans = append(g.w.orphans, id)
	}
}

// addLink makes p link to node, and gives up the least useful link when p's list is full.
func (g *Graph) addLink(p uint32, level int, node uint32) {
	list := g.list(p, level)
	n := lengthOf(list)
	if n < len(list) {
		g.appendLink(list, n, level, node)
		return
	}
	ids := append(append(make([]uint32, 0, linksBase+1), list...), node)
	ranked := g.rank(p, ids)
	g.setLinks(p, level, g.choose(ranked, g.scale(p), len(list), len(list)/2))
}

// appendLink writes the end of the list first: what lies behind the old end is left over (H2).
func (g *Graph) appendLink(list []uint32, n, level int, node uint32) {
	if n+1 < len(list) {
		atomic.StoreUint32(&list[n+1], sentinel)
	}
	atomic.StoreUint32(&list[n], node)
	if level == 0 {
		g.gain(node)
	}
}

// adoptOrphans gives each node that lost its last link a new one (H6): from one of those that it links to, which are
// near, or else from others around it.
func (g *Graph) adoptOrphans() {
	w := &g.w
	for len(w.orphans) > 0 {
		id := w.orphans[len(w.orphans)-1]
		w.orphans = w.orphans[:len(w.orphans)-1]
		if w.degrees[id] > 0 || g.isGone(id) {
			continue
		}
		list := g.list(id, 0)
		parents := append(make([]uint32, 0, linksBase), list[:lengthOf(list)]...)
		if !g.adopt(id, parents) {
			g.attach(id)
		}
	}
}

// adopt makes the first that can of parents link to the node: one with room, or with a link that its target can spare.
func (g *Graph) adopt(id uint32, parents []uint32) bool {
	for _, p := range parents {
		if p == id || g.isGone(p) {
			continue
		}
		list := g.list(p, 0)
		n := lengthOf(list)
		switch {
		case contains(list[:n], id):
			return true
		case n < len(list):
			g.appendLink(list, n, 0, id)
			return true
		case g.replaceLink(p, list, id):
			return true
		}
	}
	return false
}

func contains(list []uint32, id uint32) bool { return slices.Contains(list, id) }

// replaceLink puts id in place of p's farthest link whose target has another.
func (g *Graph) replaceLink(p uint32, list []uint32, id uint32) bool {
	ranked := g.rank(p, list)
	for i := len(ranked) - 1; i >= 0; i-- {
		if target := ranked[i].id; g.w.degrees[target] > 1 {
			g.gain(id)
			atomic.StoreUint32(&list[slices.Index(list, target)], id)
			g.lose(target)
			return true
		}
	}
	return false
}
