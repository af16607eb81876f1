package snapshots

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
)

// The layout is drawn in doc.go.
const (
	magic         = "mbrnckpt"
	formatVersion = 1

	preambleBytes    = 16
	headerBytes      = 144
	headBytes        = preambleBytes + headerBytes
	blockHeaderBytes = 17
	trailerBytes     = 61

	kindBlock   = 'B'
	kindTrailer = 'T'

	// blockRawBytes is the size of rows at which a block ends; blockRawBytesMax is what one row more can make of it.
	blockRawBytes    = 1 << 20
	blockRawBytesMax = blockRawBytes + KeyBytesMax + RowBytesMax + 2*binary.MaxVarintLen32
	// payloadBytesMax allows for what zstd adds to bytes that it cannot compress.
	payloadBytesMax = blockRawBytesMax + blockRawBytesMax/128 + 1024
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func checksum(parts ...[]byte) (crc uint32) {
	for _, p := range parts {
		crc = crc32.Update(crc, castagnoli, p)
	}
	return crc
}

// head returns preamble and header of a checkpoint.
func head(m Meta) []byte {
	b := make([]byte, 0, headBytes)
	b = append(b, magic...)
	b = le.AppendUint16(b, formatVersion)
	b = le.AppendUint16(b, headerBytes)
	b = le.AppendUint32(b, checksum(b))
	b = append(b, m.StoreID[:]...)
	b = le.AppendUint64(b, m.Epoch)
	b = le.AppendUint64(b, m.Seq)
	b = append(b, m.HeadHash[:]...)
	b = le.AppendUint64(b, uint64(m.CreatedMillis))
	b = append(b, byte(len(m.Name)))
	b = append(b, m.Name...)
	b = append(b, make([]byte, headBytes-4-len(b))...)
	return le.AppendUint32(b, checksum(b))
}

// parseHead reads what head wrote. It returns the header's checksum, to which blocks and trailer are bound.
// Errors: ErrNewer, else what is wrong, for a CorruptError.
func parseHead(b []byte) (Meta, []byte, error) {
	if len(b) < preambleBytes || !bytes.HasPrefix(b, []byte(magic)) {
		return Meta{}, nil, fmt.Errorf("not a checkpoint")
	}
	if got, want := checksum(b[:12]), le.Uint32(b[12:]); got != want {
		return Meta{}, nil, fmt.Errorf("preamble checksum %08x, want %08x", got, want)
	}
	if v := le.Uint16(b[8:]); v > formatVersion {
		return Meta{}, nil, fmt.Errorf("%w: version %d, this program reads up to %d", ErrNewer, v, formatVersion)
	}
	if len(b) < headBytes || le.Uint16(b[8:]) != formatVersion || le.Uint16(b[10:]) != headerBytes {
		return Meta{}, nil, fmt.Errorf("cut or malformed header")
	}
	sum := b[headBytes-4 : headBytes]
	if got, want := checksum(b[:headBytes-4]), le.Uint32(sum); got != want {
		return Meta{}, nil, fmt.Errorf("header checksum %08x, want %08x", got, want)
	}
	m, err := parseHeader(b[preambleBytes:])
	return m, sum, err
}

// parseHeader reads the fields of a header whose checksum is right.
func parseHeader(h []byte) (Meta, error) {
	m := Meta{
		StoreID:       [16]byte(h[0:16]),
		Epoch:         le.Uint64(h[16:]),
		Seq:           le.Uint64(h[24:]),
		HeadHash:      [32]byte(h[32:64]),
		CreatedMillis: int64(le.Uint64(h[64:])),
	}
	n := int(h[72])
	if n > NameBytesMax || !allZero(h[73+n:140]) {
		return Meta{}, fmt.Errorf("name of %d bytes is not padded with zeros to %d", n, NameBytesMax)
	}
	m.Name = string(h[73 : 73+n])
	if n > 0 && !validName(m.Name) {
		return Meta{}, fmt.Errorf("name %q is not of a-z, 0-9 and -", m.Name)
	}
	return m, nil
}

func allZero(b []byte) bool {
	return len(bytes.Trim(b, "\x00")) == 0
}

// validName says whether s is of [a-z0-9-]{1,64}.
func validName(s string) bool {
	if len(s) < 1 || len(s) > NameBytesMax {
		return false
	}
	for _, c := range []byte(s) {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
			return false
		}
	}
	return true
}

// block is one block's header.
type block struct {
	payload, raw, rows int
	sum                uint32
}

// appendBlock appends header and payload of block number number.
func appendBlock(b []byte, headSum []byte, number uint64, raw, rows int, payload []byte) []byte {
	start := len(b)
	b = append(b, kindBlock)
	b = le.AppendUint32(b, uint32(len(payload)))
	b = le.AppendUint32(b, uint32(raw))
	b = le.AppendUint32(b, uint32(rows))
	b = le.AppendUint32(b, blockChecksum(headSum, number, b[start:], payload))
	return append(b, payload...)
}

// blockChecksum binds a block to its file and its place.
func blockChecksum(headSum []byte, number uint64, header, payload []byte) uint32 {
	return checksum(headSum, le.AppendUint64(nil, number), header, payload)
}

// parseBlock reads a block's header. The checksum is not verified yet: it needs the payload.
func parseBlock(b []byte) (block, error) {
	payload, raw, rows := le.Uint32(b[1:]), le.Uint32(b[5:]), le.Uint32(b[9:])
	if b[0] != kindBlock {
		return block{}, fmt.Errorf("kind %#02x, want %#02x", b[0], kindBlock)
	}
	if payload > payloadBytesMax || raw > blockRawBytesMax || rows < 1 || rows > raw {
		return block{}, fmt.Errorf("block of %d bytes, %d uncompressed, %d rows: out of range", payload, raw, rows)
	}
	return block{payload: int(payload), raw: int(raw), rows: int(rows), sum: le.Uint32(b[13:])}, nil
}

// trailer is the end of a checkpoint: what all of its blocks together hold.
type trailer struct {
	rows, blocks, raw uint64
	digest            [32]byte
}

func (t trailer) append(b, headSum []byte) []byte {
	start := len(b)
	b = append(b, kindTrailer)
	b = le.AppendUint64(b, t.rows)
	b = le.AppendUint64(b, t.blocks)
	b = le.AppendUint64(b, t.raw)
	b = append(b, t.digest[:]...)
	return le.AppendUint32(b, checksum(headSum, b[start:]))
}

func parseTrailer(b, headSum []byte) (trailer, error) {
	if b[0] != kindTrailer {
		return trailer{}, fmt.Errorf("no trailer: kind %#02x, want %#02x", b[0], kindTrailer)
	}
	if got, want := checksum(headSum, b[:57]), le.Uint32(b[57:]); got != want {
		return trailer{}, fmt.Errorf("trailer checksum %08x, want %08x", got, want)
	}
	t := trailer{rows: le.Uint64(b[1:]), blocks: le.Uint64(b[9:]), raw: le.Uint64(b[17:]), digest: [32]byte(b[25:57])}
	if t.rows > math.MaxInt64 {
		return trailer{}, fmt.Errorf("%d rows", t.rows)
	}
	return t, nil
}
