package lexical

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/membrain-db/membrain/text"
)

const (
	magic         = "MLEX"
	formatVersion = 1
	liveBit       = 1 << 7
)

// Header says what a stored index holds.
type Header struct {
	Namespace uint32 // ordinal of the namespace
	Seq       uint64 // last commit applied to it
}

// frozen is a state of an index that no longer changes (L4). Its terms ascend.
type frozen struct {
	lens    []uint8
	live    bitset
	terms   []posting
	n       int
	sumLen  int64
	lengths *[buckets]uint32
}

// freeze copies the headers of all lists (72 bytes a term), while no writer is at work.
func (x *Index) freeze() frozen {
	x.writer.Lock()
	defer x.writer.Unlock()
	f := frozen{
		lens: slices.Clone(x.lens), live: slices.Clone(x.live), terms: slices.Clone(x.terms),
		n: x.n, sumLen: x.sumLen, lengths: &x.lengths,
	}
	f.terms = slices.DeleteFunc(f.terms, func(p posting) bool { return len(p.docs) == 0 })
	slices.SortFunc(f.terms, func(a, b posting) int { return cmp.Compare(a.term, b.term) })
	return f
}

// Save writes the index to w in the form that doc.go draws. Writers and readers go on meanwhile;
// what is written is the state at the call. Errors: those of w.
func (x *Index) Save(w io.Writer, h Header) error {
	f := x.freeze()
	documents, terms, postings := f.documents(), f.dictionary(), f.postings()
	head := f.header(h, len(documents), len(terms), len(postings))
	for _, section := range [][]byte{head, documents, terms, postings} {
		if _, err := w.Write(sealed(section)); err != nil {
			return fmt.Errorf("save lexical index of namespace %d: %w", h.Namespace, err)
		}
	}
	return nil
}

// sealed returns the section with its checksum.
func sealed(section []byte) []byte {
	return binary.LittleEndian.AppendUint32(section, checksum(section))
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

func (f *frozen) header(h Header, sizes ...int) []byte {
	le := binary.LittleEndian
	b := append([]byte(magic), 0, 0)
	le.PutUint16(b[len(magic):], formatVersion)
	b = append(append(b, byte(len(text.AnalyserVersion))), text.AnalyserVersion...)
	b = le.AppendUint32(b, h.Namespace)
	b = le.AppendUint64(b, h.Seq)
	b = le.AppendUint32(b, uint32(len(f.terms)))
	count := 0
	for i := range f.terms {
		count += len(f.terms[i].docs)
	}
	b = le.AppendUint64(b, uint64(count))
	for _, size := range sizes {
		b = le.AppendUint64(b, uint64(size))
	}
	return b
}

func (f *frozen) documents() []byte {
	b := bytes.Clone(f.lens)
	for ordinal := range b {
		if f.live.has(uint32(ordinal)) {
			b[ordinal] |= liveBit
		}
	}
	return b
}

func (f *frozen) dictionary() []byte {
	var b []byte
	before := ""
	for i := range f.terms {
		term := f.terms[i].term
		shared := 0
		for shared < min(len(before), len(term)) && before[shared] == term[shared] {
			shared++
		}
		b = binary.AppendUvarint(b, uint64(shared))
		b = binary.AppendUvarint(b, uint64(len(term)-shared))
		b = append(b, term[shared:]...)
		b = binary.AppendUvarint(b, uint64(len(f.terms[i].docs)))
		before = term
	}
	return b
}

func (f *frozen) postings() []byte {
	var b []byte
	for i := range f.terms {
		p := &f.terms[i]
		before := int64(-1)
		for j, ordinal := range p.docs {
			distance := uint64(int64(ordinal)-before) << 1
			before = int64(ordinal)
			if p.codes[j] == codeOf(1, f.lens[ordinal]) {
				b = binary.AppendUvarint(b, distance)
			} else {
				b = append(binary.AppendUvarint(b, distance|1), p.codes[j])
			}
		}
	}
	return b
}
