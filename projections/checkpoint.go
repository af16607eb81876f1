package projections

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/projections/state"
	"github.com/membrain-db/membrain/snapshots"
)

// Checkpoint writes the whole table as it is now to the checkpoints, under a name that Thin keeps, or "" for one of those that are thinned
// to 16. Reads and Apply go on meanwhile. Errors: ErrUnavailable without a store of snapshots; those of snapshots.Store.Write.
func (p *Projections) Checkpoint(ctx context.Context, name string) (snapshots.Meta, error) {
	if p.o.Snapshots == nil {
		return snapshots.Meta{}, fmt.Errorf("checkpoint: no folder for checkpoints: %w", ErrUnavailable)
	}
	before := p.facts.Swap(0)
	meta, err := p.checkpoint(ctx, name)
	if err != nil {
		p.facts.Add(before)
		return meta, fmt.Errorf("checkpoint: %w", err)
	}
	p.o.Listener(Event{Kind: EventCheckpoint, What: "checkpoint", Seq: eventlog.Seq(meta.Seq)})
	_, err = p.o.Snapshots.Thin(checkpointsKept)
	return meta, err
}

func (p *Projections) checkpoint(ctx context.Context, name string) (meta snapshots.Meta, err error) {
	snapshot, err := p.live.table.Load().Snapshot()
	if err != nil {
		return meta, p.readFailed(err)
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	head := snapshot.Head()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return p.o.Snapshots.Write(ctx, snapshots.Meta{
		StoreID: p.id.StoreID, Epoch: p.id.Epoch, Seq: uint64(head.Seq), HeadHash: head.Hash,
		Name: name, CreatedMillis: p.o.Clock().UnixMilli(),
	}, cells(snapshot, cancel))
}

// cells yields a snapshot as Write wants it; an error cancels.
func cells(s *state.Snapshot, cancel context.CancelCauseFunc) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		if !yield(formatCell()) {
			return
		}
		for c, err := range s.Cells() {
			if err != nil {
				cancel(err)
				return
			}
			if !yield(c.Key, c.Value) {
				return
			}
		}
	}
}

// formatKey comes before every key of a table. Its row says by which way of folding the checkpoint was made.
const formatKey = "format"

func formatCell() (key, row []byte) { return []byte(formatKey), []byte(fmt.Sprint(foldFormat)) }

func (p *Projections) checkpointDue() bool {
	return p.o.Snapshots != nil && p.o.CheckpointEvery > 0 && p.facts.Load() >= int64(p.o.CheckpointEvery)
}

// fromCheckpoint makes state.db from the newest checkpoint that is whole and belongs to this log; nil when there is none.
func (p *Projections) fromCheckpoint(ctx context.Context) (*state.Table, error) {
	if p.o.Snapshots == nil {
		return nil, nil
	}
	metas, _ := p.o.Snapshots.List() // an unreadable one is passed over like one that does not fit
	for _, m := range metas {
		if !p.fits(m) {
			continue
		}
		table, err := state.Create(filepath.Join(p.o.Dir, tableName), p.id)
		if err != nil {
			return nil, err
		}
		if err = restore(ctx, table, p.o.Snapshots, m); err == nil {
			return table, nil
		}
		if err := errors.Join(table.Close(), ctx.Err()); err != nil {
			return nil, err
		}
		p.rebuilt(filepath.Base(m.Path), 0, err)
	}
	return nil, nil
}

func (p *Projections) fits(m snapshots.Meta) bool {
	return m.StoreID == p.id.StoreID && m.Epoch == p.id.Epoch && p.onLog(headOf(m)) == nil
}

func headOf(m snapshots.Meta) eventlog.Head {
	return eventlog.Head{Seq: eventlog.Seq(m.Seq), Hash: m.HeadHash}
}

// restore fills an empty table from a checkpoint. After an error the table is of no use.
func restore(ctx context.Context, table *state.Table, store *snapshots.Store, m snapshots.Meta) error {
	known := false
	err := store.Read(ctx, m, func(key, row []byte) error {
		if string(key) == formatKey {
			known = string(row) == fmt.Sprint(foldFormat)
			return nil
		}
		if !known {
			return errors.New("checkpoint of another fold")
		}
		return table.Restore(key, row)
	})
	if err != nil {
		return fmt.Errorf("read checkpoint: %w", err)
	}
	if err := table.Commit(headOf(m), nil, nil); err != nil {
		return err
	}
	return table.Flush()
}
