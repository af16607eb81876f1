package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/membrain-db/membrain/vectors/internal/hot"
)

// LoadIndex reads an index that Auto.SaveFile or Flat.SaveFile wrote; LoadFile says what of want is looked at and what the
// returned header means. The caller adds what came after the header's Seq; nothing else is computed again. The levels of
// a graph keep the seed that the file names.
// Errors: ErrRebuild, which also wraps fs.ErrNotExist when there is no file. It panics on options that do not validate.
func LoadIndex(path string, want Header, o Options) (*Auto, Header, error) {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	flat, graph, got, err := loadIndex(path, want, &o)
	if err != nil {
		return nil, Header{}, fmt.Errorf("load %s: %w: %w", path, ErrRebuild, err)
	}
	a := newAuto(flat, graph, o)
	a.mu.Lock()
	defer a.mu.Unlock()
	if graph == nil {
		a.length.Store(int64(flat.Len()))
		if flat.Len() > a.o.FlatMax && !a.o.exact() {
			a.startGraph(flat)
		}
	} else {
		a.length.Store(int64(flat.Len() + graph.Len()))
		a.pending = flat.Keys().ToArray()
	}
	a.wake()
	return a, got, nil
}

func loadIndex(path string, want Header, o *Options) (*Flat, *hot.Graph, Header, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, Header{}, err
	}
	defer file.Close() // read only: nothing to lose
	info, err := file.Stat()
	if err != nil {
		return nil, nil, Header{}, err
	}
	page := make([]byte, graphPage)
	n, err := file.ReadAt(page, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, Header{}, err
	}
	if !bytes.HasPrefix(page, []byte(graphMagic)) {
		flat, h, err := read(file, info.Size(), want)
		return flat, nil, h, err
	}
	h, err := parseGraphPage(page[:n], info.Size())
	if err != nil {
		return nil, nil, Header{}, err
	}
	if h.namespace != want.Namespace {
		return nil, nil, Header{}, fmt.Errorf("namespace %d, want %d", h.namespace, want.Namespace)
	}
	if h.embedder != sha256.Sum256([]byte(want.EmbedderID)) {
		return nil, nil, Header{}, fmt.Errorf("vectors of another embedder than %q", want.EmbedderID)
	}
	o.Seed = h.seed
	flat, graph, err := readGraph(file, h, *o)
	return flat, graph, Header{Namespace: h.namespace, Seq: h.seq, EmbedderID: want.EmbedderID}, err
}

// readGraph reads all sections.
func readGraph(file io.ReaderAt, h graphHeader, o Options) (*Flat, *hot.Graph, error) {
	l := h.layout()
	r := graphReader{file: file, layout: l, sums: make([]byte, l.bytes-l.sums)}
	if err := readFull(file, r.sums, l.sums); err != nil {
		return nil, nil, fmt.Errorf("checksums: %w", err)
	}
	if got := crc32.Checksum(r.sums, castagnoli); got != h.sums {
		return nil, nil, fmt.Errorf("checksums: checksum %08x, want %08x", got, h.sums)
	}
	for section := range graphSections {
		if err := r.checkPadding(section); err != nil {
			return nil, nil, err
		}
	}
	graph, err := hot.Restore(o.graph(h.dim, h.form), h.meta, r.read)
	if err != nil {
		return nil, nil, err
	}
	tail, err := r.readTail(h, graph)
	return tail, graph, err
}

func readFull(file io.ReaderAt, dst []byte, at int64) error {
	n, err := file.ReadAt(dst, at)
	if n == len(dst) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// graphReader reads sections and checks their blocks.
type graphReader struct {
	file   io.ReaderAt
	layout graphLayout
	sums   []byte
}

// read fills dst from an offset of a section that is a multiple of the blocks' size. dst ends at such a multiple, too, or with
// the section.
func (r *graphReader) read(section int, offset int64, dst []byte) error {
	if err := readFull(r.file, dst, r.layout.starts[section]+offset); err != nil {
		return fmt.Errorf("section %d: %w", section, err)
	}
	number := r.layout.blocks[section] + int(offset/graphBlock)
	for ; len(dst) > 0; number++ {
		block := dst[:min(graphBlock, len(dst))]
		dst = dst[len(block):]
		want := binary.LittleEndian.Uint32(r.sums[crcBytes*number:])
		if got := blockChecksum(uint64(number), block); want != got {
			return fmt.Errorf("section %d, block %d: checksum %08x, want %08x", section, number, got, want)
		}
	}
	return nil
}

func (r *graphReader) checkPadding(section int) error {
	l := r.layout
	b := make([]byte, l.padding(section))
	if err := readFull(r.file, b, l.starts[section]+l.rowBytes[section]*l.rows[section]); err != nil {
		return fmt.Errorf("section %d: %w", section, err)
	}
	if !bytes.Equal(b, make([]byte, len(b))) {
		return fmt.Errorf("section %d: what follows it is not zero", section)
	}
	return nil
}

// readTail reads the last section.
func (r *graphReader) readTail(h graphHeader, graph *hot.Graph) (*Flat, error) {
	f := NewFlat(h.dim, h.form)
	rowBytes := r.layout.rowBytes[sectionTail]
	b := make([]byte, rowBytes*r.layout.rows[sectionTail])
	if err := r.read(sectionTail, 0, b); err != nil {
		return nil, err
	}
	e := f.blank()
	for ; len(b) > 0; b = b[rowBytes:] {
		key := binary.LittleEndian.Uint32(b)
		e.decode(b[4:])
		if err := f.check(e); err != nil {
			return nil, fmt.Errorf("key %d: %w", key, err)
		}
		if _, bound := graph.Node(key); bound || f.set(key, e) {
			return nil, fmt.Errorf("key %d stands twice", key)
		}
	}
	return f, nil
}
