package brain

import (
	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/eventlog"
)

// store is the actor over all brains: it spawns them and hears of those that had to be stopped.
type store struct{ engine *Engine }

// openBrain asks for the brain of a namespace.
type openBrain struct {
	name  string
	ns    eventlog.Ordinal
	lease *lease
	actors.Promise[actors.Ref]
}

// Receive handles one message.
func (s *store) Receive(c *actors.Context) {
	switch msg := c.Message().(type) {
	case openBrain:
		s.open(c, msg)
	case actors.Quarantined:
		s.engine.o.Logger.Error("brain stopped for good", "actor", msg.Name, "error", msg.Err)
	}
}

func (s *store) open(c *actors.Context, msg openBrain) {
	ref, err := c.Spawn(actors.Name("ns", msg.name), func() actors.Actor { return newBrain(s.engine, msg.ns, msg.name, msg.lease) })
	if err != nil {
		msg.Fail(err)
		return
	}
	msg.Resolve(ref)
}
