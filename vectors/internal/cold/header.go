package cold

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

const (
	fileMagic   = "mbrncold"
	fileVersion = 1

	metaOffset    = 512
	sectionsStart = 64
	sectionBytes  = 24
	sections      = 7
	headerSum     = pageBytes - sumBytes
	widthMax      = 1 << 16
	slackMax      = 2 // between two cosines
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header is the first page of a file.
type header struct {
	layout
	width   int
	rescore int
	recall  float32
	slack   float32
	sums    [4]uint32 // of the sections that are read at open: entries, navigation, keys, sums of buckets
	meta    []byte
}

// ranges lists the sections of the file in order.
func (h *header) ranges() [sections]section {
	paged := func(t *table) section { return section{t.offset, t.bytes()} }
	return [sections]section{
		h.entryIDs, h.nav, h.keys, h.layout.sums, paged(&h.blocks), paged(&h.pairs), paged(&h.floats),
	}
}

// page returns the bytes of the header.
func (h *header) page() []byte {
	b := make([]byte, pageBytes)
	le := binary.LittleEndian
	copy(b, fileMagic)
	le.PutUint16(b[8:], fileVersion)
	b[10], b[11] = byte(h.form), byte(h.navBits)
	le.PutUint32(b[12:], uint32(h.dim))
	le.PutUint32(b[16:], uint32(h.n))
	le.PutUint32(b[20:], uint32(h.entries))
	le.PutUint32(b[24:], uint32(h.links))
	le.PutUint32(b[28:], uint32(h.width))
	le.PutUint32(b[32:], uint32(h.rescore))
	if h.exact {
		b[36] = 1
	}
	le.PutUint32(b[40:], uint32(len(h.meta)))
	le.PutUint32(b[44:], math.Float32bits(h.recall))
	le.PutUint64(b[48:], uint64(h.fileBytes))
	le.PutUint32(b[56:], math.Float32bits(h.slack))
	for i, r := range h.ranges() {
		at := b[sectionsStart+i*sectionBytes:]
		le.PutUint64(at, uint64(r.offset))
		le.PutUint64(at[8:], uint64(r.bytes))
		if i < len(h.sums) {
			le.PutUint32(at[16:], h.sums[i])
		}
	}
	copy(b[metaOffset:], h.meta)
	le.PutUint32(b[headerSum:], crc32.Checksum(b[:headerSum], castagnoli))
	return b
}

// parseHeader reads the first page of a file of size bytes. No number in it is believed before the checksum and the size
// have confirmed it, and a header that this package would not write is refused.
func parseHeader(b []byte, size int64) (*header, error) {
	le := binary.LittleEndian
	if len(b) < pageBytes || !bytes.HasPrefix(b, []byte(fileMagic)) {
		return nil, errors.New("not a cold shard")
	}
	if v := le.Uint16(b[8:]); v != fileVersion {
		return nil, fmt.Errorf("format version %d, this program reads %d", v, fileVersion)
	}
	if want, got := le.Uint32(b[headerSum:]), crc32.Checksum(b[:headerSum], castagnoli); want != got {
		return nil, fmt.Errorf("header checksum %08x, want %08x", got, want)
	}
	s := shape{
		form: Form(b[10]), navBits: int(b[11]), exact: b[36] == 1,
		dim: int(le.Uint32(b[12:])), n: int(le.Uint32(b[16:])), entries: int(le.Uint32(b[20:])),
	}
	h := &header{
		width: int(le.Uint32(b[28:])), rescore: int(le.Uint32(b[32:])), recall: math.Float32frombits(le.Uint32(b[44:])),
		slack: math.Float32frombits(le.Uint32(b[56:])),
	}
	meta := int(le.Uint32(b[40:]))
	if err := s.check(); err != nil {
		return nil, err
	}
	if h.width < 1 || h.width > widthMax || h.rescore < 1 || h.rescore > widthMax || meta < 0 || meta > MetaMax || !(h.slack >= 0 && h.slack <= slackMax) {
		return nil, fmt.Errorf("width %d, rescore %d, slack %v, %d bytes of meta: out of range", h.width, h.rescore, h.slack, meta)
	}
	h.layout = s.layout()
	for i := range h.sums {
		h.sums[i] = le.Uint32(b[sectionsStart+i*sectionBytes+16:])
	}
	h.meta = bytes.Clone(b[metaOffset : metaOffset+meta])
	if h.fileBytes != size {
		return nil, fmt.Errorf("%d bytes, the header's vectors take %d", size, h.fileBytes)
	}
	if !bytes.Equal(h.page(), b[:pageBytes]) {
		return nil, errors.New("the header's numbers do not fit each other")
	}
	return h, nil
}

func (s shape) check() error {
	form := s.form == FormInt8 || s.form == FormFloat32
	bits := s.navBits == navBitsFine || s.navBits == navBitsCoarse
	if !form || !bits || s.dim < 1 || s.dim > DimMax || s.n < 0 || s.n > VectorsMax || s.entries < 0 || s.entries > s.n {
		return fmt.Errorf("form %d, %d bits, dimension %d, %d vectors, %d entries: out of range", s.form, s.navBits, s.dim, s.n, s.entries)
	}
	if s.exact && s.form != FormFloat32 || s.n > 0 && s.entries == 0 {
		return errors.New("rows beside codes, or no entry to the graph: never written")
	}
	return nil
}
