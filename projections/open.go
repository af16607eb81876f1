package projections

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/state"
)

const (
	tableName   = "state.db"
	rebuildName = "state.db.rebuild"
)

// Open loads the projections of a log, folds what came after they were saved, makes anew what is missing, damaged or foreign, and
// removes contents and symbols of commits that never happened. It returns when everything shows the head of the log.
// Errors: codec.ErrUnsupported when the log holds facts of a newer version, with nothing written; those of the log and of contents;
// those of ctx; of the file system.
func Open(ctx context.Context, o Options) (*Projections, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Projections{
		o:       o,
		id:      state.Identity{StoreID: o.Log.StoreID(), Epoch: o.Log.Epoch(), Format: foldFormat},
		names:   newSymbols(),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
		wake:    make(chan struct{}, 1),
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("projections: make data directory: %w", err)
	}
	if err := p.open(ctx); err != nil {
		return nil, fmt.Errorf("open projections: %w", err)
	}
	go p.run()
	p.nudge()
	return p, nil
}

func (p *Projections) open(ctx context.Context) error {
	_ = os.Remove(filepath.Join(p.o.Dir, rebuildName)) // what a rebuild that did not end has left; absent is the rule
	table, err := p.openTable(ctx)
	if err != nil {
		return err
	}
	facts, err := p.loadFrom(ctx, table)
	if errors.Is(err, state.ErrRebuild) { // damage that shows only while rows are read
		if table, err = p.replaceTable(ctx, table, err); err == nil {
			facts, err = p.loadFrom(ctx, table)
		}
	}
	if err != nil {
		return errors.Join(err, table.Close())
	}
	p.facts.Store(int64(facts))
	p.applied.Store(uint64(table.Applied().Seq))
	return nil
}

// loadFrom folds the tail of the log over a table and builds everything from it.
func (p *Projections) loadFrom(ctx context.Context, table *state.Table) (facts uint64, err error) {
	p.live = newWorld(p, table)
	if _, facts, err = catchUp(ctx, p.o.Log, table, everything, p.o.Progress); err != nil {
		return facts, err
	}
	return facts, p.live.load(ctx, true)
}

// replaceTable closes a damaged table and makes it anew. The table returned is to be closed also after an error.
func (p *Projections) replaceTable(ctx context.Context, broken *state.Table, cause error) (*state.Table, error) {
	if err := broken.Close(); err != nil {
		return broken, errors.Join(cause, err)
	}
	table, err := p.newTable(ctx, cause)
	if err != nil {
		return broken, err
	}
	return table, nil
}

// openTable opens state.db if it belongs to the log, and else makes it anew.
func (p *Projections) openTable(ctx context.Context) (*state.Table, error) {
	table, err := state.Open(filepath.Join(p.o.Dir, tableName), p.id)
	if errors.Is(err, state.ErrUnavailable) {
		return nil, err
	}
	if err == nil {
		if err = p.onLog(table.Applied()); err == nil {
			return table, nil
		}
		// The log is not the one that the files were made from: none of them can be trusted.
		if err := errors.Join(table.Close(), os.RemoveAll(filepath.Join(p.o.Dir, indexName))); err != nil {
			return nil, err
		}
	}
	return p.newTable(ctx, err)
}

// onLog checks that a commit is one of the log's. Errors: it is not; the log's.
func (p *Projections) onLog(head eventlog.Head) error {
	if head.Seq == 0 {
		return nil
	}
	if end := p.o.Log.Head().Seq; head.Seq > end {
		return fmt.Errorf("made from a log of at least %d commits, this one has %d", head.Seq, end)
	}
	record, err := p.o.Log.At(head.Seq)
	if err != nil {
		return err
	}
	if record.Hash != head.Hash {
		return fmt.Errorf("commit %d is another one than it was made from", head.Seq)
	}
	return nil
}

// newTable makes state.db from the newest checkpoint that fits, or empty.
func (p *Projections) newTable(ctx context.Context, cause error) (*state.Table, error) {
	if p.o.Log.Head().Seq > 0 {
		p.rebuilt(tableName, 0, cause)
	}
	table, err := p.fromCheckpoint(ctx)
	if table != nil || err != nil {
		return table, err
	}
	return state.Create(filepath.Join(p.o.Dir, tableName), p.id)
}

// rebuilt tells that a derived file is made anew. One that was never there is no news.
func (p *Projections) rebuilt(what string, ns eventlog.Ordinal, cause error) {
	if cause == nil || errors.Is(cause, fs.ErrNotExist) && p.o.Log.Head().Seq == 0 {
		return
	}
	p.rebuilds.Add(1)
	p.o.Listener(Event{Kind: EventRebuilt, What: what, Namespace: ns, Cause: cause})
}

// load builds the namespaces from the table. index files are used when useFiles says so; what they lack or have too much is mended.
func (w *world) load(ctx context.Context, useFiles bool) error {
	if err := w.p.names.load(ctx, w.p.o.Contents, 0, 0); err != nil {
		return err
	}
	if useFiles {
		if err := w.p.ownIndexes(); err != nil {
			return err
		}
	}
	memories, err := w.loadRows(ctx)
	if err != nil {
		return err
	}
	for _, s := range w.all() {
		if err := w.sweep(s); err != nil {
			return err
		}
		if err := w.loadSymbols(ctx, s.ordinal, 0); err != nil {
			return err
		}
		if err := s.load(ctx, memories[s.ordinal], useFiles); err != nil {
			return err
		}
	}
	return w.sweepNames(ctx)
}

// sweep removes contents and symbols of a namespace that no commit names. Without a brain nothing says what is named.
func (w *world) sweep(s *Space) error {
	b := s.Brain()
	if b == nil {
		return nil
	}
	if _, err := w.p.o.Contents.Sweep(s.ordinal, uint64(b.ContentHigh), uint64(b.SymbolHigh)); err != nil {
		return fmt.Errorf("sweep namespace %d: %w", s.ordinal, err)
	}
	return nil
}

// sweepNames removes namespaces that were named and never created. Contents of the store itself are left alone.
func (w *world) sweepNames(ctx context.Context) error {
	last := eventlog.Ordinal(0)
	for _, s := range w.all() {
		last = max(last, s.ordinal)
	}
	w.p.names.mu.RLock()
	high := w.p.names.high
	w.p.names.mu.RUnlock()
	if uint64(high) <= uint64(last) {
		return nil
	}
	for ns := uint64(last) + 1; ns <= uint64(high); ns++ {
		if _, err := w.p.o.Contents.Sweep(eventlog.Ordinal(ns), 0, 0); err != nil {
			return fmt.Errorf("sweep namespace %d: %w", ns, err)
		}
	}
	if _, err := w.p.o.Contents.Sweep(0, ^uint64(0), uint64(last)); err != nil {
		return fmt.Errorf("sweep names: %w", err)
	}
	return w.p.names.load(ctx, w.p.o.Contents, 0, model.Symbol(last))
}

// loadRows reads the table, and returns the memories of each namespace that are in service.
func (w *world) loadRows(ctx context.Context) (memories map[eventlog.Ordinal][]*model.Memory, err error) {
	snapshot, err := w.table.Load().Snapshot()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	memories = map[eventlog.Ordinal][]*model.Memory{}
	err = snapshot.Rows(ctx, func(stream eventlog.Stream, row *state.Row) error {
		s := w.spaceFor(stream.Namespace)
		s.body.seq = snapshot.Head().Seq
		if row.Fault != nil {
			s.body.quarantined[stream] = Quarantined{Stream: stream, Seq: row.Fault.Seq, Reason: row.Fault.Reason}
		}
		if stream == brainStream(stream.Namespace) {
			s.brain.Store(&brainState{brain: row.Brain, head: row.Head})
		}
		if m := indexed(row); m != nil {
			memories[stream.Namespace] = append(memories[stream.Namespace], m)
		}
		return nil
	})
	return memories, err
}
