package brain

import (
	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/eventlog"
)

// store is the actor over all brains: it spawns them and hears of those that had to be stopped.
type store struct{ engine *Engine }

// openBrain asks for the brain of a namespace.
type openBrain struct {
	name string
	ns   eventlog.Ordinal
	actors.Promise[actors.Ref]
}

// Receive handles one message.
func (s *store) Receive(c *actors.Context) {
	switch msg := c.Message().(type) {
	case openBrain:
		s.open(c, msg)
	case actors.Quarantined:
		s.engine.o.Logger.Error("brain stopped for good", "actor", msg.Name, "error", msg.Err)
		s.engine.forget(msg.Ref)
	}
}

func (s *store) open(c *actors.Context, msg openBrain) {
	l := &lease{}
	ref, err := c.Spawn(actors.Name("ns", msg.name), func() actors.Actor { return newBrain(s.engine, msg.ns, msg.name, l) })
	if err != nil {
		msg.Fail(err)
		return
	}
	msg.Resolve(ref)
}

// forget drops a brain that is gone, so that the next request opens it anew from the log.
func (e *Engine) forget(ref actors.Ref) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, h := range e.brains {
		if h.ref == ref {
			delete(e.brains, name)
		}
	}
}
