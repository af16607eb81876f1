package state

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/membrain-db/membrain/eventlog"
	"go.etcd.io/bbolt"
)

// Kinds of a snapshot's keys: the first byte.
const (
	snapshotRequest = 'q'
	snapshotRow     = 'r'
)

// chunkCells bounds how many cells are copied out of the file at a time.
const chunkCells = 1024

// Snapshot is the table as it was after one commit, while the table moves on. Close it soon: the file cannot reuse
// pages meanwhile. Not safe for concurrent use.
type Snapshot struct {
	head     eventlog.Head
	file     *file
	tx       *bbolt.Tx // nil in memory
	over     *overlay
	rows     []eventlog.Stream // of the overlays, sorted
	requests []requestKey
}

// Snapshot takes the present state. Errors: ErrRebuild; ErrUnavailable; ErrClosed.
func (t *Table) Snapshot() (*Snapshot, error) {
	// No flush may begin or end between the overlays and the transaction.
	t.flushing.Lock()
	defer t.flushing.Unlock()
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.closed {
		return nil, ErrClosed
	}
	s := &Snapshot{head: t.applied, file: t.file}
	s.over = &overlay{rows: maps.Clone(t.dirty.rows), requests: maps.Clone(t.dirty.requests)}
	if t.file != nil {
		tx, err := t.file.begin(false)
		if err != nil {
			return nil, err
		}
		s.tx = tx
	}
	s.rows = slices.SortedFunc(maps.Keys(s.over.rows), compareStreams)
	s.requests = slices.SortedFunc(maps.Keys(s.over.requests), compareRequests)
	return s, nil
}

func compareRequests(a, b requestKey) int {
	return bytes.Compare(appendRequestKey(nil, a), appendRequestKey(nil, b))
}

// Head returns the commit that the snapshot shows.
func (s *Snapshot) Head() eventlog.Head { return s.head }

// Close frees the snapshot.
func (s *Snapshot) Close() error {
	if s.tx == nil {
		return nil
	}
	tx := s.tx
	s.tx = nil
	return s.file.end(tx)
}

// Cells yields every key and value in order of keys, as checkpoints hold them and Restore takes them: requests, then rows.
// The slices are valid until the next step. Errors: ErrRebuild; ErrUnavailable.
func (s *Snapshot) Cells() iter.Seq2[Cell, error] {
	return func(yield func(Cell, error) bool) {
		for c, err := range s.cells(requestsBucket, s.requestOverlay()) {
			if !yield(Cell{Key: append([]byte{snapshotRequest}, c.key...), Value: c.value}, err) || err != nil {
				return
			}
		}
		for c, err := range s.cells(rowsBucket, s.rowOverlay()) {
			if !yield(Cell{Key: append([]byte{snapshotRow}, c.key...), Value: c.value}, err) || err != nil {
				return
			}
		}
	}
}

// Cell is one key and value of a snapshot.
type Cell struct{ Key, Value []byte }

func parseSnapshotKey(key []byte) (kind byte, rest []byte, err error) {
	if len(key) == 0 || (key[0] != snapshotRequest && key[0] != snapshotRow) {
		return 0, nil, fmt.Errorf("key %x is of no known kind", key)
	}
	return key[0], key[1:], nil
}

func (s *Snapshot) rowOverlay() iter.Seq[cell] {
	return func(yield func(cell) bool) {
		for _, stream := range s.rows {
			if !yield(cell{AppendKey(nil, stream), s.over.rows[stream].Append(nil)}) {
				return
			}
		}
	}
}

func (s *Snapshot) requestOverlay() iter.Seq[cell] {
	return func(yield func(cell) bool) {
		for _, k := range s.requests {
			if !yield(cell{appendRequestKey(nil, k), binary.BigEndian.AppendUint64(nil, uint64(s.over.requests[k]))}) {
				return
			}
		}
	}
}

// cells merges a bucket of the file with what lies over it.
func (s *Snapshot) cells(bucket []byte, over iter.Seq[cell]) iter.Seq2[cell, error] {
	return func(yield func(cell, error) bool) {
		next, stop := iter.Pull(over)
		defer stop()
		top, more := next()
		for below, err := range s.fileCells(bucket) {
			if err != nil {
				yield(cell{}, err)
				return
			}
			for more && bytes.Compare(top.key, below.key) < 0 {
				if !yield(top, nil) {
					return
				}
				top, more = next()
			}
			if more && bytes.Equal(top.key, below.key) {
				continue // the overlay's comes next
			}
			if !yield(below, nil) {
				return
			}
		}
		for ; more; top, more = next() {
			if !yield(top, nil) {
				return
			}
		}
	}
}

// fileCells yields a bucket's cells without their checksums, copied in chunks, so that no consumer runs within the guard.
func (s *Snapshot) fileCells(bucket []byte) iter.Seq2[cell, error] {
	return func(yield func(cell, error) bool) {
		if s.tx == nil {
			return
		}
		var after []byte
		for {
			chunk, err := s.chunk(bucket, after)
			if err != nil {
				yield(cell{}, s.file.note(err))
				return
			}
			for _, c := range chunk {
				if !yield(c, nil) {
					return
				}
			}
			if len(chunk) < chunkCells {
				return
			}
			after = chunk[len(chunk)-1].key
		}
	}
}

// chunk copies the next cells after a key, nil for the first.
func (s *Snapshot) chunk(bucket, after []byte) (cells []cell, err error) {
	err = guard(func() error {
		b := s.tx.Bucket(bucket)
		if b == nil {
			return fmt.Errorf("%w: bucket %s is gone", ErrRebuild, bucket)
		}
		cursor := b.Cursor()
		key, sealed := cursor.First()
		if after != nil {
			if key, sealed = cursor.Seek(after); bytes.Equal(key, after) {
				key, sealed = cursor.Next()
			}
		}
		for ; key != nil && len(cells) < chunkCells; key, sealed = cursor.Next() {
			value, err := unseal(key, sealed)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrRebuild, err)
			}
			cells = append(cells, cell{bytes.Clone(key), bytes.Clone(value)})
		}
		return nil
	})
	return cells, err
}

// Digest returns SHA-256 over every key and value in order, each after its length in a uvarint, and the number of the commit in
// 8 bytes big endian. Equal logs give equal digests however the table came about (T4). only restricts it to one namespace; nil is all.
func (s *Snapshot) Digest(ctx context.Context, only *eventlog.Ordinal) (digest [32]byte, err error) {
	sum := sha256.New()
	var b []byte
	for c, err := range s.Cells() {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return digest, err
		}
		if only != nil && eventlog.Ordinal(binary.BigEndian.Uint32(c.Key[1:])) != *only {
			continue
		}
		b = binary.AppendUvarint(b[:0], uint64(len(c.Key)))
		b = append(b, c.Key...)
		b = binary.AppendUvarint(b, uint64(len(c.Value)))
		sum.Write(b)
		sum.Write(c.Value)
	}
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(s.head.Seq)))
	sum.Sum(digest[:0])
	return digest, nil
}
