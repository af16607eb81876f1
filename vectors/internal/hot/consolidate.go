package hot

import (
	"slices"
	"sync/atomic"
)

// A consolidation takes dead nodes out of the graph in steps, between which vectors may be inserted and keys taken out:
//
//  1. It buries the nodes that are dead now. They lead the way until the end; no new link to them is made.
//  2. Every other node that links to one, on any level, chooses again: from its own living links and those that its
//     dead links lead to. A link to a buried node is then nowhere.
//  3. The entry, if buried, gives way to a highest node.
//  4. Nodes that nothing links to, or that no way leads to from the entry, are linked to again.
//  5. The slots are retired (H4).
const (
	idle = iota // the phases
	repairing
	reaching
)

// grave is the state of a consolidation.
type grave struct {
	phase  atomic.Uint32 // a phase; Consolidating reads it
	nodes  []uint32
	gone   bitset // the nodes above, and slots that are free
	cursor uint32
	reach  reach
	near   []uint32 // memory of repair
	seen   bitset
}

// isGone says that a node is being taken out, or that its slot is free.
func (g *Graph) isGone(id uint32) bool { return g.w.grave.gone.has(id) }

// Consolidate takes one step of about budget repaired lists, or 64 times as many that need none, and returns false when
// nothing is left to do. Called again and again it takes out all dead nodes, and finds and links what cannot be reached.
func (g *Graph) Consolidate(budget int) (more bool) {
	s := &g.w.grave
	g.sweep()
	switch s.phase.Load() {
	case idle:
		if !g.beginGrave() {
			return false
		}
	case repairing:
		if g.repairSome(budget) {
			g.moveEntry()
			g.forgetLinks()
			g.w.s.match = matcher{}
			s.reach.begin(g)
			s.phase.Store(reaching)
		}
	case reaching:
		if s.reach.step(g, 64*budget) {
			g.endGrave()
		}
	}
	g.adoptOrphans()
	return true
}

// Probe has the next steps of Consolidate look for nodes that cannot be reached, also when none is dead; it does nothing while
// they already are at something.
func (g *Graph) Probe() {
	if s := &g.w.grave; s.phase.Load() == idle {
		g.ready()
		s.reach.begin(g)
		s.phase.Store(reaching)
	}
}

// beginGrave takes over what is dead, leaving out what has been bound again.
func (g *Graph) beginGrave() bool {
	s := &g.w.grave
	g.grave.Lock()
	dead := g.grave.nodes
	g.grave.nodes = nil
	g.grave.Unlock()
	s.nodes = s.nodes[:0]
	for _, id := range dead {
		if !g.alive(id) && s.gone.add(id) {
			s.nodes = append(s.nodes, id)
		} else {
			g.dead.Add(-1)
		}
	}
	if len(s.nodes) == 0 {
		return false
	}
	s.cursor = 0
	s.phase.Store(repairing)
	g.ready()
	return true
}

// ready makes the writer's search.
func (g *Graph) ready() *search {
	if g.w.s == nil {
		g.w.s = new(search)
	}
	return g.w.s
}

// repairSome goes on with step 2 and returns true at its end.
func (g *Graph) repairSome(budget int) (done bool) {
	s := &g.w.grave
	for looked := 0; s.cursor < g.nodes.Load(); s.cursor++ {
		if budget <= 0 || looked > 64*64 {
			return false
		}
		looked++
		if s.gone.has(s.cursor) {
			continue
		}
		level, _ := g.place(s.cursor)
		for l := range level + 1 {
			if g.repair(s.cursor, l) {
				budget--
			}
		}
	}
	return true
}

// repair makes a node choose again if it links to a buried one.
func (g *Graph) repair(p uint32, level int) bool {
	s := &g.w.grave
	list := g.list(p, level)
	list = list[:lengthOf(list)]
	if !slices.ContainsFunc(list, s.gone.has) {
		return false
	}
	near := g.survivors(p, level, list)
	if len(near) == 0 {
		g.setLinks(p, level, nil)
		return true
	}
	most := capacity(level)
	g.setLinks(p, level, g.choose(g.rank(p, near), g.scale(p), most, most/2))
	return true
}

// survivors returns what a list leads to when one goes on through buried nodes: at most 512 of them, and 256 nodes.
func (g *Graph) survivors(p uint32, level int, list []uint32) []uint32 {
	const throughMax, nearMax = 512, 256
	s := &g.w.grave
	s.near = s.near[:0]
	met := []uint32{p}
	s.seen.add(p)
	queue := slices.Clone(list)
	through := 0
	for i := 0; i < len(queue) && len(s.near) < nearMax; i++ {
		id := queue[i]
		if !s.seen.add(id) {
			continue
		}
		met = append(met, id)
		if !s.gone.has(id) {
			s.near = append(s.near, id)
			continue
		}
		if through++; through <= throughMax {
			next := g.list(id, level)
			queue = append(queue, next[:lengthOf(next)]...)
		}
	}
	for _, id := range met {
		s.seen.remove(id)
	}
	return s.near
}

// moveEntry makes a highest node that is not buried the entry.
func (g *Graph) moveEntry() {
	node, _, ok := g.start()
	if !ok || !g.isGone(node) {
		return
	}
	best, top := uint32(0), -1
	for id := range g.nodes.Load() {
		if level, _ := g.place(id); level > top && !g.isGone(id) {
			best, top = id, level
		}
	}
	if top < 0 {
		g.entry.Store(0)
		return
	}
	g.setStart(best, top)
}

// forgetLinks takes the buried nodes' links out of the counts; readers that are on such a node may still follow them.
func (g *Graph) forgetLinks() {
	for _, id := range g.w.grave.nodes {
		list := g.list(id, 0)
		for _, target := range list[:lengthOf(list)] {
			g.lose(target)
		}
	}
}

// sweep wipes retired slots that no reader can be looking at any more, and frees them: a removed vector does not linger.
func (g *Graph) sweep() {
	w := &g.w
	for {
		id, ok := w.slots.pop(&g.epochs)
		if !ok {
			return
		}
		clear(g.code(id))
		if g.config.Float {
			v, _ := g.float(id)
			clear(v)
		}
		w.free = append(w.free, id)
	}
}

// endGrave retires the slots.
func (g *Graph) endGrave() {
	s := &g.w.grave
	for _, id := range s.nodes {
		g.w.slots.push(id, &g.epochs)
	}
	g.dead.Add(-int64(len(s.nodes)))
	g.changes.Add(int64(len(s.nodes)))
	s.nodes = s.nodes[:0]
	s.phase.Store(idle)
}

// Consolidating says that a consolidation has begun and is not done.
func (g *Graph) Consolidating() bool { return g.w.grave.phase.Load() != idle }
