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
		r.report(c, m)
	}
}

// report calls the host's function, whose panic must not restart the root and with it everything.
func (r *root) report(c *Context, q Quarantined) {
	if r.onQuarantine == nil {
		return
	}
	defer func() {
		if recover() != nil {
			c.cell.kind.system.panics.Add(1)
			c.Logger().Error("OnQuarantine panicked")
		}
	}()
	r.onQuarantine(q)
}
