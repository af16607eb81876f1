package snapshots

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"
)

// Write stores one checkpoint, durably, and returns m with Rows, Digest, Path and Bytes filled in. The rows must come in
// strictly ascending order of keys; Write keeps none of them. A sequence that has to stop early, because
// its source failed, cancels ctx before it returns: Write then fails with the context's cause, and stores nothing. An unnamed
// checkpoint of the same epoch and seq is replaced.
// Errors: ErrName, ErrExists, ErrOrder, ErrTooLarge, the cause of ctx, and those of the file system. After an error nothing
// is left under the final name and no temporary file remains (S1). Write, Thin and Delete wait for one another.
func (s *Store) Write(ctx context.Context, m Meta, rows iter.Seq2[[]byte, []byte]) (Meta, error) {
	if m.Name != "" && !validName(m.Name) {
		return Meta{}, fmt.Errorf("%w: %q", ErrName, m.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.nameFree(m.Name); err != nil {
		return Meta{}, err
	}
	s.sweep()
	m.Path = filepath.Join(s.dir, fileName(m))
	m, err := s.writeFile(ctx, m, rows)
	if err != nil {
		return Meta{}, fmt.Errorf("write checkpoint %s: %w", fileName(m), err)
	}
	return m, nil
}

// fileName returns the name of a checkpoint's file, which sorts as the checkpoints do.
func fileName(m Meta) string {
	if m.Name == "" {
		return fmt.Sprintf("%010d-%020d%s", m.Epoch, m.Seq, fileSuffix)
	}
	return fmt.Sprintf("%010d-%020d.%s%s", m.Epoch, m.Seq, m.Name, fileSuffix)
}

// nameFree refuses a name that a readable checkpoint bears, at whatever seq: a name stands for one checkpoint.
func (s *Store) nameFree(name string) error {
	if name == "" {
		return nil
	}
	metas, _ := s.List()
	for _, m := range metas {
		if m.Name == name {
			return fmt.Errorf("%w: %q, at %s", ErrExists, name, m.Path)
		}
	}
	return nil
}

// sweep removes temporary files that a crash left. Failing to is no reason not to write.
func (s *Store) sweep() {
	leftover, _ := filepath.Glob(filepath.Join(s.dir, tempPattern))
	for _, path := range leftover {
		_ = os.Remove(path)
	}
}

// writeFile writes a temporary file and gives it its final name once it is safely on the disk.
func (s *Store) writeFile(ctx context.Context, m Meta, rows iter.Seq2[[]byte, []byte]) (_ Meta, err error) {
	file, err := s.create(tempPattern)
	if err != nil {
		return m, err
	}
	defer func() {
		if err != nil {
			// The first error is the one to report.
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	m, err = encode(ctx, file, m, rows)
	if err != nil {
		return m, err
	}
	if err = file.Sync(); err != nil {
		return m, err
	}
	if err = file.Close(); err != nil {
		return m, err
	}
	if err = os.Rename(file.Name(), m.Path); err != nil {
		return m, err
	}
	return m, syncDir(s.dir)
}

// syncDir makes renames and removals durable. Windows cannot open a directory for it and needs no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		_ = d.Close() // the sync's error is the one to report
		return err
	}
	return d.Close()
}

// encoder writes one checkpoint's bytes.
type encoder struct {
	out     io.Writer
	written int64
	zstd    *zstd.Encoder
	headSum []byte

	raw     []byte // rows of the open block
	rows    int    // their number
	buffer  []byte // for the block as written
	payload []byte
	lastKey []byte
	total   trailer
	digest  hash.Hash
}

// encode writes a whole checkpoint to w.
func encode(ctx context.Context, w io.Writer, m Meta, rows iter.Seq2[[]byte, []byte]) (Meta, error) {
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return m, err
	}
	e := &encoder{out: w, zstd: compressor, digest: sha256.New()}
	b := head(m)
	e.headSum = b[len(b)-4:]
	if err := e.write(b); err != nil {
		return m, err
	}
	for key, row := range rows {
		if err := e.add(ctx, key, row); err != nil {
			return m, err
		}
	}
	if ctx.Err() != nil { // also how the sequence says that it broke off
		return m, context.Cause(ctx)
	}
	if err := e.finish(); err != nil {
		return m, err
	}
	m.Rows, m.Digest, m.Bytes = e.total.rows, e.total.digest, e.written
	return m, nil
}

// add appends one row to the open block, and writes the block once it is large enough.
func (e *encoder) add(ctx context.Context, key, row []byte) error {
	if len(key) > KeyBytesMax || len(row) > RowBytesMax {
		return fmt.Errorf("%w: key of %d bytes, row of %d", ErrTooLarge, len(key), len(row))
	}
	if e.total.rows > 0 && bytes.Compare(key, e.lastKey) <= 0 {
		return fmt.Errorf("%w: %x after %x", ErrOrder, key, e.lastKey)
	}
	e.lastKey = append(e.lastKey[:0], key...)
	e.raw = appendRow(e.raw, key, row)
	e.rows++
	e.total.rows++
	if len(e.raw) < blockRawBytes {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return e.flush()
}

func appendRow(b, key, row []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(key)))
	b = append(b, key...)
	b = binary.AppendUvarint(b, uint64(len(row)))
	return append(b, row...)
}

// flush writes the open block.
func (e *encoder) flush() error {
	if e.rows == 0 {
		return nil
	}
	e.digest.Write(e.raw)
	e.payload = e.zstd.EncodeAll(e.raw, e.payload[:0])
	e.buffer = appendBlock(e.buffer[:0], e.headSum, e.total.blocks, len(e.raw), e.rows, e.payload)
	e.total.blocks++
	e.total.raw += uint64(len(e.raw))
	e.raw, e.rows = e.raw[:0], 0
	return e.write(e.buffer)
}

func (e *encoder) finish() error {
	if err := e.flush(); err != nil {
		return err
	}
	e.digest.Sum(e.total.digest[:0])
	return e.write(e.total.append(nil, e.headSum))
}

func (e *encoder) write(b []byte) error {
	n, err := e.out.Write(b)
	e.written += int64(n)
	return err
}
