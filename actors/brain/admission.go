package brain

import (
	"fmt"
	"slices"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// enqueue takes a request: an equal one under way is joined, one already acknowledged is answered from its
// receipt, the rest waits its turn.
func (b *brain) enqueue(c *actors.Context, j *job) {
	if other := b.byRequest[j.digest]; other != nil {
		b.join(other, j)
		return
	}
	seq, ok, err := b.e.o.Projections.Request(b.ns, j.digest)
	if err != nil {
		j.fail(err)
		return
	}
	if ok {
		j.promise.Resolve(outcome{repeated: seq})
		return
	}
	if b.broken != nil {
		j.fail(b.broken)
		return
	}
	if len(b.backlog)+len(b.gathering)+len(b.flight) >= b.e.o.AdmitMax {
		j.fail(fmt.Errorf("%d requests are under way: %w", b.e.o.AdmitMax, actors.ErrBusy))
		return
	}
	b.byRequest[j.digest] = j
	b.backlog = append(b.backlog, j)
	b.admitReady(c)
}

func (b *brain) join(other, j *job) {
	if other.body != j.body {
		j.fail(duplicateRequest())
		return
	}
	other.followers = append(other.followers, j.promise)
}

func duplicateRequest() error {
	return model.Failure(model.CodeDuplicateRequest, nil, "request_id was used before with another body").
		WithHint("use a new request_id for a new request")
}

// admitReady admits from the backlog in order, until a job has to wait for its proposals.
func (b *brain) admitReady(c *actors.Context) {
	for len(b.backlog) > 0 && b.broken == nil && !b.held(b.backlog[0]) {
		j := b.backlog[0]
		b.backlog = b.backlog[1:]
		if err := b.admit(c, j); err != nil {
			b.forget(j)
			b.ahead.carry = j.symbols
			j.fail(err)
		}
	}
}

// held reports whether a job has to wait: for the last admitted one, which may still be refused and so give its tick
// back; or, when it looks at the state of a memory, for all proposals before it.
func (b *brain) held(next *job) bool {
	n := len(b.gathering)
	if n == 0 {
		return false
	}
	outstanding := func(j *job) bool { return j.missing > 0 }
	return b.gathering[n-1].waits || next.exact && slices.ContainsFunc(b.gathering, outstanding)
}

func (b *brain) admit(c *actors.Context, j *job) error {
	j.at = model.Moment{Tick: b.ahead.tick, Now: b.e.now(b.ahead.millis)}
	if j.advances {
		j.at.Tick++
	}
	j.symbols, b.ahead.carry = b.ahead.carry, nil
	if err := j.plan.admit(b, j); err != nil {
		return err
	}
	j.agent = b.symbol(j, j.caller.Agent)
	if !b.ahead.born {
		b.symbol(j, b.e.o.Embedder.ID()) // its commit may turn out to be the first
	}
	j.contentHigh, j.symbolHigh = b.ahead.contentHigh, b.ahead.symbolHigh
	b.ahead.millis = j.at.Now
	if !j.waits {
		b.ahead.tick = j.at.Tick
	}
	j.got = make([]memory.Proposed, len(j.asks))
	j.missing = len(j.asks)
	b.gathering = append(b.gathering, j)
	b.propose(c, j)
	b.submitReady(c)
	return nil
}

func (b *brain) propose(c *actors.Context, j *job) {
	self, params := b.self, b.ahead.params
	reply := func(p memory.Proposed) {
		_ = self.TellUncapped(proposed{job: j, Proposed: p}) // a stopped brain answered the job in abandon
	}
	for i, a := range j.asks {
		msg := memory.Propose{Command: a.command, Birth: a.birth, Params: &params, At: j.at, Slot: i, Reply: reply}
		if err := b.router.Route(c, a.id, msg); err != nil {
			j.got[i] = memory.Proposed{Slot: i, Err: err}
			j.asks[i].answered = true
			j.missing--
			continue
		}
		b.router.Hold(a.id)
	}
}

// gather takes a memory's answer. One that was decided on another state than the brain's is refused: the memory lost
// its proposals in a restart.
func (b *brain) gather(c *actors.Context, msg proposed) {
	j, p := msg.job, msg.Proposed
	a := &j.asks[p.Slot]
	a.answered = true
	if j.dead {
		b.router.Release(a.id)
		b.untouch(a.id)
		return
	}
	if p.Err == nil && (a.void || b.stale(a.id, p)) {
		p = memory.Proposed{Slot: p.Slot, Err: fmt.Errorf("memory %s restarted: %w", a.id, actors.ErrStopped)}
		b.mend(c, a.id)
	}
	if len(p.Facts) == 0 {
		b.router.Release(a.id)
		b.untouch(a.id)
	} else {
		b.touch(a.id, p)
	}
	j.got[p.Slot] = p
	j.missing--
	b.submitReady(c)
}

func (b *brain) stale(id model.MemoryID, p memory.Proposed) bool {
	t := b.touched[id]
	return t != nil && (p.Was == nil || p.Was.Version != t.head.Version)
}

func (b *brain) touch(id model.MemoryID, p memory.Proposed) {
	t := b.touched[id]
	if t == nil {
		t = &touched{seq: p.Head}
		b.touched[id] = t
	}
	t.head = p.Next
	t.inFlight++
}

// forget makes a job's request one that is not under way.
func (b *brain) forget(j *job) {
	if b.byRequest[j.digest] == j {
		delete(b.byRequest, j.digest)
	}
}

// symbol returns the number of text in the namespace, numbering it when it is new. "" is 0.
func (b *brain) symbol(j *job, text string) model.Symbol {
	if text == "" {
		return 0
	}
	if n, ok := lookup(b.space, text); ok {
		return n
	}
	if n, ok := b.ahead.symbols[text]; ok {
		return n
	}
	b.ahead.symbolHigh++
	n := b.ahead.symbolHigh
	b.ahead.symbols[text] = n
	j.symbols = append(j.symbols, eventlog.Symbol{Number: uint64(n), Text: text})
	return n
}

// number returns the next content number.
func (b *brain) number() model.ContentNumber {
	b.ahead.contentHigh++
	return b.ahead.contentHigh
}

// untouch forgets a memory that has nothing in flight and owes no answer. One that owes an answer may have decided
// before it heard of its last settling: the Head in that answer is older than touched.seq.
func (b *brain) untouch(id model.MemoryID) {
	if t := b.touched[id]; t != nil && t.inFlight == 0 && !b.router.Held(id) {
		delete(b.touched, id)
	}
}
