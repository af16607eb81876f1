package actors

// Messages that the runtime itself delivers to Receive.
type (
	// Started is the first message of every incarnation, also after a restart.
	Started struct{}
	// Stopping arrives when the actor no longer takes messages and its children are about to be stopped.
	Stopping struct{}
	// Stopped is the last message of an actor; its children are gone and its name is free.
	Stopped struct{}
	// Restarting is the last message of an incarnation that panicked.
	Restarting struct{}
)

// Terminated tells a parent that a child is gone. Its name can be spawned again.
type Terminated struct {
	Ref  Ref
	Name string
}

// Restarted tells a parent that a child panicked and starts again: what it had not committed is lost.
// The child keeps its Ref and the messages still queued.
type Restarted struct {
	Ref  Ref
	Name string
	Err  error // *PanicError
}

// Quarantined tells a parent that a child panicked too often or asked for it (Context.Quarantine).
// It arrives before the child's Terminated.
type Quarantined struct {
	Ref  Ref
	Name string
	Err  error
}

// Undeliverable is implemented by messages that want an end in every case. The runtime calls Undelivered once for a message
// that was accepted and then not handled, or whose handling panicked. It runs on any goroutine and must not block.
// A Promise has this method, so a message that embeds one is answered.
type Undeliverable interface {
	Undelivered(err error)
}

// Unlogged marks messages whose text protoactor's dead-letter logger must not print. Embed Private to implement it.
type Unlogged interface {
	IgnoreDeadLetterLogging()
}

// Private is embedded in every message type that may travel by PID (a host's own actors, the remote gate). Messages sent
// with Ref.Tell never reach protoactor's dead letters.
type Private struct{}

// IgnoreDeadLetterLogging implements Unlogged.
func (Private) IgnoreDeadLetterLogging() {}

var _ Unlogged = Private{}
