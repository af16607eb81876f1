package lexical

import "math/bits"

// bitset is a dense set of ordinals, 64 to a word.
type bitset []uint64

func wordsFor(ordinals int) int { return (ordinals + 63) / 64 }

func (b bitset) has(i uint32) bool {
	return int(i>>6) < len(b) && b[i>>6]>>(i&63)&1 == 1
}

func (b bitset) set(i uint32)   { b[i>>6] |= 1 << (i & 63) }
func (b bitset) clear(i uint32) { b[i>>6] &^= 1 << (i & 63) }

// remove takes the members of other out of b.
func (b bitset) remove(other bitset) {
	for i := range min(len(b), len(other)) {
		b[i] &^= other[i]
	}
}

// keep takes out of b what is not in other.
func (b bitset) keep(other bitset) {
	for i := range b {
		if i < len(other) {
			b[i] &= other[i]
		} else {
			b[i] = 0
		}
	}
}

// next returns the first member at or after i.
func (b bitset) next(i uint32) (uint32, bool) {
	w := int(i >> 6)
	if w >= len(b) {
		return 0, false
	}
	if rest := b[w] >> (i & 63); rest != 0 {
		return i + uint32(bits.TrailingZeros64(rest)), true
	}
	for w++; w < len(b); w++ {
		if b[w] != 0 {
			return uint32(w<<6 + bits.TrailingZeros64(b[w])), true
		}
	}
	return 0, false
}
