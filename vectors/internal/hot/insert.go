package hot

import (
	"slices"
	"sync/atomic"
)

// writer is what the writer of links has for itself.
type writer struct {
	s       *search
	degrees []uint16               // links to each node on level 0
	slots   retired                // nodes to be wiped
	free    []uint32               // nodes to be used again
	uppers  [levelMax + 1][]uint32 // first rows in upper to be used again, by level
	rows    int                    // of upper

	forward [levelMax + 1][]uint32
	orphans []uint32 // lost their last link on level 0

	// Memory of choose.
	rest    []candidate
	passed  []candidate
	ids     []uint32
	dots    []int32
	chosen  []uint32
	entries []uint64
	grave   grave
}

// Insert puts a vector into the graph and returns its node, which Bind makes an answer: the node of an equal vector if
// there is one, and otherwise a new one on the level that key gives. Errors: the system's when it has no memory, or
// mem.ErrRowsMax; the graph is then as it was.
func (g *Graph) Insert(key uint32, v Vector) (node uint32, err error) {
	w := &g.w
	if w.s == nil {
		w.s = new(search)
	}
	s := w.s
	s.prepare(g, v)
	defer s.release()
	level := g.levelOf(key)
	if err := g.reserve(); err != nil {
		return 0, err
	}
	if twin, ok := g.prepareLinks(s, level); ok {
		return twin, nil
	}
	node = g.newNode(s, level)
	g.changes.Add(1)
	g.publish(node, level)
	g.linkBack(node, level)
	return node, nil
}

// reserve makes room for one node on every level.
func (g *Graph) reserve() error {
	n := g.Nodes() + 1
	for _, t := range g.tables() {
		switch t {
		case nil, g.upper, g.posts:
			continue
		}
		if err := t.Grow(n); err != nil {
			return err
		}
	}
	return g.upper.Grow(g.w.rows + levelMax)
}

// prepareLinks finds what a new node on a level is to link to, on each level, and puts it into forward. It returns the
// node of an equal vector if it met one.
func (g *Graph) prepareLinks(s *search, level int) (twin uint32, ok bool) {
	w := &g.w
	for l := range w.forward {
		w.forward[l] = w.forward[l][:0]
	}
	node, top, ok := g.start()
	if !ok {
		return 0, false
	}
	s.use(g, nil)
	node = g.descend(s, node, top, level)
	for l := min(level, top); l >= 0; l-- {
		s.begin(g.Nodes(), efBuild)
		g.seed(s, node)
		g.walk(s, l, unbounded)
		node = nodeOf(s.pool[0])
		if l == 0 {
			if s.matched == 0 && g.Len() > 0 { // cut off from all that live: look at everything
				g.scanAll(s)
			}
			if twin, ok := g.twin(s); ok {
				return twin, true
			}
		}
		w.forward[l] = append(w.forward[l], g.choose(g.candidates(s), s.scale, linksUpper, linksLeast)...)
	}
	return 0, false
}

// scanAll fills the pool with the nearest of all nodes that live.
func (g *Graph) scanAll(s *search) {
	s.begin(0, efBuild)
	s.match.active = true
	for id := range g.nodes.Load() {
		if g.alive(id) {
			s.ids[0] = id
			g.compare(s, 1)
			s.offer(g.marked(s, order(g.nearness(s, 0)), id))
		}
	}
}

// twin returns the node of an equal vector, which is among the first of the pool.
func (g *Graph) twin(s *search) (node uint32, ok bool) {
	const look = 8
	for _, e := range s.pool[:min(look, len(s.pool))] {
		if id := nodeOf(e); e&matchBit != 0 && g.equal(s, id) {
			return id, true
		}
	}
	return 0, false
}

func (g *Graph) equal(s *search, id uint32) bool {
	if !slices.Equal(s.codes, g.code(id)) {
		return false
	}
	if !g.config.Float {
		return true
	}
	v, _ := g.float(id)
	return slices.Equal(s.vector.Float, v)
}

// candidates returns the matching entries of the pool.
func (g *Graph) candidates(s *search) []candidate {
	rest := g.w.rest[:0]
	for _, e := range s.pool {
		if e&matchBit != 0 {
			rest = append(rest, candidate{id: nodeOf(e), near: unorder(uint32(e >> 32))})
		}
	}
	g.w.rest = rest
	return rest
}

// newNode writes a node that nothing links to yet (H1), with its links.
func (g *Graph) newNode(s *search, level int) uint32 {
	w := &g.w
	g.sweep()
	id, reused := uint32(0), len(w.free) > 0
	if reused {
		id = g.reuse()
	} else {
		id = g.nodes.Load()
		w.degrees = append(w.degrees, 0)
	}
	w.degrees[id] = 0
	copy(g.code(id), s.codes)
	*(*float32)(at(g.scales, id, 4)) = s.scale
	if g.config.Float {
		v, inverse := g.float(id)
		copy(v, s.vector.Float)
		*inverse = s.inverse
	}
	*(*uint32)(at(g.levels, id, 4)) = uint32(level)<<28 | g.newUpper(level)
	for l := level; l >= 0; l-- {
		list := g.list(id, l)
		for i := range list {
			atomic.StoreUint32(&list[i], sentinel)
		}
		g.setLinks(id, l, w.forward[l])
	}
	if !reused {
		g.nodes.Store(id + 1)
	}
	return id
}

// reuse takes a free slot, and back its rows of upper.
func (g *Graph) reuse() uint32 {
	w := &g.w
	id := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	w.grave.gone.remove(id)
	if level, base := g.place(id); level > 0 {
		w.uppers[level] = append(w.uppers[level], base)
	}
	return id
}

func (g *Graph) newUpper(level int) uint32 {
	w := &g.w
	if level == 0 {
		return 0
	}
	if free := w.uppers[level]; len(free) > 0 {
		w.uppers[level] = free[:len(free)-1]
		return free[len(free)-1]
	}
	base := w.rows
	w.rows += level
	return uint32(base)
}

// publish makes the node the entry when it is the first or the highest, or when none of those before it live.
func (g *Graph) publish(node uint32, level int) {
	_, top, ok := g.start()
	if !ok || level > top || len(g.w.forward[0]) == 0 {
		g.setStart(node, level)
	}
}

// linkBack makes the neighbours link to the node, level 0 first (H1).
func (g *Graph) linkBack(node uint32, level int) {
	for l := 0; l <= level; l++ {
		for _, neighbour := range g.w.forward[l] {
			g.addLink(neighbour, l, node)
		}
	}
	if g.w.degrees[node] == 0 && len(g.w.forward[0]) > 0 {
		g.w.orphans = append(g.w.orphans, node)
	}
	g.adoptOrphans()
}
