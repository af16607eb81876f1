package lexical

import (
	"slices"
	"sort"
)

// tfMax is where counting a word's repeats within a document stops; two bits hold it.
const tfMax = 4

// posting is the list of one term. docs ascend; codes runs beside it (L4: both only grow).
type posting struct {
	docs  []uint32
	codes []uint8
	df    uint32       // live documents in docs
	best  [tfMax]uint8 // shortest length bucket seen for tf 1, 2, 3, 4 and more; 0 for none
	term  string
}

// codeOf packs what a score needs to know of a word in a document into one byte.
func codeOf(tf int, bucket uint8) uint8 { return uint8(min(tf, tfMax)-1)<<6 | bucket }

func tfOf(code uint8) int { return int(code>>6) + 1 }

// find returns where ordinal stands, or would stand, in the list.
func (p *posting) find(ordinal uint32) (int, bool) { return slices.BinarySearch(p.docs, ordinal) }

// insert puts ordinal in its place. Below the end that means new slices, never moved elements.
func (p *posting) insert(ordinal uint32, code uint8) {
	p.note(code)
	if n := len(p.docs); n == 0 || p.docs[n-1] < ordinal {
		p.docs, p.codes = append(p.docs, ordinal), append(p.codes, code)
		return
	}
	i, found := p.find(ordinal)
	if found {
		return
	}
	docs, codes := make([]uint32, len(p.docs)+1), make([]uint8, len(p.docs)+1)
	copy(docs, p.docs[:i])
	copy(codes, p.codes[:i])
	docs[i], codes[i] = ordinal, code
	copy(docs[i+1:], p.docs[i:])
	copy(codes[i+1:], p.codes[i:])
	p.docs, p.codes = docs, codes
}

// note lowers the bound that the search prunes with. After removals it may be lower than needed,
// which costs speed and never a hit; a sweep makes it exact again.
func (p *posting) note(code uint8) {
	class, bucket := code>>6, code&63
	if p.best[class] == 0 || bucket < p.best[class] {
		p.best[class] = bucket
	}
}

// without returns the list without the ordinals of gone (ascending, the same as in dead), with df
// counted over live, or false when none of them is in it.
func (p *posting) without(gone []uint32, dead, live bitset) (posting, bool) {
	if !p.touches(gone, dead) {
		return *p, false
	}
	kept := posting{
		term:  p.term,
		docs:  make([]uint32, 0, len(p.docs)),
		codes: make([]uint8, 0, len(p.docs)),
	}
	for i, ordinal := range p.docs {
		if dead.has(ordinal) {
			continue
		}
		kept.docs, kept.codes = append(kept.docs, ordinal), append(kept.codes, p.codes[i])
		kept.note(p.codes[i])
		if live.has(ordinal) {
			kept.df++
		}
	}
	return kept, true
}

func (p *posting) touches(gone []uint32, dead bitset) bool {
	if len(p.docs) < len(gone) {
		return slices.ContainsFunc(p.docs, dead.has)
	}
	rest := p.docs
	for _, ordinal := range gone {
		i := sort.Search(len(rest), func(i int) bool { return rest[i] >= ordinal })
		if rest = rest[i:]; len(rest) == 0 {
			return false
		}
		if rest[0] == ordinal {
			return true
		}
	}
	return false
}
