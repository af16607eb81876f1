package vectors

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
)

// SaveFile writes the index to path: to a temporary file beside it, synced, then renamed, then the directory synced. After an error
// path holds what it held before. Writers wait while the rows are copied out, not while the disk syncs.
// Concurrent calls with one path are the caller's to prevent.
func (f *Flat) SaveFile(path string, h Header) error {
	if err := replaceFile(path, func(file *os.File) error { return f.write(file, h) }); err != nil {
		return fmt.Errorf("save flat index: %w", err)
	}
	return nil
}

// write writes the bytes of the file.
func (f *Flat) write(w io.Writer, h Header) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	head := fileHeader{
		form: f.form, dim: f.dim, count: len(f.slots),
		namespace: h.Namespace, seq: h.Seq, embedder: sha256.Sum256([]byte(h.EmbedderID)),
	}
	if _, err := w.Write(head.append(nil)); err != nil {
		return err
	}
	var block []byte
	for number, c := range f.chunks {
		block = c.appendBlock(block[:0], f.dim)
		block = binary.LittleEndian.AppendUint32(block, blockChecksum(uint64(number), block))
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

// appendBlock appends keys and rows, without the padding.
func (c *chunk) appendBlock(b []byte, dim int) []byte {
	for _, key := range c.keys {
		b = binary.LittleEndian.AppendUint32(b, key)
	}
	for i := range c.rows() {
		for _, code := range row(c.codes, i, c.stride)[:min(dim, len(c.codes))] {
			b = append(b, byte(code))
		}
		for _, x := range row(c.floats, i, c.stride) {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b
}

// replaceFile puts what write produces in place of path, whole or not at all.
func replaceFile(path string, write func(*os.File) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			// The first error is the one to report.
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if err = write(file); err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes a rename durable. Windows cannot open a directory for it and needs no such call.
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
