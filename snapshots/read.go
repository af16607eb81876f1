package snapshots

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Read hands every row of m to fn, in order of keys. key and row are valid during the call only. The rows are right
// (S2), but only a nil result says that they were all of them, so what fn builds must not be used before.
// Errors: ErrNotFound; ErrCorrupt (a *CorruptError), also when the file is another checkpoint than m; ErrNewer; the cause of ctx, which is
// looked at before each block; fn's error, as it is.
func (s *Store) Read(ctx context.Context, m Meta, fn func(key, row []byte) error) error {
	if !s.owns(m.Path) {
		return fmt.Errorf("%w: %q", ErrNotFound, m.Path)
	}
	file, size, err := open(m.Path)
	if err != nil {
		return err
	}
	defer file.Close() // read only: nothing to lose
	d, err := newDecoder(file, size, m.Path)
	if err != nil {
		return err
	}
	if d.meta.Epoch != m.Epoch || d.meta.Seq != m.Seq || d.meta.Name != m.Name || d.meta.StoreID != m.StoreID {
		return d.corrupt(0, fmt.Errorf("epoch %d seq %d name %q of store %x, want %d, %d, %q, %x",
			d.meta.Epoch, d.meta.Seq, d.meta.Name, d.meta.StoreID, m.Epoch, m.Seq, m.Name, m.StoreID))
	}
	return d.rows(ctx, fn)
}

func open(path string) (*os.File, int64, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open checkpoint: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close() // the first error is the one to report
		return nil, 0, fmt.Errorf("open checkpoint: %w", err)
	}
	return file, info.Size(), nil
}

// readMeta reads header and trailer.
func readMeta(path string) (Meta, error) {
	file, size, err := open(path)
	if err != nil {
		return Meta{}, err
	}
	defer file.Close() // read only: nothing to lose
	d, err := newDecoder(file, size, path)
	if err != nil {
		return Meta{}, err
	}
	return d.meta, nil
}

// decoder reads one checkpoint. Errors of its methods are complete: they name file and offset.
type decoder struct {
	in      io.ReaderAt
	size    int64
	path    string
	zstd    *zstd.Decoder
	meta    Meta
	headSum []byte
	trailer trailer

	offset  int64 // of the block to read next
	payload []byte
	raw     []byte
	lastKey []byte
	seen    trailer
	digest  hash.Hash
}

// newDecoder reads header and trailer.
func newDecoder(in io.ReaderAt, size int64, path string) (*decoder, error) {
	d := &decoder{in: in, size: size, path: path, digest: sha256.New()}
	b, err := d.at(0, min(size, headBytes))
	if err != nil {
		return nil, err
	}
	d.meta, d.headSum, err = parseHead(b)
	if errors.Is(err, ErrNewer) {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err != nil {
		return nil, d.corrupt(0, err)
	}
	if err := d.readTrailer(); err != nil {
		return nil, err
	}
	d.offset = headBytes
	d.meta.Path, d.meta.Bytes = path, size
	d.meta.Rows, d.meta.Digest = d.trailer.rows, d.trailer.digest
	return d, nil
}

func (d *decoder) readTrailer() error {
	at := d.size - trailerBytes
	if at < headBytes {
		return d.corrupt(headBytes, fmt.Errorf("%d bytes, want at least %d", d.size, headBytes+trailerBytes))
	}
	b, err := d.at(at, trailerBytes)
	if err != nil {
		return err
	}
	d.trailer, err = parseTrailer(b, d.headSum)
	if err != nil {
		return d.corrupt(at, err)
	}
	return nil
}

// rows reads all blocks up to the trailer and compares what they hold with what it says.
func (d *decoder) rows(ctx context.Context, fn func(key, row []byte) error) (err error) {
	d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return err
	}
	defer d.zstd.Close()
	end := d.size - trailerBytes
	for d.offset < end {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := d.block(end, fn); err != nil {
			return err
		}
	}
	d.digest.Sum(d.seen.digest[:0])
	if d.seen != d.trailer {
		return d.corrupt(end, fmt.Errorf("%d rows in %d blocks, %d bytes, digest %x; want %d, %d, %d, %x", d.seen.rows, d.seen.blocks, d.seen.raw,
			d.seen.digest, d.trailer.rows, d.trailer.blocks, d.trailer.raw, d.trailer.digest))
	}
	return nil
}

// block reads the block at d.offset, which must end at or before end, and hands its rows over.
func (d *decoder) block(end int64, fn func(key, row []byte) error) error {
	start := d.offset
	if end-start < blockHeaderBytes {
		return d.corrupt(start, fmt.Errorf("%d bytes between block and trailer", end-start))
	}
	header, err := d.at(start, blockHeaderBytes)
	if err != nil {
		return err
	}
	b, err := parseBlock(header)
	if err != nil {
		return d.corrupt(start, err)
	}
	if int64(b.payload) > end-start-blockHeaderBytes {
		return d.corrupt(start, fmt.Errorf("payload of %d bytes, the file has %d", b.payload, end-start-blockHeaderBytes))
	}
	if err := d.unpack(start, header, b); err != nil {
		return err
	}
	d.offset += blockHeaderBytes + int64(b.payload)
	return d.handOver(start, b, fn)
}

// unpack reads and verifies the payload of a block and decompresses it into d.raw.
func (d *decoder) unpack(start int64, header []byte, b block) error {
	d.payload = slices.Grow(d.payload[:0], b.payload)[:b.payload]
	if _, err := d.in.ReadAt(d.payload, start+blockHeaderBytes); err != nil {
		return d.readError(start, err)
	}
	if got := blockChecksum(d.headSum, d.seen.blocks, header[:13], d.payload); got != b.sum {
		return d.corrupt(start, fmt.Errorf("block checksum %08x, want %08x", got, b.sum))
	}
	raw, err := d.zstd.DecodeAll(d.payload, slices.Grow(d.raw[:0], b.raw)) // never more than that capacity
	if err != nil {
		return d.corrupt(start, fmt.Errorf("decompress: %w", err))
	}
	d.raw = raw
	if len(raw) != b.raw {
		return d.corrupt(start, fmt.Errorf("%d bytes uncompressed, want %d", len(raw), b.raw))
	}
	d.digest.Write(raw)
	d.seen.blocks++
	d.seen.raw += uint64(len(raw))
	return nil
}

// handOver gives the rows in d.raw to fn. Their checksum is right, so only a forged file can be malformed here.
func (d *decoder) handOver(start int64, b block, fn func(key, row []byte) error) error {
	rest := d.raw
	for range b.rows {
		key, after, ok := cutField(rest, KeyBytesMax)
		row, after, ok2 := cutField(after, RowBytesMax)
		if !ok || !ok2 {
			return d.corrupt(start, errors.New("malformed row"))
		}
		if d.seen.rows > 0 && bytes.Compare(key, d.lastKey) <= 0 {
			return d.corrupt(start, fmt.Errorf("key %x after %x", key, d.lastKey))
		}
		d.lastKey = append(d.lastKey[:0], key...)
		d.seen.rows++
		rest = after
		if err := fn(key, row); err != nil {
			return err
		}
	}
	if len(rest) > 0 {
		return d.corrupt(start, fmt.Errorf("%d bytes after the last row", len(rest)))
	}
	return nil
}

// cutField cuts one length-prefixed field off b. Only the shortest form of a length is accepted.
func cutField(b []byte, bytesMax int) (field, rest []byte, ok bool) {
	length, n := binary.Uvarint(b)
	if n <= 0 || n > 1 && b[n-1] == 0 || length > uint64(bytesMax) || length > uint64(len(b)-n) {
		return nil, nil, false
	}
	end := n + int(length)
	return b[n:end:end], b[end:], true
}

// at reads n bytes at an offset.
func (d *decoder) at(offset, n int64) ([]byte, error) {
	b := make([]byte, n)
	if _, err := d.in.ReadAt(b, offset); err != nil {
		return nil, d.readError(offset, err)
	}
	return b, nil
}

// readError tells a file that shrank while it was read from a disk that fails.
func (d *decoder) readError(offset int64, err error) error {
	if errors.Is(err, io.EOF) {
		return d.corrupt(offset, errors.New("file ends early"))
	}
	return fmt.Errorf("read %s at %d: %w", d.path, offset, err)
}

func (d *decoder) corrupt(offset int64, what error) error {
	return &CorruptError{Path: d.path, Offset: offset, What: what.Error()}
}
