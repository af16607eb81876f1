package state

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/membrain-db/membrain/eventlog"
	"go.etcd.io/bbolt"
)

// Flush writes what has changed into the file, in one transaction, and returns when it is on the disk (T2). Readers
// and Commit go on meanwhile. After an error everything is as before, in memory. Errors: ErrUnavailable; ErrRebuild; ErrClosed.
func (t *Table) Flush() error {
	if t.file == nil {
		return nil
	}
	t.flushing.Lock()
	defer t.flushing.Unlock()
	h, begun, err := t.beginFlush()
	if err != nil || !begun {
		return err
	}
	err = t.file.write(t.flush, h)
	t.endFlush(err == nil)
	if err != nil {
		return fmt.Errorf("flush state table at commit %d: %w", h.applied.Seq, err)
	}
	return nil
}

func (t *Table) beginFlush() (h header, begun bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return h, false, ErrClosed
	}
	h = header{Identity: t.id, applied: t.applied, rows: t.rows, requests: t.requests}
	if t.dirty.size() == 0 && h.applied == t.file.applied {
		return h, false, nil
	}
	t.flush, t.dirty = t.dirty, newOverlay()
	return h, true, nil
}

func (t *Table) endFlush(written bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if written {
		t.recent, t.flush = t.flush, nil
		return
	}
	// What came meanwhile is newer and stays on top.
	maps.Copy(t.flush.rows, t.dirty.rows)
	maps.Copy(t.flush.requests, t.dirty.requests)
	t.dirty, t.flush = t.flush, nil
}

// cell is a key and its sealed value.
type cell struct{ key, value []byte }

func (o *overlay) rowCells() []cell {
	cells := make([]cell, 0, len(o.rows))
	for stream, row := range o.rows {
		key := AppendKey(make([]byte, 0, keyBytes), stream)
		cells = append(cells, cell{key, seal(key, row.Append(nil))})
	}
	return sorted(cells)
}

func (o *overlay) requestCells() []cell {
	cells := make([]cell, 0, len(o.requests))
	for k, seq := range o.requests {
		key := appendRequestKey(make([]byte, 0, requestKeyBytes), k)
		cells = append(cells, cell{key, seal(key, binary.BigEndian.AppendUint64(nil, uint64(seq)))})
	}
	return sorted(cells)
}

func sorted(cells []cell) []cell {
	slices.SortFunc(cells, func(a, b cell) int { return bytes.Compare(a.key, b.key) })
	return cells
}

// write puts an overlay and its header into the file.
func (f *file) write(o *overlay, h header) error {
	rows, requests := o.rowCells(), o.requestCells()
	sealed := seal(headerKey, h.append(nil))
	err := f.update(func(tx *bbolt.Tx) error {
		if err := putAll(tx, rowsBucket, rows); err != nil {
			return err
		}
		if err := putAll(tx, requestsBucket, requests); err != nil {
			return err
		}
		return putAll(tx, metaBucket, []cell{{headerKey, sealed}})
	})
	if err == nil {
		f.applied = h.applied
	}
	return err
}

func putAll(tx *bbolt.Tx, name []byte, cells []cell) error {
	bucket := tx.Bucket(name)
	if bucket == nil {
		return fmt.Errorf("bucket %s is gone: %w", name, ErrRebuild)
	}
	for _, c := range cells {
		if err := bucket.Put(c.key, c.value); err != nil {
			return err
		}
	}
	return nil
}

func parseSeq(b []byte) (eventlog.Seq, error) {
	if len(b) != 8 {
		return 0, fmt.Errorf("seq of %d bytes", len(b))
	}
	return eventlog.Seq(binary.BigEndian.Uint64(b)), nil
}

func compareStreams(a, b eventlog.Stream) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Family, b.Family), bytes.Compare(a.ID[:], b.ID[:]))
}
