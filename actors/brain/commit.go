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
)

// resumeAfter is the pause before a full log queue is tried again, when nothing of this brain is in flight.
const resumeAfter = 2 * time.Millisecond

// submitReady submits the jobs at the front whose proposals are all in (B1).
func (b *brain) submitReady(c *actors.Context) {
	for len(b.gathering) > 0 && b.gathering[0].missing == 0 && b.broken == nil {
		j := b.gathering[0]
		if err := b.build(j); err != nil {
			b.gathering = b.gathering[1:]
			b.drop(j)
			j.fail(err)
			continue
		}
		if !b.submit(j, j.commit) {
			return
		}
	}
	b.admitReady(c)
}

// submit hands the front job's commit to the writer. false: not now, or not any more.
func (b *brain) submit(j *job, commit *eventlog.Commit) bool {
	self := b.self
	symbols := append(b.ahead.carry, j.symbols...)
	entry := eventlog.Entry{
		Commit: commit, Contents: j.contents, Symbols: symbols, Generation: b.generation,
		Done: func(r eventlog.Result) {
			m := durable{job: j, Result: r}
			if err := self.TellUncapped(m); err != nil {
				m.Undelivered(err)
			}
		},
	}
	seq, err := b.e.submit(entry, staged{ns: b.ns, symbols: symbols, records: j.records})
	switch {
	case errors.Is(err, eventlog.ErrBusy):
		b.resumeLater()
		return false
	case errors.Is(err, eventlog.ErrUnavailable), errors.Is(err, eventlog.ErrClosed):
		b.breakDown(err)
		return false
	case err != nil:
		b.refuseCommit(j, err)
		return true
	}
	b.submitted(j, commit, seq)
	return true
}

func (b *brain) submitted(j *job, commit *eventlog.Commit, seq eventlog.Seq) {
	j.seq = seq
	b.ahead.carry = nil
	b.ahead.born = true
	b.ahead.head = seq
	b.ahead.tick = max(b.ahead.tick, model.Tick(commit.Tick)) // later jobs may be ahead already
	for i := range commit.Facts {
		if s := commit.Facts[i].Stream; s.Family == eventlog.FamilyBrain {
			b.ahead.version = commit.Facts[i].Version
		} else if t := b.touched[model.MemoryID(s.ID)]; t != nil {
			t.seq = seq
		}
	}
	b.gathering = b.gathering[1:]
	b.flight = append(b.flight, j)
	b.lease.inFlight++
}

// refuseCommit ends a job whose commit the log will never take, such as one too large: its proposals are undone
// like after a failure.
func (b *brain) refuseCommit(j *job, err error) {
	j.fail(err)
	b.breakDown(fmt.Errorf("an earlier request was refused by the log: %w", eventlog.ErrUnavailable))
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
		Agent: uint64(b.agentOf(j)), Door: j.caller.Door.String(), Verb: j.verb.String(),
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
	commit.ContentHigh, commit.SymbolHigh = uint64(b.ahead.contentHigh), uint64(b.ahead.symbolHigh)
	return commit, nil
}

// tickAfter is the namespace's tick after the job: a refused one gives its tick back.
func tickAfter(j *job) model.Tick {
	if j.refused != nil && j.waits {
		return j.at.Tick - 1
	}
	return j.at.Tick
}

func (b *brain) agentOf(j *job) model.Symbol { return b.symbol(j, j.caller.Agent) }

// brainFacts are the facts of the brain's own stream: the namespace's birth, repeats of refusals, what the plan
// adds, and the receipt; or the audit fact of a refusal.
func (b *brain) brainFacts(j *job) ([]model.Fact, error) {
	var facts []model.Fact
	if !b.ahead.born {
		facts = append(facts, b.birth(j))
	}
	facts = append(facts, b.refusals.repeats()...)
	accepted, err := j.plan.receipt(j)
	var refused *model.RefusedError
	switch {
	case errors.As(err, &refused):
		j.refused = failure(err, "apply the request")
		return b.refusal(j, refused, facts)
	case err != nil:
		return nil, err
	}
	accepted.Verb, accepted.BodyDigest, accepted.Tick, accepted.At = j.verb, j.body, j.at.Tick, j.at.Now
	j.accepted = accepted
	facts = append(facts, accepted)
	return append(facts, j.own...), nil
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
	b.lease.inFlight--
	j := msg.job
	if len(b.flight) == 0 || b.flight[0] != j {
		j.answer(msg.Result) // of an incarnation before this one
		b.recover(c)
		return
	}
	b.flight = b.flight[1:]
	if b.byRequest[j.digest] == j {
		delete(b.byRequest, j.digest)
	}
	j.answer(msg.Result)
	if msg.Err != nil {
		b.e.unstage(j.seq)
		b.release(c, j)
		b.breakDown(msg.Err)
	} else {
		b.settled(c, j, msg.Seq)
	}
	if b.broken != nil {
		b.recover(c)
		return
	}
	b.submitReady(c)
}

func (b *brain) settled(c *actors.Context, j *job, seq eventlog.Seq) {
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
			if t.inFlight--; t.inFlight == 0 {
				delete(b.touched, id)
			}
		}
		_ = b.router.Route(c, id, memory.Settle{Seq: seq}) // a quarantined memory has nothing to settle
		b.router.Release(id)
	}
}

func (b *brain) release(_ *actors.Context, j *job) {
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
	for _, j := range b.gathering {
		b.drop(j)
		j.fail(err)
	}
	for _, j := range b.backlog {
		b.drop(j)
		j.fail(err)
	}
	b.backlog = nil
	b.dropped = append(b.dropped, b.gathering...)
	b.gathering = nil
	if b.lease.inFlight == 0 {
		_ = b.self.TellUncapped(resume{}) // recover from a place that has a context
	}
}

// recover starts over from the durable state, once nothing is in flight.
func (b *brain) recover(c *actors.Context) {
	if b.lease.inFlight > 0 {
		return
	}
	for id := range b.touched {
		_ = b.router.Route(c, id, memory.Revert{}) // a quarantined memory has nothing to revert
		delete(b.touched, id)
	}
	for _, j := range b.dropped {
		b.release(c, j)
		for _, a := range j.asks {
			_ = b.router.Route(c, a.id, memory.Revert{}) // its proposal may be on the way
		}
	}
	b.dropped = nil
	b.reset()
	b.admitReady(c)
}
