package memory

import (
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// Loader reads the committed state of a memory and the commit of its last fact: nil and 0 when there is none yet.
// It must be safe for concurrent use. An error that wraps projections.ErrQuarantined stops the actor for good; any
// other fails the proposals until a later reading succeeds.
type Loader func(id model.MemoryID) (*model.Memory, eventlog.Seq, error)

// Actor is one memory alive.
//
// Invariants:
//   - M1: tentative is committed with the facts of pending applied, in order.
//   - M2: committed is the fold of the memory's durable facts that the brain has settled.
//   - M3: a state is immutable; the actor only moves pointers.
type Actor struct {
	load      Loader
	committed *model.Memory
	head      eventlog.Seq // commit of the last settled fact
	pending   []*model.Memory
	fault     error // committed could not be read
}

var _ actors.Actor = (*Actor)(nil)

// New returns an actor that loads itself when it starts.
func New(load Loader) *Actor { return &Actor{load: load} }

// Receive handles one message.
func (a *Actor) Receive(c *actors.Context) {
	switch msg := c.Message().(type) {
	case actors.Started, Revert:
		a.activate(c)
	case Propose:
		if a.fault != nil {
			a.activate(c)
		}
		msg.Reply(a.propose(msg))
	case Settle:
		a.settle(msg)
	case Rebase:
		a.pending = []*model.Memory{msg.Base}
	}
}

// activate reads the durable state and forgets what was proposed.
func (a *Actor) activate(c *actors.Context) {
	a.pending, a.committed, a.head = nil, nil, 0
	id, err := model.ParseMemoryID("id", Key(c.Name()))
	if err == nil {
		a.committed, a.head, err = a.load(id)
	}
	a.fault = err
	if errors.Is(err, projections.ErrQuarantined) {
		c.Quarantine(fmt.Errorf("activate memory %s: %w", c.Name(), err))
	}
}

func (a *Actor) tentative() *model.Memory {
	if n := len(a.pending); n > 0 {
		return a.pending[n-1]
	}
	return a.committed
}

func (a *Actor) propose(p Propose) Proposed {
	if a.fault != nil {
		return Proposed{Slot: p.Slot, Err: a.fault}
	}
	was := a.tentative()
	facts, err := a.decide(was, p)
	if err != nil {
		return Proposed{Slot: p.Slot, Was: was, Next: was, Head: a.head, Err: err}
	}
	next := was
	for _, f := range facts {
		next = model.Apply(next, f)
	}
	if len(facts) > 0 {
		a.pending = append(a.pending, next)
	}
	return Proposed{Slot: p.Slot, Facts: facts, Was: was, Next: next, Head: a.head}
}

var errExists = errors.New("memory exists already")

func (a *Actor) decide(was *model.Memory, p Propose) ([]model.Fact, error) {
	if p.Birth == nil {
		if was == nil {
			return nil, model.NotFound("id", "")
		}
		return model.Decide(was, p.Command, *p.Params, p.At)
	}
	if was != nil {
		return nil, errExists
	}
	fact, err := model.DecideEncode(p.Birth.Encode, p.Birth.Content, p.Birth.Payload, *p.Params, p.At)
	if err != nil {
		return nil, err
	}
	return []model.Fact{fact}, nil
}

// settle makes the oldest proposal committed. Versions tell which one that is: after a restart the actor may know
// only the state after all of them, or have read one that is durable already.
func (a *Actor) settle(s Settle) {
	if a.committed == nil || a.committed.Version < s.Next.Version {
		a.committed, a.head, a.fault = s.Next, s.Seq, nil
	}
	for len(a.pending) > 0 && a.pending[0].Version <= s.Next.Version {
		a.pending = a.pending[1:]
	}
	if len(a.pending) == 0 {
		a.pending = nil // an idle actor keeps no array
	}
}

const prefix = "m/"

// Name returns the actor's name under its brain.
func Name(id model.MemoryID) string { return prefix + id.String() }

// Key returns the memory id in a name.
func Key(name string) string {
	if len(name) <= len(prefix) {
		return ""
	}
	return name[len(prefix):]
}
