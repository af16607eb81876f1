package actors

import "github.com/asynkron/protoactor-go/actor"

// task is what a run of the cell does next.
type task uint8

const (
	taskNone task = iota
	taskSystem
	taskStart
	taskUser
)

// foreign wraps a message that came by PID: nobody can be told ErrBusy, so a refusal is a dead letter.
type foreign struct{ message any }

// retirement stands in the user lane and stops the actor when it is reached.
type retirement struct{}

// post queues msg for the actor.
func (c *cell) post(msg any, uncapped bool) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return ErrStopped
	}
	if !uncapped && c.user.len() >= c.kind.mailboxMax {
		c.mu.Unlock()
		c.kind.system.busy.Add(1)
		return ErrBusy
	}
	c.user.push(msg)
	c.schedule()
	return nil
}

// schedule unlocks mu and sees to it that the cell runs.
func (c *cell) schedule() {
	start := !c.scheduled
	c.scheduled = true
	c.mu.Unlock()
	if start {
		go c.run()
	}
}

// next picks the next task: system messages first, then a due restart, then user messages.
func (c *cell) next() (task, any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.proto == nil: // its PID is known, its spawn not complete
	case len(c.system) > 0:
		return taskSystem, c.popSystem()
	case c.phase == phaseRestarting && c.family.empty():
		return taskStart, nil
	case c.phase == phaseLive && !c.suspended && c.user.len() > 0:
		return taskUser, c.user.pop()
	}
	c.scheduled = false
	return taskNone, nil
}

func (c *cell) popSystem() any {
	msg := c.system[0]
	c.system[0] = nil
	c.system = c.system[1:]
	if len(c.system) == 0 {
		c.system = nil
	}
	return msg
}

// close refuses messages from now on (C3).
func (c *cell) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
}

// leftovers closes the mailbox and takes what was queued.
func (c *cell) leftovers() queue {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	left := c.user
	c.user = queue{}
	return left
}

func (c *cell) suspend(on bool) {
	c.mu.Lock()
	c.suspended = on
	c.mu.Unlock()
}

// PostUserMessage takes a message that came by PID.
func (c *cell) PostUserMessage(message any) {
	_, poison := message.(*actor.PoisonPill) // a stop is not refused
	if err := c.post(foreign{message}, poison); err != nil {
		c.kind.system.undelivered(foreign{message}, err)
	}
}

// PostSystemMessage never refuses: also a dead actor answers protoactor's Watch.
func (c *cell) PostSystemMessage(message any) {
	c.mu.Lock()
	c.system = append(c.system, message)
	c.schedule()
}

// RegisterHandlers learns protoactor's context of this actor. The dispatcher is not used: the cell starts its own goroutine.
func (c *cell) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	c.mu.Lock()
	c.proto = invoker.(protoContext)
	c.mu.Unlock()
}

// Start has nothing to do.
func (c *cell) Start() {}

// UserMessageCount returns the number of messages queued.
func (c *cell) UserMessageCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.user.len()
}
