package vectors

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// LoadFile reads an index that SaveFile wrote. want names the namespace and embedder that it must be of; its Seq is
// not looked at. The returned header carries the Seq up to which the index is complete: the caller adds what came after, and
// decides what a Seq beyond the end of its log means.
// Errors: ErrRebuild, which also wraps fs.ErrNotExist when there is no file.
func LoadFile(path string, want Header) (*Flat, Header, error) {
	f, got, err := loadFile(path, want)
	if err != nil {
		return nil, Header{}, fmt.Errorf("load %s: %w: %w", path, ErrRebuild, err)
	}
	return f, got, nil
}

func loadFile(path string, want Header) (*Flat, Header, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, Header{}, err
	}
	defer file.Close() // read only: nothing to lose
	info, err := file.Stat()
	if err != nil {
		return nil, Header{}, err
	}
	return read(file, info.Size(), want)
}

// read reads a file of size bytes.
func read(r io.Reader, size int64, want Header) (*Flat, Header, error) {
	b := make([]byte, fileHeaderBytes)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, Header{}, fmt.Errorf("header: %w", err)
	}
	h, err := parseFileHeader(b, size)
	if err != nil {
		return nil, Header{}, err
	}
	if h.namespace != want.Namespace {
		return nil, Header{}, fmt.Errorf("namespace %d, want %d", h.namespace, want.Namespace)
	}
	if h.embedder != sha256.Sum256([]byte(want.EmbedderID)) {
		return nil, Header{}, fmt.Errorf("vectors of another embedder than %q", want.EmbedderID)
	}
	f, err := readRows(r, h)
	if err != nil {
		return nil, Header{}, err
	}
	return f, Header{Namespace: h.namespace, Seq: h.seq, EmbedderID: want.EmbedderID}, nil
}

// readRows reads all blocks. The header has been checked against the file's size, so the rows that it promises exist.
func readRows(r io.Reader, h fileHeader) (*Flat, error) {
	f := NewFlat(h.dim, h.form)
	f.slots = make(map[uint32]uint32, h.count)
	var b []byte
	for number := uint64(0); len(f.slots) < h.count; number++ {
		n := min(chunkRows, h.count-len(f.slots))
		bytes := n*int(h.rowBytes()) + crcBytes
		if cap(b) < bytes {
			b = make([]byte, bytes)
		}
		b = b[:bytes]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, fmt.Errorf("block %d: %w", number, err)
		}
		body := b[:bytes-crcBytes]
		if want, got := binary.LittleEndian.Uint32(b[len(body):]), blockChecksum(number, body); want != got {
			return nil, fmt.Errorf("block %d: checksum %08x, want %08x", number, got, want)
		}
		if err := f.putBlock(body, n); err != nil {
			return nil, fmt.Errorf("block %d: %w", number, err)
		}
	}
	if n, _ := r.Read(make([]byte, 1)); n > 0 { // the file has grown since its size was taken
		return nil, errors.New("bytes after the last block")
	}
	return f, nil
}

// putBlock adds the n rows of a block, checked as Add checks them.
func (f *Flat) putBlock(body []byte, n int) error {
	rowBytes := (len(body) - 4*n) / n
	e := f.blank()
	for i := range n {
		key := binary.LittleEndian.Uint32(body[4*i:])
		if _, ok := f.slots[key]; ok {
			return fmt.Errorf("key %d stands twice", key)
		}
		e.decode(body[4*n+i*rowBytes:])
		if err := f.check(e); err != nil {
			return fmt.Errorf("key %d: %w", key, err)
		}
		f.put(key, e)
	}
	return nil
}

// blank returns an embedding to decode rows into.
func (f *Flat) blank() Embedding {
	if f.form == FormInt8 {
		return Embedding{Form: f.form, Int8: make([]int8, f.dim)}
	}
	return Embedding{Form: f.form, Float32: make([]float32, f.dim)}
}

// decode overwrites the numbers of e with the row at the front of b.
func (e Embedding) decode(b []byte) {
	for i := range e.Int8 {
		e.Int8[i] = int8(b[i])
	}
	for i := range e.Float32 {
		e.Float32[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}
