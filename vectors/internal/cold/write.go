package cold

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

const writeBufferBytes = 1 << 20

// writeShard fills a file, measures how wide searches of it must be, and syncs it.
func writeShard(ctx context.Context, file *os.File, h *header, p *plan, o Options) (Info, error) {
	if err := file.Truncate(h.fileBytes); err != nil {
		return Info{}, err
	}
	trial, err := newTrial(p.source)
	if err != nil {
		return Info{}, err
	}
	w := newWriter(file, h, p, trial)
	if err := errors.Join(w.write(ctx), w.flush()); err != nil {
		return Info{}, err
	}
	if err := w.writeSums(); err != nil {
		return Info{}, err
	}
	if _, err := file.WriteAt(h.page(), 0); err != nil {
		return Info{}, err
	}
	info, err := trial.measure(ctx, file.Name(), h, o.recall())
	if err != nil {
		return Info{}, err
	}
	if _, err := file.WriteAt(h.page(), 0); err != nil {
		return Info{}, err
	}
	return info, file.Sync()
}

// writer writes all sections side by side, in one pass over the vectors.
type writer struct {
	header *header
	plan   *plan
	trial  *trial
	file   *os.File
	nodes  []uint32 // of each vector
	sums   []byte   // of all buckets

	entries, nav, keys    sectionWriter
	blocks, pairs, floats tableWriter

	encoder encoder
	codes   []int8
	row     []byte
}

func newWriter(file *os.File, h *header, p *plan, trial *trial) *writer {
	w := &writer{header: h, plan: p, trial: trial, file: file, nodes: inverted(p.order), sums: make([]byte, h.layout.sums.bytes)}
	for _, s := range []struct {
		to *sectionWriter
		at section
	}{{&w.entries, h.entryIDs}, {&w.nav, h.nav}, {&w.keys, h.keys}} {
		s.to.Writer = bufio.NewWriterSize(io.NewOffsetWriter(file, s.at.offset), writeBufferBytes)
	}
	for _, t := range []struct {
		to *tableWriter
		of *table
	}{{&w.blocks, &h.blocks}, {&w.pairs, &h.pairs}, {&w.floats, &h.floats}} {
		*t.to = tableWriter{table: t.of, sums: w.sums, bucket: make([]byte, t.of.bucketBytes), next: t.of.first,
			w: bufio.NewWriterSize(io.NewOffsetWriter(file, t.of.offset), writeBufferBytes)}
	}
	w.encoder.bits = h.navBits
	w.codes = make([]int8, h.stride)
	return w
}

func (w *writer) write(ctx context.Context) error {
	for _, node := range w.plan.entries {
		if err := w.entries.number(node); err != nil {
			return err
		}
	}
	for node, i := range w.plan.order {
		if node%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.vector(i); err != nil {
			return err
		}
	}
	for _, p := range w.plan.pairs {
		w.row = binary.LittleEndian.AppendUint32(w.row[:0], p.key)
		w.row = binary.LittleEndian.AppendUint32(w.row, w.nodes[p.id])
		if err := w.pairs.add(w.row); err != nil {
			return err
		}
	}
	return nil
}

// vector writes all that is known of vector i.
func (w *writer) vector(i uint32) error {
	h, s := w.header, w.plan.source
	row := s.Row(int(i))
	if !row.direction(h.form, h.dim, w.codes[:h.dim]) {
		return invalidRow(i)
	}
	w.trial.compare(i, w.codes)
	if h.exact {
		w.row = w.row[:0]
		for _, x := range row.Float32 {
			w.row = binary.LittleEndian.AppendUint32(w.row, math.Float32bits(x))
		}
		if err := w.floats.add(w.row); err != nil {
			return err
		}
	}
	w.row = resized(w.row, h.navBytes)
	w.encoder.encode(w.row, w.codes[:h.dim])
	if err := w.nav.put(w.row); err != nil {
		return err
	}
	if err := w.keys.number(s.Key(int(i))); err != nil {
		return err
	}
	return w.blocks.add(w.block(i))
}

// block returns the bytes of a block.
func (w *writer) block(i uint32) []byte {
	b := w.row[:0]
	for _, c := range w.codes {
		b = append(b, byte(c))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(kernel.SquareSum(w.codes)))
	for _, link := range w.plan.graph.row(i) {
		if link != kernel.Sentinel {
			link = w.nodes[link]
		}
		b = binary.LittleEndian.AppendUint32(b, link)
	}
	w.row = b
	return b
}

func (w *writer) flush() error {
	return errors.Join(w.entries.Flush(), w.nav.Flush(), w.keys.Flush(), w.blocks.flush(), w.pairs.flush(), w.floats.flush())
}

// writeSums writes the checksums of buckets and puts those of sections into the header.
func (w *writer) writeSums() error {
	w.header.sums = [4]uint32{w.entries.sum, w.nav.sum, w.keys.sum, crc32.Checksum(w.sums, castagnoli)}
	_, err := w.file.WriteAt(w.sums, w.header.layout.sums.offset)
	return err
}

// sectionWriter writes a section and sums it up.
type sectionWriter struct {
	*bufio.Writer
	sum uint32
}

func (s *sectionWriter) put(b []byte) error {
	s.sum = crc32.Update(s.sum, castagnoli, b)
	_, err := s.Write(b)
	return err
}

func (s *sectionWriter) number(x uint32) error {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], x)
	return s.put(b[:])
}

// tableWriter writes a table, bucket by bucket.
type tableWriter struct {
	*table
	w      *bufio.Writer
	sums   []byte // of all buckets of all tables
	bucket []byte
	rows   int // in bucket
	next   int // number of the bucket
}

func (t *tableWriter) add(row []byte) error {
	copy(t.bucket[t.rows*t.rowBytes:], row)
	if t.rows++; t.rows < t.perBucket {
		return nil
	}
	return t.put()
}

func (t *tableWriter) put() error {
	binary.LittleEndian.PutUint32(t.sums[sumBytes*t.next:], crc32.Checksum(t.bucket, castagnoli))
	_, err := t.w.Write(t.bucket)
	clear(t.bucket)
	t.rows = 0
	t.next++
	return err
}

func (t *tableWriter) flush() error {
	if t.rows > 0 {
		if err := t.put(); err != nil {
			return err
		}
	}
	return t.w.Flush()
}
