package hot

import (
	"math"
	"sync/atomic"
)

// compare sets s.dots to the products of the query and the nodes of s.ids[:n].
func (g *Graph) compare(s *search, n int) {
	g.k.DotI8(s.codes, g.codeRows, s.ids[:n], s.dots[:])
	s.visits += n
}

// nearness is what the walk sorts by: the cosine with the query's codes, but for a factor that is the same for all.
func (g *Graph) nearness(s *search, i int) float32 { return float32(s.dots[i]) * g.scale(s.ids[i]) }

// seed puts a node into the pool as where the walk starts.
func (g *Graph) seed(s *search, id uint32) {
	s.visited[id] = s.epoch
	s.ids[0] = id
	g.compare(s, 1)
	s.offer(g.marked(s, order(g.nearness(s, 0)), id))
}

// marked returns the entry with its match bit.
func (g *Graph) marked(s *search, o, id uint32) uint64 {
	e := entry(o, id)
	if !s.match.active || s.match.matches(g, id) {
		e |= matchBit
	}
	return e
}

// descend walks greedily from the entry to the nearest node it finds on the level above `to`, and returns it.
func (g *Graph) descend(s *search, node uint32, level, to int) uint32 {
	if level <= to {
		return node
	}
	s.ids[0] = node
	g.compare(s, 1)
	near := g.nearness(s, 0)
	for ; level > to; level-- {
		for moved := true; moved; {
			moved = false
			n := linksOf(g.list(node, level), s.ids[:])
			if n == 0 {
				break
			}
			g.k.Prefetch(g.codeRows, s.ids[:n])
			g.compare(s, n)
			for i, id := range s.ids[:n] {
				if x := g.nearness(s, i); x > near {
					near, node, moved = x, id, true
				}
			}
		}
	}
	return node
}

// linksOf copies a list's links, each read once, and returns how many there are (H2).
func linksOf(list, dst []uint32) int {
	for i := range list {
		id := atomic.LoadUint32(&list[i])
		if id == sentinel {
			return i
		}
		dst[i] = id
	}
	return len(list)
}

const unbounded = math.MaxInt

// walk expands the best entry of the pool until the best are expanded, and returns false when it gave up because more
// than budget vectors were compared.
func (g *Graph) walk(s *search, level, budget int) bool {
	for next := 0; next < len(s.pool); {
		e := s.pool[next]
		if e&expandedBit != 0 {
			next++
			continue
		}
		s.pool[next] = e | expandedBit
		next++
		n := g.k.FilterPrefetch(g.list(nodeOf(e), level), s.visited, s.epoch, g.codeRows, s.ids[:])
		if n == 0 {
			continue
		}
		if level == 0 && next < len(s.pool) {
			s.one[0] = nodeOf(s.pool[next])
			g.k.Prefetch(g.linkRows, s.one[:])
		}
		g.compare(s, n)
		for i := range n {
			o := order(g.nearness(s, i))
			if s.matched == s.ef && entry(o, s.ids[i]) >= s.pool[len(s.pool)-1] {
				continue
			}
			if place, ok := s.offer(g.marked(s, o, s.ids[i])); ok && place < next {
				next = place
			}
		}
		if s.visits > budget {
			return false
		}
	}
	return true
}
