package brain

import (
	"errors"
	"fmt"
	"time"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// resumeAfter is the pause before something is tried again that no message will announce: the log's queue was full,
// or commits of an earlier incarnation are in flight.
const resumeAfter = 2 * time.Millisecond

// submitReady submits the jobs at the front whose proposals are all in (B1).
func (b *brain) submitReady(c *actors.Context) {
	for len(b.gathering) > 0 && b.gathering[0].missing == 0 && b.broken == nil {
		j := b.gathering[0]
		if err := b.build(j); err != nil {
			b.refuse(j, err)
			continue
		}
		if !b.submit(j) {
			return
		}
	}
	b.admitReady(c)
}

// submit hands the front job's commit to the writer. false: not now, or not any more.
func (b *brain) submit(j *job) bool {
	entry := eventlog.Entry{
		Commit: j.commit, Contents: j.contents, Symbols: j.symbols, Generation: b.generation, Done: b.done(j),
	}
	b.lease.inFlight.Add(1)
	seq, err := b.e.submit(entry, staged{ns: b.ns, symbols: j.symbols, records: j.records})
	if err == nil {
		b.submitted(j, seq)
		return true
	}
	b.lease.inFlight.Add(-1)
	switch {
	case errors.Is(err, eventlog.ErrBusy):
		b.resumeLater()
		return false
	case errors.Is(err, eventlog.ErrUnavailable), errors.Is(err, eventlog.ErrClosed):
		b.breakDown(err)
		return false
	}
	b.refuse(j, err)
	return true
}

// done is called by the writer. The lease is given back before the brain hears of it, because that brain may be gone.
func (b *brain) done(j *job) func(eventlog.Result) {
	self, lease := b.self, b.lease
	return func(r eventlog.Result) {
		if r.Err == nil {
			lease.durable.Store(uint64(r.Seq))
		} else {
			lease.leftover.Store(true)
		}
		lease.inFlight.Add(-1)
		m := durable{job: j, Result: r}
		if err := self.TellUncapped(m); err != nil {
			m.Undelivered(err)
		}
	}
}

func (b *brain) submitted(j *job, seq eventlog.Seq) {
	j.fate.seq = seq
	b.ahead.born = true
	b.ahead.head = seq
	b.ahead.tick = max(b.ahead.tick, model.Tick(j.commit.Tick)) // later jobs may be ahead already
	for i := range j.commit.Facts {
		if s := j.commit.Facts[i].Stream; s.Family == eventlog.FamilyBrain {
			b.ahead.version = j.commit.Facts[i].Version
		} else if t := b.touched[model.MemoryID(s.ID)]; t != nil {
			t.seq = seq
		}
	}
	b.gathering = b.gathering[1:]
	b.flight = append(b.flight, j)
}

// refuse ends the front job, which will never be a commit. When memories have proposed for it, that has to be undone
// like a failure.
func (b *brain) refuse(j *job, err error) {
	j.fail(err)
	if j.decided() {
		b.breakDown(fmt.Errorf("an earlier request was refused by the log: %w", eventlog.ErrUnavailable))
		return
	}
	if j.takeBack != nil {
		j.takeBack()
	}
	b.forget(j)
	b.gathering = b.gathering[1:]
	if len(b.gathering) > 0 {
		next := b.gathering[0]
		next.symbols = append(j.symbols, next.symbols...)
	} else {
		b.ahead.carry = append(j.symbols, b.ahead.carry...)
	}
}

func (b *brain) resumeLater() {
	if b.resuming {
		return
	}
	b.resuming = true
	self := b.self
	time.AfterFunc(resumeAfter, func() { _ = self.TellUncapped(resume{}) }) // a stopped brain submits nothing
}

// build makes the front job's commit, once. An error means that nothing is to be written.
func (b *brain) build(j *job) (err error) {
	if j.commit == nil {
		j.commit, err = b.commit(j)
	}
	return err
}

func (b *brain) commit(j *job) (*eventlog.Commit, error) {
	facts, err := b.brainFacts(j)
	if err != nil {
		return nil, err
	}
	commit := &eventlog.Commit{
		Namespace: b.ns, Tick: uint64(tickAfter(j)), TimeMillis: int64(j.at.Now), RequestDigest: j.digest,
		ContentHigh: uint64(j.contentHigh), SymbolHigh: uint64(j.symbolHigh),
		Agent: uint64(j.agent), Door: j.caller.Door.String(), Verb: j.verb.String(),
	}
	version, head := b.ahead.version, b.ahead.head
	for _, f := range facts {
		version++
		if err := add(commit, eventlog.Stream{Namespace: b.ns, Family: eventlog.FamilyBrain}, version, head, f); err != nil {
			return nil, err
		}
		head = eventlog.SameCommit
	}
	if j.refused == nil {
		if err := b.memoryFacts(commit, j); err != nil {
			return nil, err
		}
	}
	return commit, nil
}

// tickAfter is the namespace's tick after the job: a refused one gives its tick back.
func tickAfter(j *job) model.Tick {
	if j.refused != nil && j.waits {
		return j.at.Tick - 1
	}
	return j.at.Tick
}

// brainFacts are the facts of the brain's own stream: the namespace's birth, repeats of refusals, and then the
// receipt with what the plan adds, or the audit fact of a refusal.
func (b *brain) brainFacts(j *job) ([]model.Fact, error) {
	verdict, err := b.verdict(j)
	if err != nil {
		return nil, err
	}
	var facts []model.Fact
	if !b.ahead.born {
		facts = append(facts, b.birth(j))
	}
	j.repeats = b.refusals.take(j.caller.Agent)
	for _, r := range j.repeats {
		facts = append(facts, r)
	}
	facts = append(facts, verdict)
	if j.refused == nil {
		facts = append(facts, j.own...)
	}
	return facts, nil
}

// verdict is the receipt, or the audit fact of a refusal: then nothing else of the job is written. An error means that
// nothing at all is.
func (b *brain) verdict(j *job) (model.Fact, error) {
	accepted, err := j.plan.receipt(j)
	var refused *model.RefusedError
	switch {
	case errors.As(err, &refused):
		j.refused = failure(err, "apply the request")
		j.contents, j.records = nil, nil
		return b.refusal(j, refused)
	case err != nil:
		return nil, err
	}
	accepted.Verb, accepted.BodyDigest, accepted.Tick, accepted.At = j.verb, j.body, j.at.Tick, j.at.Now
	j.accepted = accepted
	return accepted, nil
}

func (b *brain) birth(j *job) model.Fact {
	b.ahead.embedder = b.e.embedderRef(b.symbol(j, b.e.o.Embedder.ID()))
	return model.NamespaceCreated{Params: b.ahead.params, Embedder: b.ahead.embedder}
}

func (b *brain) memoryFacts(commit *eventlog.Commit, j *job) error {
	for _, f := range j.births {
		stream := eventlog.Stream{Namespace: b.ns, Family: eventlog.FamilyMemory, ID: f.Memory.ID}
		if err := add(commit, stream, 1, 0, f); err != nil {
			return err
		}
	}
	for i, p := range j.got {
		if len(p.Facts) == 0 {
			continue
		}
		stream := eventlog.Stream{Namespace: b.ns, Family: eventlog.FamilyMemory, ID: j.asks[i].id}
		version, prev := uint64(0), p.Head
		if p.Was != nil {
			version = p.Was.Version
		}
		if t := b.touched[j.asks[i].id]; t != nil && t.seq != 0 {
			prev = t.seq
		}
		for _, f := range p.Facts {
			version++
			if err := add(commit, stream, version, prev, f); err != nil {
				return err
			}
			prev = eventlog.SameCommit
		}
	}
	return nil
}

func add(commit *eventlog.Commit, s eventlog.Stream, version uint64, prev eventlog.Seq, f model.Fact) error {
	enc, err := codec.EncodeFact(f)
	if err != nil {
		return fmt.Errorf("encode a fact of %s: %w", s, err)
	}
	commit.Facts = append(commit.Facts, eventlog.Fact{
		Stream: s, Version: version, Prev: prev, Type: enc.Type, Schema: enc.Schema, Body: enc.Body,
	})
	return nil
}

// settle takes the writer's word on a commit.
func (b *brain) settle(c *actors.Context, msg durable) {
	j := msg.job
	if len(b.flight) > 0 && b.flight[0] == j { // else it is of an incarnation before this one
		b.flight[0] = nil // the array must not keep it alive
		b.flight = b.flight[1:]
		b.forget(j)
		if msg.Err != nil {
			b.undo(j)
			b.breakDown(msg.Err)
		} else {
			b.settled(c, j, msg.Seq)
		}
	}
	j.answer(msg.Result)
	if b.broken != nil {
		b.recover(c)
		return
	}
	b.submitReady(c)
}

func (b *brain) settled(c *actors.Context, j *job, seq eventlog.Seq) {
	if b.e.o.Projections.AppliedSeq() < seq {
		b.breakDown(fmt.Errorf("the projections do not follow the log: %w", projections.ErrUnavailable))
	}
	if b.space == nil {
		b.space, _ = b.e.o.Projections.Space(b.ns)
	}
	for _, s := range j.symbols {
		delete(b.ahead.symbols, s.Text)
	}
	if j.refused != nil {
		return
	}
	for i, p := range j.got {
		if len(p.Facts) == 0 {
			continue
		}
		id := j.asks[i].id
		if t := b.touched[id]; t != nil {
			t.inFlight--
		}
		_ = b.router.Route(c, id, memory.Settle{Seq: seq, Next: p.Next}) // a quarantined memory has nothing to settle
		b.router.Release(id)
		b.untouch(id)
	}
}

// undo takes back what a job has done in the brain that is not of ahead.
func (b *brain) undo(j *job) {
	b.refusals.giveBack(j.caller.Agent, j.repeats)
	j.repeats = nil
	for i, p := range j.got {
		if len(p.Facts) > 0 {
			b.router.Release(j.asks[i].id)
		}
	}
}

// breakDown stops admission after a failure: what was decided after it is dropped (B4).
func (b *brain) breakDown(err error) {
	if b.broken != nil {
		return
	}
	b.broken = err
	for _, j := range append(b.gathering, b.backlog...) {
		b.forget(j)
		j.fail(err)
	}
	b.dropped = append(b.dropped, b.gathering...)
	b.gathering, b.backlog = nil, nil
	if len(b.flight) == 0 {
		_ = b.self.TellUncapped(resume{}) // recover from a place that has a context
	}
}

// recover starts over from the durable state, once nothing is in flight, nothing is of unknown outcome, and the
// projections show all that is durable.
func (b *brain) recover(c *actors.Context) {
	if len(b.flight) > 0 {
		return // settle will call again
	}
	if b.lease.held() || !b.e.writer.Settled() || uint64(b.e.o.Projections.AppliedSeq()) < b.lease.durable.Load() {
		b.resumeLater()
		return
	}
	if err := b.sweepLeftover(); err != nil {
		b.resumeLater()
		return
	}
	for id := range b.touched {
		_ = b.router.Route(c, id, memory.Revert{}) // a quarantined memory has nothing to revert
		delete(b.touched, id)
	}
	for _, j := range b.dropped {
		b.undo(j)
		for _, a := range j.asks {
			_ = b.router.Route(c, a.id, memory.Revert{}) // its proposal may be on the way
		}
	}
	b.dropped = nil
	b.refusals.restart()
	b.reset()
}

// sweepLeftover removes the contents of failed commits. The numbers are given out again, but not every one is written
// again: what then came to lie below the marks would stay for ever.
func (b *brain) sweepLeftover() error {
	if !b.lease.leftover.Load() {
		return nil
	}
	var content, symbol uint64
	if space, ok := b.e.o.Projections.Space(b.ns); ok && space.Brain() != nil {
		content, symbol = uint64(space.Brain().ContentHigh), uint64(space.Brain().SymbolHigh)
	}
	if _, err := b.e.o.Contents.Sweep(b.ns, content, symbol); err != nil {
		return err
	}
	b.lease.leftover.Store(false)
	return nil
}
