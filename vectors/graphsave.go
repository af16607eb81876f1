package vectors

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"

	"github.com/membrain-db/membrain/vectors/internal/hot"
)

// SaveFile writes the index to path as Flat.SaveFile does, while the graph does not serve as that very file: LoadIndex
// reads both. A vector whose removal has returned before is not in the file: tombstones are taken out of the graph
// first. Writers wait for a copy of the keys and of the tail, searches for nothing, the worker until the file is written.
func (a *Auto) SaveFile(path string, h Header) error {
	a.links.Lock()
	defer a.links.Unlock()
	a.mu.Lock()
	v := a.view.Load()
	if v.graph == nil {
		a.mu.Unlock()
		return v.flat.SaveFile(path, h)
	}
	a.mu.Unlock()
	for v.graph.Consolidate(repairsPerStep) { // the worker cannot: it needs links
	}
	a.mu.Lock()
	frozen, tail := v.graph.Freeze(), v.flat.clone()
	a.mu.Unlock()
	s := graphSaver{frozen: frozen, tail: tail, header: graphHeader{
		form: a.form, dim: a.dim, namespace: h.Namespace, seq: h.Seq, embedder: sha256.Sum256([]byte(h.EmbedderID)),
		seed: a.o.Seed, meta: frozen.Meta, tail: tail.Len(),
	}}
	if err := replaceFile(path, s.write); err != nil {
		return fmt.Errorf("save graph index: %w", err)
	}
	return nil
}

// graphSaver writes one file.
type graphSaver struct {
	header graphHeader
	frozen *hot.Frozen
	tail   *Flat
	sums   []byte
}

// write writes the sections behind an empty page, then the checksums, then the header into the page.
func (s *graphSaver) write(file *os.File) error {
	out := bufio.NewWriterSize(file, 1<<20)
	l := s.header.layout()
	if _, err := out.Write(make([]byte, graphPage)); err != nil {
		return err
	}
	for section := range graphSections {
		if err := s.writeSection(out, l, section); err != nil {
			return err
		}
	}
	if _, err := out.Write(s.sums); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	s.header.sums = crc32.Checksum(s.sums, castagnoli)
	_, err := file.WriteAt(s.header.page(), 0)
	return err
}

// writeSection writes rows, a few at a time, and keeps the checksums of their blocks.
func (s *graphSaver) writeSection(out *bufio.Writer, l graphLayout, section int) error {
	const rowsAtOnce = 256
	var rows, block []byte
	number := l.blocks[section]
	seal := func(b []byte) error {
		s.sums = binary.LittleEndian.AppendUint32(s.sums, blockChecksum(uint64(number), b))
		number++
		_, err := out.Write(b)
		return err
	}
	for from := int64(0); from < l.rows[section]; from += rowsAtOnce {
		rows = s.appendRows(rows[:0], section, uint32(from), uint32(min(from+rowsAtOnce, l.rows[section])))
		block = append(block, rows...)
		for len(block) >= graphBlock {
			if err := seal(block[:graphBlock]); err != nil {
				return err
			}
			block = block[:copy(block, block[graphBlock:])]
		}
	}
	if len(block) > 0 {
		if err := seal(block); err != nil {
			return err
		}
	}
	_, err := out.Write(make([]byte, l.padding(section)))
	return err
}

func (s *graphSaver) appendRows(dst []byte, section int, from, to uint32) []byte {
	if section != sectionTail {
		return s.frozen.AppendRows(dst, section, from, to)
	}
	for slot := from; slot < to; slot++ {
		dst = s.tail.appendRow(dst, slot)
	}
	return dst
}

// appendRow appends key and vector of a slot.
func (f *Flat) appendRow(b []byte, slot uint32) []byte {
	c, i := f.chunks[slot/chunkRows], int(slot%chunkRows)
	b = binary.LittleEndian.AppendUint32(b, c.keys[i])
	if f.form == FormInt8 {
		for _, code := range row(c.codes, i, c.stride)[:f.dim] {
			b = append(b, byte(code))
		}
		return b
	}
	for _, x := range row(c.floats, i, c.stride) {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}
