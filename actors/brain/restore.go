package brain

import (
	"context"
	"fmt"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// Dump is a whole namespace with its history, as an export holds it. Commits carry neither namespace nor Prev.
type Dump struct {
	Namespace string
	Symbols   []eventlog.Symbol
	Contents  []eventlog.Content
	Commits   []*eventlog.Commit
}

// Memories counts the memory streams.
func (d Dump) Memories() int {
	n := 0
	for _, c := range d.Commits {
		for i := range c.Facts {
			if c.Facts[i].Stream.Family == eventlog.FamilyMemory && c.Facts[i].Version == 1 {
				n++
			}
		}
	}
	return n
}

// Tick is the interaction tick after the last commit.
func (d Dump) Tick() model.Tick {
	if len(d.Commits) == 0 {
		return 0
	}
	return model.Tick(d.Commits[len(d.Commits)-1].Tick)
}

// CheckFree refuses a namespace that exists already. Errors: state_conflict.
func (e *Engine) CheckFree(namespace string) error {
	if space, ok := e.space(namespace); ok && space.Brain() != nil && space.Brain().Version > 0 {
		return exists(namespace)
	}
	return nil
}

func exists(namespace string) error {
	return model.Failure(model.CodeStateConflict, nil, "namespace %s exists already; an export is restored into a free name", namespace).
		WithHint("name another one with --namespace")
}

// Restore writes a dump into a namespace that does not exist: contents in chunks first, then every commit in one
// append, so a crash leaves all of it or nothing. Errors: *model.Error; validation when the dump's streams have
// gaps.
func (e *Engine) Restore(ctx context.Context, d Dump) (eventlog.Seq, error) {
	leave, err := e.enter()
	if err != nil {
		return 0, err
	}
	defer leave()
	if err := e.CheckFree(d.Namespace); err != nil {
		return 0, err
	}
	h, err := e.brainOf(ctx, d.Namespace, true)
	if err != nil {
		return 0, err
	}
	free, err := h.reserve(ctx)
	if err != nil {
		return 0, failure(err, "restore "+d.Namespace)
	}
	defer free()
	seq, err := e.restore(ctx, h, d)
	if err != nil {
		h.lease.leftover.Store(true) // the brain sweeps what was staged
	}
	return seq, failure(err, "restore "+d.Namespace)
}

// reserve makes the brain of an empty namespace stand back until free is called.
func (h *handle) reserve(ctx context.Context) (free func(), err error) {
	msg := reserve{actors.NewPromise[struct{}]()}
	if err := h.ref.Tell(msg); err != nil {
		return nil, err
	}
	if _, err := msg.Wait(ctx); err != nil {
		return nil, err
	}
	return func() {
		h.lease.inFlight.Add(-1)
		_ = h.ref.Tell(resume{}) // a new brain, if this one is gone, looks at the lease itself
	}, nil
}

func (e *Engine) restore(ctx context.Context, h *handle, d Dump) (eventlog.Seq, error) {
	if err := e.stageDump(ctx, h.ns, d); err != nil {
		return 0, err
	}
	entries, err := d.entries(h.ns, e.writer.Generation())
	if err != nil {
		return 0, err
	}
	done := make(chan eventlog.Result, len(entries))
	for i := range entries {
		entries[i].Done = func(r eventlog.Result) { done <- r }
	}
	if _, err := e.writer.SubmitTogether(entries); err != nil {
		return 0, err
	}
	var last eventlog.Result
	for range entries {
		last = <-done
	}
	if last.Err == nil {
		h.lease.durable.Store(uint64(last.Seq))
	}
	return last.Seq, last.Err
}

// stageDump writes symbols and contents. What another dump has left under the numbers goes first.
func (e *Engine) stageDump(ctx context.Context, ns eventlog.Ordinal, d Dump) error {
	if _, err := e.o.Contents.Sweep(ns, 0, 0); err != nil {
		return failure(err, "sweep the contents")
	}
	put := func(b eventlog.ContentBatch) error {
		b.Namespace = ns
		return failure(e.o.Contents.Put(ctx, []eventlog.ContentBatch{b}), "stage the contents")
	}
	if err := put(eventlog.ContentBatch{Symbols: d.Symbols}); err != nil {
		return err
	}
	var chunk []eventlog.Content
	size := 0
	for _, c := range d.Contents {
		chunk, size = append(chunk, c), size+len(c.Body)
		if size < stageBytes {
			continue
		}
		if err := put(eventlog.ContentBatch{Contents: chunk}); err != nil {
			return err
		}
		chunk, size = nil, 0
	}
	return put(eventlog.ContentBatch{Contents: chunk})
}

// entries numbers the dump's streams anew. Prev is relative to the first commit: SubmitTogether shifts it.
func (d Dump) entries(ns eventlog.Ordinal, generation uint64) ([]eventlog.Entry, error) {
	type head struct {
		version uint64
		at      eventlog.Seq // place in the dump, from 1
	}
	heads := map[eventlog.Stream]head{}
	entries := make([]eventlog.Entry, len(d.Commits))
	for i, c := range d.Commits {
		at := eventlog.Seq(i + 1)
		c.Namespace = ns
		for k := range c.Facts {
			f := &c.Facts[k]
			f.Stream.Namespace = ns
			before := heads[f.Stream]
			if f.Version != before.version+1 {
				return nil, model.Failure(model.CodeValidation, nil, "%s", fmt.Sprintf("commit %d of the export: %s jumps from version %d to %d", at, f.Stream, before.version, f.Version))
			}
			f.Prev = before.at
			if before.at == at {
				f.Prev = eventlog.SameCommit
			}
			heads[f.Stream] = head{f.Version, at}
		}
		entries[i] = eventlog.Entry{Commit: c, Generation: generation}
	}
	return entries, nil
}
