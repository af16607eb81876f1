package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// Header says what a saved index contains.
type Header struct {
	Namespace  uint32 // ordinal of the namespace
	Seq        uint64 // last commit whose vectors are in the index
	EmbedderID string // which embedder made the vectors; stored as its SHA-256
}

// The file's layout is drawn in doc.go.
const (
	fileMagic       = "mbrnflat"
	fileVersion     = 1
	fileHeaderBytes = 88
	crcBytes        = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileHeader is the header as stored.
type fileHeader struct {
	form      Form
	dim       int
	namespace uint32
	seq       uint64
	embedder  [sha256.Size]byte
	count     int
}

// append appends the 88 bytes of the header.
func (h fileHeader) append(b []byte) []byte {
	start := len(b)
	b = append(b, fileMagic...)
	b = binary.LittleEndian.AppendUint16(b, fileVersion)
	b = append(b, byte(h.form), 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.dim))
	b = binary.LittleEndian.AppendUint32(b, h.namespace)
	b = binary.LittleEndian.AppendUint64(b, h.seq)
	b = append(b, h.embedder[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.count))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.fileBytes()))
	b = append(b, make([]byte, 8)...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// rowBytes is what one row takes in a block.
func (h fileHeader) rowBytes() int64 {
	if h.form == FormInt8 {
		return 4 + int64(h.dim)
	}
	return 4 + 4*int64(h.dim)
}

// fileBytes is the size of the whole file.
func (h fileHeader) fileBytes() int64 {
	blocks := (int64(h.count) + chunkRows - 1) / chunkRows
	return fileHeaderBytes + blocks*crcBytes + int64(h.count)*h.rowBytes()
}

// parseFileHeader reads a header and refuses one that does not fit a file of size bytes (V4).
func parseFileHeader(b []byte, size int64) (fileHeader, error) {
	if len(b) < fileHeaderBytes || !bytes.HasPrefix(b, []byte(fileMagic)) {
		return fileHeader{}, errors.New("not a flat index")
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != fileVersion {
		return fileHeader{}, fmt.Errorf("format version %d, this program reads %d", v, fileVersion)
	}
	want, got := binary.LittleEndian.Uint32(b[84:]), crc32.Checksum(b[:84], castagnoli)
	if want != got {
		return fileHeader{}, fmt.Errorf("header checksum %08x, want %08x", got, want)
	}
	h := fileHeader{
		form:      Form(b[10]),
		dim:       int(binary.LittleEndian.Uint32(b[12:])),
		namespace: binary.LittleEndian.Uint32(b[16:]),
		seq:       binary.LittleEndian.Uint64(b[20:]),
		embedder:  [sha256.Size]byte(b[28:60]),
	}
	count := binary.LittleEndian.Uint64(b[60:])
	if h.form != FormInt8 && h.form != FormFloat32 || h.dim < 1 || h.dim > EmbeddingDimMax || count > math.MaxUint32+1 {
		return fileHeader{}, fmt.Errorf("%v, dimension %d, %d rows: out of range", h.form, h.dim, count)
	}
	h.count = int(count)
	if stated := binary.LittleEndian.Uint64(b[68:]); stated != uint64(h.fileBytes()) || h.fileBytes() != size {
		return fileHeader{}, fmt.Errorf("%d bytes, header says %d, its rows take %d", size, stated, h.fileBytes())
	}
	if b[11] != 0 || !bytes.Equal(b[76:84], make([]byte, 8)) {
		return fileHeader{}, errors.New("reserved bytes of the header are not zero")
	}
	return h, nil
}

// blockChecksum covers a block and its number, so that blocks cannot change places.
func blockChecksum(number uint64, block []byte) uint32 {
	seed := crc32.Checksum(binary.LittleEndian.AppendUint64(nil, number), castagnoli)
	return crc32.Update(seed, castagnoli, block)
}
