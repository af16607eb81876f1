package lexical

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
)

// Digest returns SHA-256 over what counts: n, sumLen, the live ordinals with their lengths, and
// each word with its live postings, in order. Indexes that give the same answers about the present have
// the same digest, however they came about; superseded postings are no part of it.
func (x *Index) Digest() [32]byte {
	f := x.freeze()
	sum := sha256.New()
	w := bufio.NewWriter(sum) // a hash never fails to write
	put := func(v uint64) {
		_, _ = w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), v))
	}
	put(uint64(f.n))
	put(uint64(f.sumLen))
	for ordinal, ok := f.live.next(0); ok; ordinal, ok = f.live.next(ordinal + 1) {
		put(uint64(ordinal)<<8 | uint64(f.lens[ordinal]))
	}
	for i := range f.terms {
		if f.terms[i].df > 0 {
			f.terms[i].digest(w, put, f.live)
		}
	}
	_ = w.Flush()
	return [32]byte(sum.Sum(nil))
}

func (p *posting) digest(w *bufio.Writer, put func(uint64), live bitset) {
	put(uint64(len(p.term)))
	_, _ = w.WriteString(p.term)
	put(uint64(p.df))
	for i, ordinal := range p.docs {
		if live.has(ordinal) {
			put(uint64(ordinal)<<8 | uint64(p.codes[i]))
		}
	}
}
