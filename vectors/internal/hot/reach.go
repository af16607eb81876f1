package hot

// reach follows the links of level 0 from the entry, in steps, and links to what it did not meet. Links that change
// meanwhile can hide a node from it or make it link to one without need; neither does harm, and the next pass sees to it.
type reach struct {
	seen   bitset
	queue  []uint32
	cursor uint32 // nodes below it have been met or linked to
	Missed int    // nodes that had to be linked to
}

func (r *reach) begin(g *Graph) {
	r.seen, r.queue, r.cursor, r.Missed = r.seen[:0], r.queue[:0], 0, 0
	clear(r.seen[:cap(r.seen)])
	if node, _, ok := g.start(); ok {
		r.meet(node)
	} else {
		r.cursor = g.nodes.Load()
	}
}

func (r *reach) meet(id uint32) {
	if r.seen.add(id) {
		r.queue = append(r.queue, id)
	}
}

// step follows at most budget nodes and returns true at the end.
func (r *reach) step(g *Graph, budget int) (done bool) {
	for ; budget > 0; budget-- {
		if n := len(r.queue); n > 0 {
			id := r.queue[n-1]
			r.queue = r.queue[:n-1]
			for _, next := range g.list(id, 0)[:lengthOf(g.list(id, 0))] {
				r.meet(next)
			}
			continue
		}
		if r.cursor >= g.nodes.Load() {
			return true
		}
		id := r.cursor
		r.cursor++
		if r.seen.has(id) || g.isGone(id) {
			continue
		}
		r.Missed++
		g.attach(id)
		r.meet(id)
	}
	return false
}

// attach makes one of the nodes nearest to id, among those that can be reached, link to it; and id to some of them when it
// has few links itself.
func (g *Graph) attach(id uint32) {
	s := g.ready()
	near := g.around(s, id)
	if len(near) == 0 {
		return
	}
	list := g.list(id, 0)
	if n := lengthOf(list); n < linksUpper/2 {
		ids := append(make([]uint32, 0, 2*linksBase), list[:n]...)
		for _, other := range near[:min(len(near), linksBase)] {
			if !contains(ids, other) {
				ids = append(ids, other)
			}
		}
		g.setLinks(id, 0, g.choose(g.rank(id, ids), g.scale(id), linksUpper, linksUpper/2))
	}
	g.adopt(id, near)
}

// around returns the nodes nearest to id that can be reached from the entry, without id.
func (g *Graph) around(s *search, id uint32) []uint32 {
	node, level, ok := g.start()
	if !ok {
		return nil
	}
	s.codes, s.skip = append(s.codes[:0], g.code(id)...), noNode
	s.scale = g.scale(id)
	s.match = matcher{active: true}
	node = g.descend(s, node, level, 0)
	s.begin(g.Nodes(), 64)
	g.seed(s, node)
	g.walk(s, 0, unbounded)
	near := make([]uint32, 0, len(s.pool))
	for _, e := range s.pool {
		if other := nodeOf(e); other != id && e&matchBit != 0 && !g.isGone(other) {
			near = append(near, other)
		}
	}
	return near
}
