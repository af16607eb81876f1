package state

import (
	"sync"

	"github.com/membrain-db/membrain/eventlog"
)

// Table holds the rows. One writer (Commit, Flush) and any number of readers may use it at once.
type Table struct {
	id   Identity
	file *file // nil for a table in memory

	flushing sync.Mutex // orders flushes

	mu       sync.RWMutex
	applied  eventlog.Head
	rows     uint64
	requests uint64
	dirty    *overlay // changed since the last flush began
	flush    *overlay // on its way into the file; nil when no flush runs
	recent   *overlay // what the last flush wrote, kept as a cache
	closed   bool
}

// overlay is a set of changes over the file.
type overlay struct {
	rows     map[eventlog.Stream]*Row
	requests map[requestKey]eventlog.Seq
}

type requestKey struct {
	namespace eventlog.Ordinal
	digest    [16]byte
}

func newOverlay() *overlay {
	return &overlay{rows: map[eventlog.Stream]*Row{}, requests: map[requestKey]eventlog.Seq{}}
}

// InMemory returns an empty table without a file. Flush does nothing there.
func InMemory(id Identity) *Table {
	return &Table{id: id, dirty: newOverlay()}
}

// Change is a stream's new row.
type Change struct {
	Stream eventlog.Stream
	Row    *Row
	New    bool // the stream had no row before
}

// Request is an acknowledged request.
type Request struct {
	Namespace eventlog.Ordinal
	Digest    [16]byte
	Seq       eventlog.Seq
}

// Applied returns the commit that the table shows (T1).
func (t *Table) Applied() eventlog.Head {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.applied
}

// Commit takes the table to commit head. A request that is known already keeps its first commit.
// Errors: those of reading the file, with nothing changed.
func (t *Table) Commit(head eventlog.Head, changes []Change, requests []Request) error {
	fresh, err := t.unknown(requests)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range changes {
		t.dirty.rows[c.Stream] = c.Row
		if c.New {
			t.rows++
		}
	}
	for _, r := range fresh {
		t.dirty.requests[requestKey{r.Namespace, r.Digest}] = r.Seq
		t.requests++
	}
	t.applied = head
	return nil
}

func (t *Table) unknown(requests []Request) (fresh []Request, err error) {
	for _, r := range requests {
		_, known, err := t.Request(r.Namespace, r.Digest)
		if err != nil {
			return nil, err
		}
		if !known {
			fresh = append(fresh, r)
		}
	}
	return fresh, nil
}

// Restore fills an empty table with rows of a checkpoint; call Commit with its head afterwards.
func (t *Table) Restore(key, value []byte) error {
	kind, key, err := parseSnapshotKey(key)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if kind == snapshotRequest {
		return t.restoreRequest(key, value)
	}
	stream, err := ParseKey(key)
	if err != nil {
		return err
	}
	row, err := ParseRow(value)
	if err != nil {
		return err
	}
	t.dirty.rows[stream] = row
	t.rows++
	return nil
}

func (t *Table) restoreRequest(key, value []byte) error {
	k, err := parseRequestKey(key)
	if err != nil {
		return err
	}
	seq, err := parseSeq(value)
	t.dirty.requests[k] = seq
	t.requests++
	return err
}

// Get returns the row of a stream. Errors: ErrRebuild when the file has been damaged meanwhile; ErrUnavailable; ErrClosed.
func (t *Table) Get(s eventlog.Stream) (row *Row, ok bool, err error) {
	t.mu.RLock()
	for _, o := range [...]*overlay{t.dirty, t.flush, t.recent} {
		if o == nil {
			continue
		}
		if row, ok := o.rows[s]; ok {
			t.mu.RUnlock()
			return row, true, nil
		}
	}
	closed := t.closed
	t.mu.RUnlock()
	switch {
	case closed:
		return nil, false, ErrClosed
	case t.file == nil:
		return nil, false, nil
	}
	// A flush that ends in between has put into the file what the overlays held: nothing falls through.
	return t.file.row(s)
}

// Request returns the commit that acknowledged a request. Errors: as for Get.
func (t *Table) Request(ns eventlog.Ordinal, digest [16]byte) (seq eventlog.Seq, ok bool, err error) {
	k := requestKey{ns, digest}
	t.mu.RLock()
	for _, o := range [...]*overlay{t.dirty, t.flush, t.recent} {
		if o == nil {
			continue
		}
		if seq, ok := o.requests[k]; ok {
			t.mu.RUnlock()
			return seq, true, nil
		}
	}
	closed := t.closed
	t.mu.RUnlock()
	switch {
	case closed:
		return 0, false, ErrClosed
	case t.file == nil:
		return 0, false, nil
	}
	return t.file.request(k)
}

// Stats describes a table.
type Stats struct {
	Applied   eventlog.Seq
	Rows      uint64
	Requests  uint64
	Dirty     int   // rows and requests not yet in the file
	FileBytes int64 // 0 in memory
}

// Stats returns figures for people, and for deciding when to flush.
func (t *Table) Stats() Stats {
	t.mu.RLock()
	defer t.mu.RUnlock()
	s := Stats{Applied: t.applied.Seq, Rows: t.rows, Requests: t.requests, Dirty: t.dirty.size()}
	if t.flush != nil {
		s.Dirty += t.flush.size()
	}
	if t.file != nil {
		s.FileBytes = t.file.size()
	}
	return s
}

// Dirty returns how many rows and requests are not yet in the file. In memory it is 0.
func (t *Table) Dirty() int {
	if t.file == nil {
		return 0
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.dirty.size()
}

func (o *overlay) size() int { return len(o.rows) + len(o.requests) }

// Close closes the file without a flush: what is not in it is folded again at the next open.
func (t *Table) Close() error {
	t.flushing.Lock()
	defer t.flushing.Unlock()
	t.mu.Lock()
	closed := t.closed
	t.closed = true
	t.mu.Unlock()
	if closed || t.file == nil {
		return nil
	}
	return t.file.close()
}
