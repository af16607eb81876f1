package actors

import (
	"runtime"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// throughput is the number of messages after which a busy actor yields its processor.
const throughput = 300

// phase of an actor's life; only the actor's own goroutine reads and writes it.
type phase uint8

const (
	phaseNew phase = iota // spawned, Started not handled
	phaseLive
	phaseRestarting // waits for its children to be gone, then starts again
	phaseStopping   // waits for its children to be gone, then is dead
	phaseDead
)

// protoContext is protoactor's context of one actor, seen from the inside and from the mailbox.
type protoContext interface {
	actor.Context
	actor.MessageInvoker
}

// cell is one actor: its mailbox, its protoactor face and its Context in a single object, because there are many.
//
// Invariants:
//   - C1: at most one goroutine runs the cell; it is started under mu when scheduled turns true.
//   - C2: a message accepted by post is handled once or handed to System.undelivered once.
//   - C3: after closed is set, post accepts nothing.
type cell struct {
	mu        sync.Mutex
	user      queue // guarded by mu
	system    []any // guarded by mu
	scheduled bool  // guarded by mu
	suspended bool  // guarded by mu
	closed    bool  // guarded by mu

	phase   phase // from here on: own goroutine
	kind    *kind
	parent  *cell
	proto   protoContext // written under mu, before Started
	actor   Actor
	context Context
	family  *family // children and routers; nil while there are none
	faults  *faults // nil while there were none
	tag     any     // the parent's: a router's entry
	older   *cell   // siblings; the parent's
	younger *cell
}

var (
	_ actor.Actor   = (*cell)(nil)
	_ actor.Mailbox = (*cell)(nil)
)

func (c *cell) pid() *actor.PID { return c.proto.Self() }

func (c *cell) name() string {
	id := c.pid().Id
	if parent := c.proto.Parent(); parent != nil {
		return id[len(parent.Id)+1:]
	}
	return id
}

// run handles messages until there is nothing to do.
func (c *cell) run() {
	idle := false
	defer func() {
		if !idle { // Receive ended the goroutine with runtime.Goexit
			go c.run()
		}
	}()
	for n := 1; ; n++ {
		task, msg := c.next()
		switch task {
		case taskStart:
			c.start()
		case taskSystem:
			c.handleSystem(msg)
		case taskUser:
			c.handleUser(msg)
		default:
			idle = true
			return
		}
		if n%throughput == 0 {
			runtime.Gosched()
		}
	}
}

// start begins an incarnation. A panic of the producer counts as one in Started.
func (c *cell) start() {
	if c.phase > phaseRestarting {
		return // stopped before its first message
	}
	c.phase = phaseLive
	c.deliver(Started{})
}

func (c *cell) handleUser(msg any) {
	switch m := msg.(type) {
	case retirement:
		c.proto.InvokeSystemMessage(&actor.Stop{})
	case foreign:
		c.handleForeign(m.message)
	default:
		c.deliver(msg)
	}
}

// handleForeign takes what came by PID, in an envelope when somebody waits for an answer.
func (c *cell) handleForeign(raw any) {
	msg := actor.UnwrapEnvelopeMessage(raw)
	switch msg.(type) {
	case *actor.PoisonPill:
		c.proto.InvokeSystemMessage(&actor.Stop{})
	case actor.AutoRespond:
		c.proto.InvokeUserMessage(raw)
	default:
		c.context.sender = actor.UnwrapEnvelopeSender(raw)
		c.deliver(msg)
	}
}

func (c *cell) handleSystem(msg any) {
	switch m := msg.(type) {
	case *actor.Started:
		c.start()
	case *actor.SuspendMailbox:
		c.suspend(true)
	case *actor.ResumeMailbox:
		c.suspend(false)
	case *actor.Restart: // a host's; protoactor's own way would make an actor without its mailbox
		c.restart()
	case Restarted, Quarantined:
		c.inform(m)
	default:
		c.proto.InvokeSystemMessage(m)
	}
}

// Receive is protoactor's way to tell of stopping and of children that are gone.
func (c *cell) Receive(proto actor.Context) {
	switch m := proto.Message().(type) {
	case *actor.Stopping:
		c.stopping()
	case *actor.Stopped:
		c.stopped()
	case *actor.Terminated:
		c.childGone(m.Who)
	}
}

// deliver hands msg to the actor; a panic ends this incarnation and touches no other actor.
func (c *cell) deliver(msg any) {
	done := false
	defer func() {
		c.context.message = nil
		if !done {
			c.failed(msg, recover())
		}
		c.context.sender = nil
	}()
	if c.actor == nil {
		c.actor = c.kind.producer()
	}
	c.context.message = msg
	c.actor.Receive(&c.context)
	done = true
}

// inform delivers a message of the runtime, unless this incarnation is over.
func (c *cell) inform(msg any) {
	if c.actor != nil && !c.doomed() {
		c.deliver(msg)
	}
}
