package actors

import (
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
)

// Actor handles one message at a time. Receive must not block on another actor, least of all on its parent or child.
type Actor interface {
	Receive(c *Context)
}

// ActorFunc is a function that is an Actor.
type ActorFunc func(c *Context)

// Receive calls f.
func (f ActorFunc) Receive(c *Context) { f(c) }

// Context is what an actor sees of the runtime. One is reused for all messages of an actor: it is valid during Receive, on the
// goroutine that called it. To let other goroutines reach the actor, give them Self.
type Context struct {
	message any
	sender  *actor.PID
	cell    *cell
}

// Message returns the message being handled: Started, Stopping, Stopped, Restarting, Terminated, Restarted, Quarantined or what was told.
func (c *Context) Message() any { return c.message }

// Self returns the actor's own handle.
func (c *Context) Self() Ref { return Ref{c.cell} }

// Parent returns the parent's handle; for a top-level actor the zero Ref.
func (c *Context) Parent() Ref {
	if c.cell.parent == nil || c.cell.parent.parent == nil {
		return Ref{}
	}
	return Ref{c.cell.parent}
}

// Name returns the actor's own name, as given at spawn.
func (c *Context) Name() string { return c.cell.name() }

// Logger returns the system's logger. Log text never holds memory contents.
func (c *Context) Logger() *slog.Logger { return c.cell.kind.system.logger }

// Tell is ref.Tell(msg).
func (c *Context) Tell(ref Ref, msg any) error { return ref.Tell(msg) }

// Spawn starts a child. The producer runs on the child's goroutine, for each incarnation.
// Errors: ErrNoName, ErrNameTaken, ErrStopped when this actor is stopping.
func (c *Context) Spawn(name string, producer func() Actor, opts ...SpawnOption) (Ref, error) {
	return c.cell.spawn(newKind(c.cell.kind.system, producer, opts), name)
}

// Children returns the living children in the order of their spawning, also those that are stopping.
func (c *Context) Children() []Ref { return c.cell.children() }

// Stop stops ref at once: what it has queued is undelivered with ErrStopped. A child's parent then gets Terminated.
// A stopped or zero ref is ignored.
func (c *Context) Stop(ref Ref) { ref.stop() }

// Retire stops ref after the messages that it has queued. New ones are refused with ErrStopped from now on.
func (c *Context) Retire(ref Ref) { ref.retire() }

// Quarantine stops this actor for good and tells the parent why: for a corrupt stream, where a restart would only loop.
// The current message is still the actor's to answer. The text of err is logged: it must not hold memory contents.
func (c *Context) Quarantine(err error) { c.cell.quarantine(err) }

// Respond answers a message that came by PID from an actor or future of the host. It reports whether there was somebody to answer,
// which is so once per message: a protoactor future that is answered twice races.
func (c *Context) Respond(msg Unlogged) bool {
	if c.sender == nil {
		return false
	}
	c.cell.proto.Send(c.sender, msg)
	c.sender = nil
	return true
}
