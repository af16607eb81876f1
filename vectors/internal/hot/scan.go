package hot

import "unsafe"

// scan compares the query with everything that matches: the keys of the filter one by one, or all rows in their order.
//
// In the int8 form the answer is exact. In the float32 form codes choose what is scored exactly, unless the query asks
// for exactness: then every vector is.
func (g *Graph) scan(s *search, q Query, byKey bool) {
	s.use(g, q.Filter)
	s.match.active = true
	if g.config.Float && !q.Exact {
		s.begin(0, 64+4*s.best.size)
	} else {
		s.begin(0, 0)
	}
	if byKey {
		g.scanKeys(s, q)
	} else {
		g.scanRows(s, q, g.nodes.Load())
	}
	if g.config.Float && !q.Exact {
		g.rescore(s)
	}
}

// scanKeys looks up the filter's keys.
func (g *Graph) scanKeys(s *search, q Query) {
	s.iter.Initialize(q.Filter)
	for {
		n := s.iter.NextMany(s.keys[:])
		if n == 0 {
			return
		}
		found := 0
		for _, key := range s.keys[:n] {
			if id, ok := g.keys.get(key); ok {
				s.ids[found], s.keys[found] = id, key
				found++
			}
		}
		g.compareKeys(s, q, found)
	}
}

// compareKeys scores s.keys[:n], whose nodes are s.ids[:n].
func (g *Graph) compareKeys(s *search, q Query, n int) {
	if g.config.Float && q.Exact {
		for i, id := range s.ids[:n] {
			s.best.offer(g.similarity(s, id), s.keys[i])
		}
		return
	}
	const ahead = 16
	for from := 0; from < n; from += ahead {
		to := min(from+ahead, n)
		g.k.Prefetch(g.codeRows, s.ids[to:min(to+ahead, n)])
		g.k.DotI8(s.codes, g.codeRows, s.ids[from:to], s.dots[from:to])
	}
	s.visits += n
	for i, id := range s.ids[:n] {
		if g.config.Float {
			s.offer(entry(order(g.nearness(s, i)), id) | matchBit)
		} else if g.mayRank(s, i) {
			s.best.offer(g.similarity(s, id), s.keys[i])
		}
	}
}

// mayRank says whether row i of the window, given its nearness, could enter the ranking. The nearness is the cosine with
// relative errors of float32: a margin makes up for them.
func (g *Graph) mayRank(s *search, i int) bool {
	if len(s.best.heap) < s.best.size {
		return true
	}
	const margin = 1e-5
	return g.nearness(s, i)*float32(s.inverse)+margin >= unorder(uint32(s.best.heap[0]>>32))
}

// scanRows compares the first n rows, a window at a time.
func (g *Graph) scanRows(s *search, q Query, n uint32) {
	for from := uint32(0); from < n; from += windowRows { // a chunk's rows are a multiple of the window's
		to := min(from+windowRows, n)
		if g.config.Float && q.Exact {
			g.compareFloats(s, from, to)
			continue
		}
		rows := unsafe.Slice((*int8)(at(g.codes, from, uintptr(g.stride))), int(to-from)*g.stride)
		g.k.DotI8Rows(s.codes, rows, s.dots[:to-from])
		s.visits += int(to - from)
		for id := from; id < to; id++ {
			g.offerRow(s, int(id-from), id)
		}
	}
}

func (g *Graph) compareFloats(s *search, from, to uint32) {
	for id := from; id < to; id++ {
		if s.match.matches(g, id) {
			g.offerKeys(s, id, g.similarity(s, id))
		}
	}
}

// offerRow offers node id, row i of the window.
func (g *Graph) offerRow(s *search, i int, id uint32) {
	s.ids[i] = id
	if !g.config.Float {
		if g.mayRank(s, i) && id != s.skip && s.match.matches(g, id) {
			g.offerKeys(s, id, g.similarity(s, id))
		}
		return
	}
	e := entry(order(g.nearness(s, i)), id) | matchBit
	if s.matched == s.ef && e >= s.pool[len(s.pool)-1] {
		return
	}
	if id != s.skip && s.match.matches(g, id) {
		s.offer(e)
	}
}
