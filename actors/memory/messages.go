package memory

import (
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// Propose asks the actor to decide a command. The answer goes to Reply exactly once, or Undelivered does it.
type Propose struct {
	Command model.Command // on an existing memory; nil with Birth
	Birth   *Birth        // makes the memory
	Params  *model.Params
	At      model.Moment
	Slot    int // the asker's own number for this proposal
	Reply   func(Proposed)
}

// Birth is the command that makes a memory, with its content already numbered.
type Birth struct {
	Encode  model.Encode
	Content model.ContentRef
	Payload model.PayloadRef
}

// Undelivered answers a proposal that the actor could not take.
func (p Propose) Undelivered(err error) { p.Reply(Proposed{Slot: p.Slot, Err: err}) }

// Proposed is the answer: the facts in order and the state after them. Facts is empty when nothing would change.
type Proposed struct {
	Slot  int
	Facts []model.Fact
	Was   *model.Memory // before; nil for a birth
	Next  *model.Memory // after
	Head  eventlog.Seq  // commit of the last durable fact; 0 for a birth
	Err   error         // a *model.RefusedError, or why there is no decision
}

// Settle says that the oldest unsettled proposal with facts is durable, in the commit Seq, and left the memory as
// Next. The actor takes Next as it is: it may have lost its own proposals in a restart meanwhile.
type Settle struct {
	Seq  eventlog.Seq
	Next *model.Memory
}

// Undelivered does nothing: a stopped actor has no proposals left to settle.
func (Settle) Undelivered(error) {}

// Revert drops every proposal, because a commit failed, and reads the durable state again.
type Revert struct{}

// Undelivered does nothing.
func (Revert) Undelivered(error) {}

// Rebase replaces what an actor holds as in flight: after a restart, which lost it. Base is the state after all
// proposals that are not settled.
type Rebase struct{ Base *model.Memory }

// Undelivered does nothing.
func (Rebase) Undelivered(error) {}
