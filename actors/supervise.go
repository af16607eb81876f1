package actors

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// An actor may panic restartsMax times within restartWindow; the next panic ends it.
const (
	restartsMax   = 3
	restartWindow = 10 * time.Second
)

// faults remembers an actor's panics.
type faults struct {
	recent  []time.Time // at most restartsMax+1
	verdict error       // why the actor is stopped for good
}

func (c *cell) ensureFaults() *faults {
	if c.faults == nil {
		c.faults = &faults{}
	}
	return c.faults
}

func (c *cell) doomed() bool { return c.faults != nil && c.faults.verdict != nil }

// exhausted counts a panic at now and reports whether it is one too many.
func (f *faults) exhausted(now time.Time) bool {
	kept := f.recent[:0]
	for _, at := range f.recent {
		if now.Sub(at) < restartWindow {
			kept = append(kept, at)
		}
	}
	f.recent = append(kept, now)
	return len(f.recent) > restartsMax
}

// failed is called on the actor's goroutine when handling msg did not return. The message is answered, then the actor restarts
// or is stopped for good. The decision is made here, not in the parent, so a parent that is slow stalls no restart.
func (c *cell) failed(msg, value any) {
	err := &PanicError{Name: c.name(), Value: value, Stack: debug.Stack()}
	c.kind.system.panicked(msg, err)
	c.kind.system.refuse(c.context.sender)
	c.context.sender = nil
	if c.phase != phaseLive || c.doomed() {
		return // it is on its way out; the panic is logged
	}
	if c.ensureFaults().exhausted(c.kind.system.now()) {
		c.quarantine(fmt.Errorf("%d panics within %v, last: %w", restartsMax+1, restartWindow, err))
		return
	}
	c.tellParent(Restarted{Ref: Ref{c}, Name: c.name(), Err: err})
	c.restart()
}

// restart ends this incarnation; the next starts when the children are gone (cell.next). Queued messages wait for it.
func (c *cell) restart() {
	if c.phase != phaseLive || c.doomed() {
		return
	}
	c.phase = phaseRestarting
	c.kind.system.restarts.Add(1)
	if c.actor != nil {
		c.deliver(Restarting{})
	}
	c.actor = nil
	c.abandonBuffers(fmt.Errorf("%w: %s restarts", ErrStopped, c.name()))
	for _, child := range c.children() {
		child.stop()
	}
}

// quarantine stops the actor for good.
func (c *cell) quarantine(cause error) {
	if c.phase >= phaseStopping || c.doomed() {
		return
	}
	if cause == nil {
		cause = ErrQuarantined
	}
	s := c.kind.system
	c.ensureFaults().verdict = cause
	c.close()
	s.quarantined.Add(1)
	s.logger.Error("actor quarantined", slog.String("actor", c.pid().Id), slog.String("cause", cause.Error()))
	c.tellParent(Quarantined{Ref: Ref{c}, Name: c.name(), Err: quarantineError(c.name(), cause)})
	c.PostSystemMessage(&actor.Stop{})
}

func (c *cell) tellParent(msg any) {
	if c.parent != nil {
		c.parent.PostSystemMessage(msg)
	}
}
