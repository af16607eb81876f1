package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/membrain-db/membrain/vectors/internal/hot"
)

// The file's layout is drawn in doc.go.
const (
	graphMagic    = "mbrngrph"
	graphVersion  = 1
	graphPage     = 4096
	graphBlock    = 64 << 10
	sectionTail   = hot.Sections // after the graph's own
	graphSections = hot.Sections + 1
)

// graphHeader is the first page, as stored.
type graphHeader struct {
	form      Form
	dim       int
	namespace uint32
	seq       uint64
	embedder  [sha256.Size]byte
	seed      uint64
	meta      hot.Meta
	tail      int    // rows
	sums      uint32 // CRC-32C of the checksums at the file's end
}

// page returns the first page.
func (h graphHeader) page() []byte {
	le := binary.LittleEndian
	b := append(make([]byte, 0, graphPage), graphMagic...)
	b = le.AppendUint16(b, graphVersion)
	b = append(b, byte(h.form), 0)
	b = le.AppendUint32(b, uint32(h.dim))
	b = le.AppendUint32(b, h.namespace)
	b = le.AppendUint64(b, h.seq)
	b = append(b, h.embedder[:]...)
	b = le.AppendUint64(b, h.seed)
	for _, x := range []uint32{h.meta.Nodes, h.meta.Uppers, h.meta.Posts, h.meta.Free, uint32(h.tail)} {
		b = le.AppendUint32(b, x)
	}
	b = le.AppendUint64(b, h.meta.Entry)
	b = le.AppendUint32(b, h.meta.Ef)
	b = le.AppendUint32(b, h.meta.Calibrated)
	b = le.AppendUint64(b, math.Float64bits(h.meta.VisitsPerEf))
	b = le.AppendUint64(b, math.Float64bits(h.meta.Recall))
	b = le.AppendUint64(b, uint64(h.layout().bytes))
	b = binary.NativeEndian.AppendUint32(b, graphPage)
	b = le.AppendUint32(b, h.sums)
	b = b[:graphPage-crcBytes]
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parseGraphPage reads the first page and refuses one that does not fit a file of size bytes (V4).
func parseGraphPage(b []byte, size int64) (graphHeader, error) {
	le := binary.LittleEndian
	if len(b) < graphPage || !bytes.HasPrefix(b, []byte(graphMagic)) {
		return graphHeader{}, errors.New("not a graph index")
	}
	if v := le.Uint16(b[8:]); v != graphVersion {
		return graphHeader{}, fmt.Errorf("format version %d, this program reads %d", v, graphVersion)
	}
	if want, got := le.Uint32(b[graphPage-crcBytes:]), crc32.Checksum(b[:graphPage-crcBytes], castagnoli); want != got {
		return graphHeader{}, fmt.Errorf("header checksum %08x, want %08x", got, want)
	}
	if binary.NativeEndian.Uint32(b[128:]) != graphPage {
		return graphHeader{}, errors.New("written by a machine of another byte order")
	}
	h := graphHeader{
		form: Form(b[10]), dim: int(le.Uint32(b[12:])), namespace: le.Uint32(b[16:]), seq: le.Uint64(b[20:]),
		embedder: [sha256.Size]byte(b[28:60]), seed: le.Uint64(b[60:]),
		meta: hot.Meta{
			Nodes: le.Uint32(b[68:]), Uppers: le.Uint32(b[72:]), Posts: le.Uint32(b[76:]), Free: le.Uint32(b[80:]),
			Entry: le.Uint64(b[88:]), Ef: le.Uint32(b[96:]), Calibrated: le.Uint32(b[100:]),
			VisitsPerEf: math.Float64frombits(le.Uint64(b[104:])), Recall: math.Float64frombits(le.Uint64(b[112:])),
		},
		tail: int(le.Uint32(b[84:])), sums: le.Uint32(b[132:]),
	}
	if h.form != FormInt8 && h.form != FormFloat32 || h.dim < 1 || h.dim > EmbeddingDimMax {
		return graphHeader{}, fmt.Errorf("%v, dimension %d: out of range", h.form, h.dim)
	}
	if stated, own := le.Uint64(b[120:]), h.layout().bytes; stated != uint64(own) || own != size {
		return graphHeader{}, fmt.Errorf("%d bytes, header says %d, its rows take %d", size, stated, own)
	}
	return h, nil
}

// graphLayout says where the sections of a file lie.
type graphLayout struct {
	rowBytes [graphSections]int64
	rows     [graphSections]int64
	starts   [graphSections]int64 // each at a page
	blocks   [graphSections]int   // number of the first block of each
	sums     int64                // where the checksums lie
	count    int                  // of blocks
	bytes    int64                // of the file
}

func (h graphHeader) layout() graphLayout {
	var l graphLayout
	config := Options{Seed: h.seed}.graph(h.dim, h.form)
	at := int64(graphPage)
	for s := range graphSections {
		if s == sectionTail {
			l.rowBytes[s], l.rows[s] = fileHeader{form: h.form, dim: h.dim}.rowBytes(), int64(h.tail)
		} else {
			l.rowBytes[s], l.rows[s] = h.meta.RowBytes(config, s)
		}
		l.starts[s], l.blocks[s] = at, l.count
		size := l.rowBytes[s] * l.rows[s]
		l.count += int((size + graphBlock - 1) / graphBlock)
		at += (size + graphPage - 1) / graphPage * graphPage
	}
	l.sums = at
	l.bytes = at + int64(l.count)*crcBytes
	return l
}

// padding returns the zero bytes that follow a section.
func (l graphLayout) padding(section int) int64 {
	return (graphPage - l.rowBytes[section]*l.rows[section]%graphPage) % graphPage
}
