package hot

import (
	"fmt"
	"slices"
)

// Scan returns the k nearest by a scan of codes with exact scores.
func (g *Graph) Scan(v Vector, k int) []Hit {
	s := g.begin(v)
	defer g.end(s, g.epochs.enter())
	s.best.reset(min(k, g.Len()))
	g.scan(s, Query{Vector: v}, false)
	return s.best.appendTo(nil)
}

// Slots returns how many slots are free or retired.
func (g *Graph) Slots() int { return len(g.w.slots.queue) + len(g.w.free) }

// Check returns the first breach of the invariants, and how many live nodes no way on level 0 leads to from the entry.
// No search and no writer runs meanwhile.
func (g *Graph) Check() (unreachable int, err error) {
	n := g.nodes.Load()
	degrees := make([]uint16, n)
	for id := range n {
		if g.isGone(id) {
			if g.alive(id) {
				return 0, fmt.Errorf("node %d is gone and has keys", id)
			}
			continue
		}
		level, _ := g.place(id)
		for l := range level + 1 {
			list := g.list(id, l)
			list = list[:lengthOf(list)]
			if err := g.checkList(id, l, list); err != nil {
				return 0, err
			}
			if l == 0 {
				for _, to := range list {
					degrees[to]++
				}
			}
		}
	}
	node, top, ok := g.start()
	for id := range n {
		if degrees[id] != g.w.degrees[id] && !g.isGone(id) {
			return 0, fmt.Errorf("node %d: %d links to it, counted %d", id, degrees[id], g.w.degrees[id])
		}
		if level, _ := g.place(id); g.alive(id) && level > top {
			return 0, fmt.Errorf("node %d of level %d is above the entry, %d", id, level, top)
		}
		if g.alive(id) && degrees[id] == 0 && id != node {
			return 0, fmt.Errorf("node %d: nothing links to it (H6)", id)
		}
	}
	if !ok {
		return g.Len(), nil
	}
	seen := bitset{}
	seen.add(node)
	queue := []uint32{node}
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, to := range g.list(id, 0)[:lengthOf(g.list(id, 0))] {
			if seen.add(to) {
				queue = append(queue, to)
			}
		}
	}
	for id := range n {
		if g.alive(id) && !seen.has(id) {
			unreachable++
		}
	}
	return unreachable, nil
}

func (g *Graph) checkList(id uint32, l int, list []uint32) error {
	for i, to := range list {
		if to >= g.nodes.Load() || g.isGone(to) {
			return fmt.Errorf("node %d level %d: link to %d, which is gone", id, l, to)
		}
		level, _ := g.place(to)
		if level < l {
			return fmt.Errorf("node %d level %d: link to %d of level %d (H5)", id, l, to, level)
		}
		if to == id || slices.Contains(list[:i], to) {
			return fmt.Errorf("node %d level %d: link to itself or twice: %v (H5)", id, l, list)
		}
	}
	return nil
}

// EntryKey returns the first key of the entry.
func (g *Graph) EntryKey() uint32 {
	node, _, _ := g.start()
	return uint32(g.firstKey(node) >> 32)
}

// Costs returns what the planner weighs.
func (g *Graph) Costs() Costs { return g.plan.known.Load().costs }

// Isolate takes away all links from other nodes to those of keys below n.
func (g *Graph) Isolate(n uint32) {
	for id := range g.nodes.Load() {
		if uint32(g.firstKey(id)>>32) < n {
			continue
		}
		list := g.list(id, 0)
		left := slices.DeleteFunc(slices.Clone(list[:lengthOf(list)]), func(to uint32) bool { return uint32(g.firstKey(to)>>32) < n })
		g.setLinks(id, 0, left)
	}
	g.w.orphans = nil
}
