package actors

// root is the parent of the top-level actors.
type root struct {
	onQuarantine func(Quarantined)
}

// spawnRequest asks the root for a top-level actor.
type spawnRequest struct {
	Promise[Ref]
	name     string
	producer func() Actor
	opts     []SpawnOption
}

func (r *root) Receive(c *Context) {
	switch m := c.Message().(type) {
	case spawnRequest:
		ref, err := c.Spawn(m.name, m.producer, m.opts...)
		if err != nil {
			m.Fail(err)
			return
		}
		m.Resolve(ref)
	case Quarantined:
		if r.onQuarantine != nil {
			r.onQuarantine(m)
		}
	}
}
