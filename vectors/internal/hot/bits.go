package hot

// bitset is a set of nodes.
type bitset []uint64

func (b bitset) has(id uint32) bool {
	word := int(id >> 6)
	return word < len(b) && b[word]>>(id&63)&1 != 0
}

// add grows the set as needed and reports whether id was new.
func (b *bitset) add(id uint32) bool {
	for int(id>>6) >= len(*b) {
		*b = append(*b, 0)
	}
	word, bit := &(*b)[id>>6], uint64(1)<<(id&63)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

func (b bitset) remove(id uint32) {
	if int(id>>6) < len(b) {
		b[id>>6] &^= 1 << (id & 63)
	}
}
