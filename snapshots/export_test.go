package snapshots

import (
	"context"
	"io"
)

// TempFile lets tests stand in for a disk that fails.
type TempFile = tempFile

// SetCreate replaces how s makes temporary files.
func (s *Store) SetCreate(create func(pattern string) (TempFile, error)) { s.create = create }

// ReadFrom reads a whole checkpoint from memory.
func ReadFrom(ctx context.Context, in io.ReaderAt, size int64, fn func(key, row []byte) error) (Meta, error) {
	d, err := newDecoder(in, size, "memory")
	if err != nil {
		return Meta{}, err
	}
	return d.meta, d.rows(ctx, fn)
}

// Fix rewrites every checksum of a checkpoint after a test has changed it, so that the change gets past them.
func Fix(b []byte) {
	if len(b) < headBytes+trailerBytes {
		return
	}
	le.PutUint32(b[12:], checksum(b[:12]))
	le.PutUint32(b[headBytes-4:], checksum(b[:headBytes-4]))
	sum := b[headBytes-4 : headBytes]
	at, number := headBytes, uint64(0)
	for at+blockHeaderBytes <= len(b)-trailerBytes {
		h := b[at : at+blockHeaderBytes]
		end := at + blockHeaderBytes + int(le.Uint32(h[1:]))
		if end > len(b)-trailerBytes {
			break
		}
		le.PutUint32(h[13:], blockChecksum(sum, number, h[:13], b[at+blockHeaderBytes:end]))
		at, number = end, number+1
	}
	t := b[len(b)-trailerBytes:]
	le.PutUint32(t[57:], checksum(sum, t[:57]))
}
