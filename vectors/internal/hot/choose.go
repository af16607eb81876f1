package hot

import (
	"cmp"
	"slices"
)

// candidate is a node that may be linked to, and its nearness to the node that chooses.
type candidate struct {
	id    uint32
	near  float32
	ratio float32 // of one passed over: how far it is from the one it was passed over for, of how far from the chooser
}

// choose returns at most limit of the candidates, which are sorted, nearest first: those that are nearer to the node that
// chooses than to any one chosen before (the paper's heuristic), so that links lead in all directions and a group of equals gets
// one link and no more. Were there fewer than least, those make up for it that were passed over by the smallest margin: they
// are the far ones. (The nearest in their place leave a stranger beside a crowd of near-duplicates unfound: of 20
// beside 500, searches of width 16 then miss nine, and so none.) scale is the choosing node's. The candidates' memory is used
// up; the result is valid until the next call.
func (g *Graph) choose(from []candidate, scale float32, limit, least int) []uint32 {
	w := &g.w
	rest, passed, chosen := from, w.passed[:0], w.chosen[:0]
	for len(rest) > 0 && len(chosen) < limit {
		taken := rest[0].id
		chosen = append(chosen, taken)
		rest = rest[1:]
		if len(chosen) < limit && len(rest) > 0 {
			rest, passed = g.passOver(taken, rest, scale, passed)
		}
	}
	if len(chosen) < least {
		slices.SortStableFunc(passed, func(a, b candidate) int { return cmp.Compare(b.ratio, a.ratio) })
		for _, c := range passed[:min(len(passed), least-len(chosen))] {
			chosen = append(chosen, c.id)
		}
	}
	w.passed, w.chosen = passed[:0], chosen
	return chosen
}

// passOver moves those candidates to passed that are as near to taken as to the node that chooses, or nearer.
func (g *Graph) passOver(taken uint32, rest []candidate, scale float32, passed []candidate) (kept, all []candidate) {
	w := &g.w
	w.ids = w.ids[:0]
	for _, c := range rest {
		w.ids = append(w.ids, c.id)
	}
	w.dots = slices.Grow(w.dots[:0], len(rest))[:len(rest)]
	g.k.DotI8(g.code(taken), g.codeRows, w.ids, w.dots)
	factor := g.scale(taken)
	kept = rest[:0]
	for i, c := range rest {
		// near is a product with the candidate's scale, but without the chooser's.
		between, own := float32(w.dots[i])*factor*g.scale(c.id), c.near*scale
		if between >= own {
			c.ratio = (1 - between) / max(1-own, 1e-6)
			passed = append(passed, c)
		} else {
			kept = append(kept, c)
		}
	}
	return kept, passed
}

// rank returns the nodes as candidates of node p, nearest first.
func (g *Graph) rank(p uint32, ids []uint32) []candidate {
	w := &g.w
	w.dots = slices.Grow(w.dots[:0], len(ids))[:len(ids)]
	g.k.DotI8(g.code(p), g.codeRows, ids, w.dots)
	w.entries = w.entries[:0]
	for i, id := range ids {
		w.entries = append(w.entries, entry(order(float32(w.dots[i])*g.scale(id)), id))
	}
	slices.Sort(w.entries)
	w.rest = w.rest[:0]
	for _, e := range w.entries {
		w.rest = append(w.rest, candidate{id: nodeOf(e), near: unorder(uint32(e >> 32))})
	}
	return w.rest
}
