package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"
)

// family is what an actor with children has.
type family struct {
	oldest   *cell // siblings are linked in the order of their spawning
	youngest *cell
	size     int
	dying    map[*actor.PID]*cell // stopped, protoactor's Terminated not handled; guarded by the parent's mu
	buffers  []buffer             // routers, whose buffered messages end with this incarnation
}

// buffer holds accepted messages outside a mailbox.
type buffer interface{ abandon(err error) }

func (f *family) empty() bool { return f == nil || f.size == 0 }

func (f *family) add(child *cell) {
	child.older = f.youngest
	if f.youngest != nil {
		f.youngest.younger = child
	} else {
		f.oldest = child
	}
	f.youngest = child
	f.size++
}

func (f *family) remove(child *cell) {
	if child.older != nil {
		child.older.younger = child.younger
	} else {
		f.oldest = child.younger
	}
	if child.younger != nil {
		child.younger.older = child.older
	} else {
		f.youngest = child.older
	}
	child.older, child.younger = nil, nil
	f.size--
}

func (c *cell) ensureFamily() *family {
	if c.family == nil {
		c.family = &family{dying: make(map[*actor.PID]*cell)}
	}
	return c.family
}

func (c *cell) spawn(k *kind, name string) (Ref, error) {
	if c.phase != phaseLive || c.doomed() {
		return Ref{}, fmt.Errorf("spawn %s: %w", name, ErrStopped)
	}
	family := c.ensureFamily()
	child, err := k.spawn(c.proto, name, c)
	if err != nil {
		return Ref{}, err
	}
	family.add(child)
	return Ref{child}, nil
}

func (c *cell) children() []Ref {
	if c.family.empty() {
		return nil
	}
	refs := make([]Ref, 0, c.family.size)
	for child := c.family.oldest; child != nil; child = child.younger {
		refs = append(refs, Ref{child})
	}
	return refs
}

func (r Ref) stop() {
	if r.cell != nil {
		r.cell.PostSystemMessage(&actor.Stop{})
	}
}

func (r Ref) retire() {
	if r.cell != nil && r.cell.post(retirement{}, true) == nil {
		r.cell.close()
	}
}

// stopping ends the intake; what is queued is answered, because protoactor would forget it.
func (c *cell) stopping() {
	c.phase = phaseStopping
	left := c.leftovers()
	if c.actor != nil {
		c.deliver(Stopping{})
	}
	c.bounce(left)
}

func (c *cell) bounce(left queue) {
	for left.len() > 0 {
		c.kind.system.undelivered(left.pop(), c.endError())
	}
}

// stopped is called when the children are gone and the name is free again.
func (c *cell) stopped() {
	if c.actor != nil {
		c.deliver(Stopped{})
	}
	c.abandonBuffers(c.endError())
	c.phase = phaseDead
	c.actor = nil
	c.kind.system.living.Add(-1)
	if c.parent == nil {
		close(c.kind.system.gone)
		return
	}
	c.parent.mu.Lock()
	c.parent.family.dying[c.pid()] = c
	c.parent.mu.Unlock()
}

// childGone tells the actor once protoactor too has forgotten the child, so that it may spawn the name again at once.
func (c *cell) childGone(who *actor.PID) {
	c.mu.Lock()
	child := c.family.take(who)
	c.mu.Unlock()
	if child == nil {
		return
	}
	c.family.remove(child)
	c.inform(Terminated{Ref: Ref{child}, Name: child.name()})
}

func (f *family) take(who *actor.PID) *cell {
	if f == nil {
		return nil
	}
	child := f.dying[who]
	delete(f.dying, who)
	return child
}

func (c *cell) abandonBuffers(err error) {
	if c.family == nil {
		return
	}
	for _, b := range c.family.buffers {
		b.abandon(err)
	}
	c.family.buffers = nil
}

// endError is given to messages that the actor leaves unhandled.
func (c *cell) endError() error {
	if c.doomed() {
		return quarantineError(c.name(), c.faults.verdict)
	}
	return fmt.Errorf("%w: %s", ErrStopped, c.name())
}
