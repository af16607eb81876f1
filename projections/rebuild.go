package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/membrain-db/membrain/projections/state"
)

// rebuildTailMax is how many commits a rebuild may leave to be folded while Apply waits.
const rebuildTailMax = 256

// rebuildRoundsMax is how often a rebuild runs after the log before it lets Apply wait.
const rebuildRoundsMax = 16

// Rebuild folds the whole log again, beside the present projections, and indexes every content anew; no derived file is read, checkpoints
// neither. Readers keep the old view, and Apply goes on, until the new one takes its place at the head of the log. progress may be nil.
// Errors: those of the log and contents, of ctx, of the file system; the old projections stay then. ErrClosed.
func (p *Projections) Rebuild(ctx context.Context, progress func(done, total uint64)) error {
	p.closing.Lock()
	defer p.closing.Unlock()
	if p.closed {
		return ErrClosed
	}
	if progress == nil {
		progress = func(uint64, uint64) {}
	}
	fresh, err := p.shadow(ctx, progress)
	if err != nil {
		return fmt.Errorf("rebuild projections: %w", err)
	}
	p.applying.Lock()
	defer p.applying.Unlock()
	if err := p.replaceBy(ctx, fresh); err != nil {
		return fmt.Errorf("rebuild projections: %w", err)
	}
	return nil
}

// shadow makes a second world from the log, up to a few commits before its head.
func (p *Projections) shadow(ctx context.Context, progress func(done, total uint64)) (_ *world, err error) {
	table, err := state.Create(filepath.Join(p.o.Dir, rebuildName), p.id)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, table.Close())
		}
	}()
	for p.o.Log.Head().Seq > table.Applied().Seq+rebuildTailMax || table.Applied().Seq == 0 {
		commits, _, err := catchUp(ctx, p.o.Log, table, everything, progress)
		if err != nil {
			return nil, err
		}
		if commits == 0 {
			break
		}
	}
	w := newWorld(p, table)
	if err := w.loadShadow(ctx); err != nil {
		return nil, err
	}
	err = w.follow(ctx)
	return w, err
}

// follow applies what has come to the log meanwhile, until little is left or the log outruns it.
func (w *world) follow(ctx context.Context) error {
	for range rebuildRoundsMax {
		head := w.p.o.Log.Head().Seq
		if head <= w.table.Load().Applied().Seq+rebuildTailMax {
			return nil
		}
		if err := w.applyLog(ctx, head); err != nil {
			return err
		}
		if err := w.table.Load().Flush(); err != nil {
			return err
		}
	}
	return nil
}

// loadShadow builds the namespaces of a second world. It sweeps nothing: commits may be under way.
func (w *world) loadShadow(ctx context.Context) error {
	memories, err := w.loadRows(ctx)
	if err != nil {
		return err
	}
	for _, s := range w.all() {
		if err := w.loadSymbols(ctx, s.ordinal, 0); err != nil {
			return err
		}
		if err := s.load(ctx, memories[s.ordinal], false); err != nil {
			return err
		}
	}
	return nil
}

// replaceBy brings a second world to where the first is and puts it in its place. The caller holds applying and closing.
func (p *Projections) replaceBy(ctx context.Context, fresh *world) error {
	last := max(p.AppliedSeq(), fresh.table.Load().Applied().Seq)
	err := fresh.applyLog(ctx, last)
	if err == nil {
		err = fresh.table.Load().Flush()
	}
	if err != nil {
		return errors.Join(err, fresh.table.Load().Close())
	}
	old := p.live.table.Load()
	if err := os.Rename(filepath.Join(p.o.Dir, rebuildName), filepath.Join(p.o.Dir, tableName)); err != nil {
		return errors.Join(err, fresh.table.Load().Close())
	}
	p.live.table.Store(fresh.table.Load())
	p.live.adopt(fresh)
	p.applied.Store(uint64(fresh.table.Load().Applied().Seq))
	p.failed.Store(nil)
	p.rebuilds.Add(1)
	return errors.Join(ignoreDamage(old.Close()), p.saveIndexes(1))
}

// adopt takes the bodies of another world into this one's spaces, which readers hold. Symbols of its own stay:
// they may be ahead.
func (w *world) adopt(fresh *world) {
	for _, s := range fresh.all() {
		own := w.spaceFor(s.ordinal)
		own.symbols.adopt(s.symbols)
		own.mu.Lock()
		s.body.next, s.body.nextRef = own.body.next, own.body.nextRef
		w.p.retire(own.body.vectors)
		own.body = s.body
		own.brain.Store(s.brain.Load())
		own.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for ord := range w.spaces {
		if _, ok := fresh.spaces[ord]; !ok {
			delete(w.spaces, ord)
		}
	}
}

// heal makes the projections anew after their table turned out to be damaged. The caller holds applying.
func (p *Projections) heal(cause error) error {
	p.o.Listener(Event{Kind: EventRebuilt, What: tableName, Seq: p.AppliedSeq(), Cause: cause})
	ctx := context.Background()
	fresh, err := p.shadow(ctx, func(uint64, uint64) {})
	if err == nil {
		err = p.replaceBy(ctx, fresh)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, errors.Join(cause, err))
	}
	return nil
}

// ignoreDamage passes over what closing a damaged table says: it is gone already.
func ignoreDamage(err error) error {
	if errors.Is(err, state.ErrRebuild) {
		return nil
	}
	return err
}
