package brain

import "github.com/membrain-db/membrain/projections/ranking"

// pool collects the candidates of one recall by ordinal. It is used again by later recalls, so a recall allocates
// little; one that is kept for a trace is not given back.
type pool struct {
	list   []ranking.Candidate
	edges  []ranking.Edge
	places []uint64 // by ordinal: epoch in the high half, place in the list in the low one
	epoch  uint32
}

func (p *pool) reset() {
	p.list, p.edges = p.list[:0], p.edges[:0]
	if p.epoch++; p.epoch == 0 { // every mark would look fresh again
		clear(p.places)
		p.epoch = 1
	}
}

// place returns where an ordinal stands in the list, -1 when it does not.
func (p *pool) place(ordinal uint32) int {
	if int(ordinal) >= len(p.places) || p.places[ordinal]>>32 != uint64(p.epoch) {
		return -1
	}
	return int(uint32(p.places[ordinal]))
}

// at returns the candidate of an ordinal, adding it. The pointer is valid until the next call.
func (p *pool) at(ordinal uint32) *ranking.Candidate {
	i := p.place(ordinal)
	if i < 0 {
		i = len(p.list)
		p.mark(ordinal, i)
		p.list = append(p.list, ranking.Candidate{Ordinal: ordinal})
	}
	return &p.list[i]
}

func (p *pool) mark(ordinal uint32, place int) {
	if need := int(ordinal) + 1; need > len(p.places) {
		p.places = append(p.places, make([]uint64, need+need/4-len(p.places))...)
	}
	p.places[ordinal] = uint64(p.epoch)<<32 | uint64(uint32(place))
}

// link notes that an ordinal stands step places after what is at from in their session. It joins the pool when from is
// a lead; otherwise an ordinal that is not in the pool is passed over.
func (p *pool) link(from int, ordinal uint32, step int) {
	to := p.place(ordinal)
	if to < 0 && !p.list[from].Lead {
		return
	}
	if to < 0 {
		p.at(ordinal)
		to = len(p.list) - 1
	}
	p.edges = append(p.edges, ranking.Edge{From: int32(from), To: int32(to), Step: int32(step)})
}
