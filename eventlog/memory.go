package eventlog

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
)

const memoryName = "memory"

// Memory is the twin of Bolt that keeps everything in memory, for tests and simulations. It stores the same bytes
// and obeys the same laws, and its Faults make the disk fail on demand. Safe for concurrent use.
type Memory struct {
	Faults Faults

	id       Identity
	log      memoryLog
	contents memoryContents
}

// NewMemory returns an empty store. Its id and secret are constants, so that a simulation repeats itself; a test
// that needs two different stores calls NewMemoryAs.
func NewMemory() *Memory {
	return NewMemoryAs(Identity{StoreID: [16]byte{0: 1}, Epoch: 1, Secret: [32]byte{0: 2}})
}

// NewMemoryAs returns an empty store with the given identity.
func NewMemoryAs(id Identity) *Memory {
	m := &Memory{id: id}
	m.log.store, m.contents.store = m, m
	m.contents.cells = map[Ordinal]*memoryNamespace{}
	return m
}

// Log returns the commits.
func (m *Memory) Log() Log { return &m.log }

// Contents returns the erasable half.
func (m *Memory) Contents() Contents { return &m.contents }

// Identity returns what NewMemoryAs was given.
func (m *Memory) Identity() Identity { return m.id }

// Close closes both halves.
func (m *Memory) Close() error {
	m.log.Close()
	return m.contents.Close()
}

// Reopened returns a store with the same data, as if the process had ended and another had opened the directory.
// The old one is closed. Faults are not taken over.
func (m *Memory) Reopened() *Memory {
	m.Close()
	again := NewMemoryAs(m.id)
	again.log.stored, again.log.head = m.log.stored, m.log.headOnDisk
	again.log.headOnDisk = m.log.headOnDisk
	again.contents.cells = m.contents.cells
	return again
}

var _ Log = (*memoryLog)(nil)

type memoryLog struct {
	store *Memory

	mu         sync.Mutex
	stored     [][]byte // commit n at n-1, as EncodeRecord drew it
	head       Head     // what Append believes
	headOnDisk Head     // ahead of head after an append that was written and then failed
	unknown    bool
	closed     bool
}

func (l *memoryLog) StoreID() [16]byte { return l.store.id.StoreID }
func (l *memoryLog) Epoch() uint64     { return l.store.id.Epoch }

func (l *memoryLog) Head() Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

// Append implements Log.
func (l *memoryLog) Append(ctx context.Context, expected Seq, commits []*Commit) (Head, error) {
	fault := l.store.Faults.append.next()
	fault.wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.head, ErrClosed
	}
	if err := mayAppend(ctx, l.unknown, l.head, expected); err != nil {
		return l.head, err
	}
	if len(commits) == 0 {
		return l.head, nil
	}
	batch, err := encodeBatch(l.head, commits)
	if err != nil {
		return l.head, err
	}
	if fault.err == nil || fault.written {
		l.stored = append(l.stored, batch.stored...)
		l.headOnDisk = batch.head
	}
	if fault.err != nil {
		l.unknown = true
		return l.head, fmt.Errorf("append commits %d to %d: %w", batch.first, batch.head.Seq, unavailable(fault.err))
	}
	batch.assign(commits)
	l.head = batch.head
	return l.head, nil
}

// Reload implements Log.
func (l *memoryLog) Reload() (Head, error) {
	if err := l.store.Faults.reload.next().err; err != nil {
		return Head{}, unavailable(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return Head{}, ErrClosed
	}
	l.unknown, l.head = false, l.headOnDisk
	return l.head, nil
}

// At implements Log.
func (l *memoryLog) At(seq Seq) (Record, error) {
	l.mu.Lock()
	head, closed := l.head.Seq, l.closed
	var stored []byte
	if seq > 0 && seq <= head {
		stored = l.stored[seq-1]
	}
	l.mu.Unlock()
	switch {
	case closed:
		return Record{}, ErrClosed
	case stored == nil:
		return Record{}, fmt.Errorf("commit %d, head is %d: %w", seq, head, ErrNotFound)
	}
	record, err := recordOf(seqKey(seq), stored, seq)
	return record, inFile(err, memoryName, seq)
}

// Scan implements Log.
func (l *memoryLog) Scan(ctx context.Context, from Seq) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		l.mu.Lock()
		stored, closed := l.stored[:l.head.Seq], l.closed // commits are never changed, so a slice is a snapshot
		l.mu.Unlock()
		if closed {
			yield(Record{}, ErrClosed)
			return
		}
		var prev *[32]byte
		for seq := max(from, 1); seq <= Seq(len(stored)); seq++ {
			record, err := chained(stored[seq-1], seq, prev)
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(Record{}, inFile(err, memoryName, seq))
				return
			}
			if !yield(record, nil) {
				return
			}
			prev = &record.Hash
		}
	}
}

func (l *memoryLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return nil
}

// Damage flips the bits of mask in one byte of a stored commit, counted from its start and wrapping at its end.
// For tests of how damage is noticed. It panics when there is no such commit.
func (m *Memory) Damage(seq Seq, offset int, mask byte) {
	m.log.mu.Lock()
	defer m.log.mu.Unlock()
	// A copy, because a scan under way may hold the old bytes.
	stored := bytes.Clone(m.log.stored[seq-1])
	stored[offset%len(stored)] ^= mask
	m.log.stored = slices.Clone(m.log.stored)
	m.log.stored[seq-1] = stored
}
