package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/membrain-db/membrain/projections/fingerprints"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/membrain-db/membrain/projections/state"
	"github.com/membrain-db/membrain/vectors"
)

// nudge tells run that something has changed. It never waits.
func (p *Projections) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// run is the goroutine that writes derived files, off the reply path. Open starts it, Close stops it.
func (p *Projections) run() {
	defer close(p.stopped)
	p.countFacts()
	var due <-chan time.Time
	for {
		select {
		case <-p.stop:
			return
		case <-due:
			due = nil
			p.background(true)
		case <-p.wake:
			if p.background(false) && due == nil {
				due = time.After(p.o.FlushAfter)
			}
		}
	}
}

// background does what is due. more says that there are changes that are not in the file yet.
func (p *Projections) background(flush bool) (more bool) {
	p.healIfDamaged()
	dirty := p.live.table.Load().Dirty()
	if dirty >= p.o.FlushRows || flush && dirty > 0 {
		p.report("flush", p.flush())
		p.report("index", p.saveIndexes(indexSaveDocs))
		dirty = p.live.table.Load().Dirty()
	}
	if p.checkpointDue() {
		_, err := p.Checkpoint(context.Background(), "")
		p.report("checkpoint", err)
	}
	return dirty > 0
}

func (p *Projections) report(what string, err error) {
	if err != nil && !errors.Is(err, ErrClosed) {
		p.o.Listener(Event{Kind: EventFailed, What: what, Seq: p.AppliedSeq(), Cause: err})
	}
}

func (p *Projections) flush() error {
	table := p.live.table.Load()
	err := table.Flush()
	if err == nil || p.live.table.Load() != table {
		return nil
	}
	return fmt.Errorf("flush projections: %w", p.readFailed(err))
}

// healIfDamaged makes the table anew when a reader or a flush has met damage in it.
func (p *Projections) healIfDamaged() {
	if !p.damaged.Swap(false) {
		return
	}
	p.applying.Lock()
	defer p.applying.Unlock()
	if err := p.heal(fmt.Errorf("%s: %w", tableName, state.ErrRebuild)); err != nil {
		p.failed.Store(&err)
		p.report("rebuild", err)
	}
}

// Flush writes the state table, and the index files if enough has changed since they were saved. Reads and Apply go on. Losing what was
// not flushed costs time at the next open, never truth. Errors: of the file system.
func (p *Projections) Flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(p.flush(), p.saveIndexes(indexSaveDocs))
}

// saveIndexes saves the index files of the namespaces of which at least min documents have changed since they were saved.
func (p *Projections) saveIndexes(min int) error {
	p.saving.Lock()
	defer p.saving.Unlock()
	var errs []error
	for _, s := range p.live.all() {
		s.mu.RLock()
		changed := s.body.changed
		s.mu.RUnlock()
		if changed >= max(1, min) {
			errs = append(errs, s.save())
		}
	}
	return errors.Join(errs...)
}

// save writes the index files of a namespace. What is applied meanwhile may be in one and not in the other: reconcile sees to that.
func (s *Space) save() error {
	s.mu.Lock()
	b := s.body
	seq, words, vecs, embedder := b.seq, b.words, b.vectors, s.embedderID()
	prints := b.prints.Bytes(s.printsHeader(seq))
	saved := b.changed
	b.changed = 0
	s.mu.Unlock()
	err := errors.Join(
		fingerprints.WriteFile(s.printsPath(), prints),
		words.SaveFile(s.wordsPath(), lexical.Header{Namespace: uint32(s.ordinal), Seq: uint64(seq)}),
		saveVectors(s.vectorsPath(), vecs, vectors.Header{Namespace: uint32(s.ordinal), Seq: uint64(seq), EmbedderID: embedder}),
	)
	if err != nil {
		s.mu.Lock()
		b.changed += saved
		s.mu.Unlock()
		return fmt.Errorf("save indexes of namespace %d: %w", s.ordinal, err)
	}
	return nil
}

// Close saves everything that has changed and stops. Apply and reads must have ended. A second Close does nothing.
func (p *Projections) Close() error {
	p.closing.Lock()
	defer p.closing.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	close(p.stop)
	<-p.stopped
	p.applying.Lock()
	defer p.applying.Unlock()
	table := p.live.table.Load()
	err := errors.Join(table.Flush(), p.saveIndexes(1), table.Close())
	for _, s := range p.live.all() {
		p.retire(s.body.vectors)
		p.retire(s.body.next)
	}
	p.retired.Wait()
	return err
}

// countFacts makes up for the facts that earlier processes folded since the last checkpoint: at least one a commit.
func (p *Projections) countFacts() {
	if p.o.Snapshots == nil || p.o.CheckpointEvery < 0 {
		return
	}
	since := int64(p.AppliedSeq())
	metas, _ := p.o.Snapshots.List()
	if len(metas) > 0 && metas[0].Epoch == p.id.Epoch {
		since -= int64(metas[0].Seq)
	}
	if have := p.facts.Load(); since > have {
		p.facts.Add(since - have)
	}
}
