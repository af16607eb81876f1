package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/filters"
	"github.com/membrain-db/membrain/projections/graph"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/membrain-db/membrain/projections/state"
)

func timeOf(ms model.Millis) time.Time { return time.UnixMilli(int64(ms)).UTC() }

// Apply takes the projections to the last of records, which are commits in order. When it returns, every read shows them. It is the
// Apply of eventlog.WriterOptions: the writer's goroutine calls it before replies leave, and nobody else does. Commits that are applied
// already are passed over, and those missing before the first are read from the log. A stream whose fact cannot be folded is
// quarantined; nothing stops the others. When state.db turns out to be damaged, Apply rebuilds it.
func (p *Projections) Apply(records []eventlog.Record) {
	p.applying.Lock()
	defer p.applying.Unlock()
	for i := range records {
		p.applyNext(&records[i])
	}
	p.nudge()
}

func (p *Projections) applyNext(r *eventlog.Record) {
	applied := p.AppliedSeq()
	if r.Seq <= applied {
		return
	}
	err := error(nil)
	if r.Seq > applied+1 {
		err = p.live.applyLog(context.Background(), r.Seq-1)
	}
	if err == nil {
		err = p.live.apply(r)
	}
	if err != nil {
		err = p.heal(err)
	}
	if err != nil {
		p.failed.Store(&err)
		return
	}
	p.failed.Store(nil)
	p.facts.Add(int64(len(r.Facts)))
	p.applied.Store(uint64(p.live.table.Load().Applied().Seq))
}

// applyLog applies commits from the log, up to last.
func (w *world) applyLog(ctx context.Context, last eventlog.Seq) error {
	for record, err := range w.p.o.Log.Scan(ctx, w.table.Load().Applied().Seq+1) {
		if err != nil {
			return fmt.Errorf("read log: %w", err)
		}
		if record.Seq > last {
			return nil
		}
		if err := w.apply(&record); err != nil {
			return err
		}
	}
	return nil
}

// apply folds one commit and puts it in place. Errors: the table cannot be read; nothing has changed then.
func (w *world) apply(r *eventlog.Record) error {
	s, err := folder{table: w.table.Load()}.fold(decode(r))
	if err != nil {
		return err
	}
	w.learnNewSymbols(r)
	parts := w.partsOf(s)
	for _, part := range parts {
		part.prepare()
	}
	// Within the lock of one namespace after the other: a reader sees one namespace at a time.
	if err := s.commit(w.table.Load()); err != nil {
		return err
	}
	for _, part := range parts {
		part.place(s.head.Seq)
	}
	return nil
}

// learnNewSymbols reads the symbols that a commit brings, unless LearnSymbols has told of them.
func (w *world) learnNewSymbols(r *eventlog.Record) {
	var err error
	if !w.p.names.knows(model.Symbol(r.Namespace)) {
		err = w.p.names.load(context.Background(), w.p.o.Contents, 0, model.Symbol(r.Namespace))
	}
	if high := model.Symbol(r.SymbolHigh); !w.symbolsOf(r.Namespace).knows(high) {
		err = errors.Join(err, w.loadSymbols(context.Background(), r.Namespace, high))
	}
	if err != nil {
		w.p.o.Listener(Event{Kind: EventFailed, What: "symbols", Namespace: r.Namespace, Seq: r.Seq, Cause: err})
	}
}

// part is what one commit does to one namespace.
type part struct {
	space   *Space
	changes []change
	fresh   map[uint32]*model.Record // of new contents, by ordinal; nil for one that cannot be read
	stale   map[uint32]string        // words of replaced contents; missing for one that cannot be read
}

// partsOf divides a step by namespace, in order of first change.
func (w *world) partsOf(s step) []*part {
	var parts []*part
	for _, c := range s.changes {
		var own *part
		for _, p := range parts {
			if p.space.ordinal == c.stream.Namespace {
				own = p
			}
		}
		if own == nil {
			own = &part{space: w.spaceFor(c.stream.Namespace), fresh: map[uint32]*model.Record{}, stale: map[uint32]string{}}
			parts = append(parts, own)
		}
		own.changes = append(own.changes, c)
	}
	return parts
}

// indexed returns the memory that a row puts into the indexes; nil when it is none, or quarantined.
func indexed(row *state.Row) *model.Memory {
	if row == nil || row.Fault != nil {
		return nil
	}
	return row.Memory
}

// sameContent reports whether two states have one content.
func sameContent(before, after *model.Memory) bool {
	return before != nil && after != nil && before.Content.Number == after.Content.Number
}

// prepare reads the contents of a commit, and adds new ones to the indexes that have locks of their own. They are not live yet.
func (p *part) prepare() {
	var docs []lexical.Doc
	for _, c := range p.changes {
		before, after := indexed(c.before), indexed(c.after)
		if sameContent(before, after) {
			continue
		}
		if before != nil {
			p.readStale(before)
		}
		if after == nil {
			continue
		}
		ordinal, _ := filters.OrdinalOf(after)
		record := p.read(after.Content.Number)
		p.fresh[ordinal] = record
		if record != nil {
			docs = append(docs, lexical.Doc{Ordinal: ordinal, Text: lexicalText(after, record)})
		}
	}
	b := p.space.body // only the projector replaces it, and this is the projector
	b.words.Add(docs)
	for ordinal, record := range p.fresh {
		if record != nil {
			addVector(b.vectors, b.embedder, ordinal, record)
		}
	}
}

func (p *part) readStale(m *model.Memory) {
	ordinal, _ := filters.OrdinalOf(m)
	if r, err := p.space.Record(m.Content.Number); err == nil {
		p.stale[ordinal] = lexicalText(m, &r)
	}
}

// read returns a staged record, or that in contents; nil when there is none to be read.
func (p *part) read(n model.ContentNumber) *model.Record {
	if r, ok := p.space.p.staged.take(stagingKey{p.space.ordinal, n}); ok {
		return r
	}
	r, err := p.space.Record(n)
	if err != nil {
		return nil
	}
	return &r
}

// place makes the commit visible to the readers of the namespace.
func (p *part) place(seq eventlog.Seq) {
	s := p.space
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.body
	b.seq = seq
	var members []graph.Member
	for _, c := range p.changes {
		p.noteFault(c)
		if c.stream == brainStream(s.ordinal) {
			p.placeBrain(c.after)
		}
	}
	for _, c := range p.changes {
		before, after := indexed(c.before), indexed(c.after)
		switch {
		case after != nil:
			b.filters.Put(before, after)
			p.placeMentions(after)
		case before != nil:
			b.filters.Drop(before)
		}
		if sameContent(before, after) {
			continue
		}
		if before != nil {
			p.dropContent(before)
		}
		if after != nil {
			ordinal, _ := filters.OrdinalOf(after)
			members = append(members, memberOf(after, ordinal))
			p.placeContent(ordinal)
		}
	}
	b.sessions.Add(members)
}

func (p *part) noteFault(c change) {
	if c.after.Fault == nil || (c.before != nil && c.before.Fault != nil) {
		return
	}
	q := Quarantined{Stream: c.stream, Seq: c.after.Fault.Seq, Reason: c.after.Fault.Reason}
	p.space.body.quarantined[c.stream] = q
	p.space.p.o.Listener(Event{
		Kind: EventQuarantined, What: c.stream.String(), Namespace: c.stream.Namespace, Seq: q.Seq, Cause: errors.New(q.Reason),
	})
}

func (p *part) placeBrain(row *state.Row) {
	s := p.space
	s.brain.Store(&brainState{brain: row.Brain, head: row.Head})
	if row.Brain == nil {
		return
	}
	s.body.filters.Advance(row.Brain.Tick)
	if row.Brain.Embedder != s.body.embedder {
		p.switchEmbedder(row.Brain.Embedder)
	}
}

func (p *part) placeMentions(m *model.Memory) {
	for _, e := range m.Entities {
		if name, ok := p.space.symbols.text(e.Mention); ok {
			p.space.body.mentions.add(e.Mention, name)
		}
	}
}

// placeContent notes what prepare has read.
func (p *part) placeContent(ordinal uint32) {
	b := p.space.body
	b.changed++
	r := p.fresh[ordinal]
	if r == nil {
		b.unreadable.Add(ordinal)
		return
	}
	b.prints.Add(ordinal, r.Fingerprint)
	addVector(b.next, b.nextRef, ordinal, r)
}

// dropContent takes a replaced content out of every index.
func (p *part) dropContent(m *model.Memory) {
	b := p.space.body
	b.changed++
	ordinal, _ := filters.OrdinalOf(m)
	if words, ok := p.stale[ordinal]; ok {
		b.words.Remove(ordinal, words)
	} else {
		b.words.Purge([]uint32{ordinal})
	}
	b.sessions.Remove(memberOf(m, ordinal))
	b.prints.Remove(ordinal)
	b.unreadable.Remove(ordinal)
	if b.vectors != nil {
		b.vectors.Remove(ordinal)
	}
	if b.next != nil {
		b.next.Remove(ordinal)
	}
}

// switchEmbedder puts the prepared index of the namespace's new embedder in place; when none was prepared it is built here.
func (p *part) switchEmbedder(ref model.EmbedderRef) {
	b := p.space.body
	p.space.p.retire(b.vectors)
	if b.next != nil && b.nextRef == ref {
		b.vectors, b.embedder = b.next, ref
		b.next, b.nextRef = nil, model.EmbedderRef{}
		return
	}
	b.vectors, b.embedder = newVectors(ref), ref
	if b.vectors == nil {
		return
	}
	for it := b.filters.Live().Iterator(); it.HasNext(); {
		ordinal := it.Next()
		if r, err := p.space.Record(model.ContentNumber(ordinal)); err == nil {
			addVector(b.vectors, ref, ordinal, &r)
		}
	}
	for ordinal, r := range p.fresh {
		if r != nil {
			addVector(b.vectors, ref, ordinal, r)
		}
	}
}
