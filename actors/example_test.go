package actors_test

import (
	"context"
	"fmt"

	"github.com/membrain-db/membrain/actors"
)

// count asks a counter; the promise is answered also when the counter stops or panics.
type count struct{ actors.Promise[int] }

// deposit goes to the counter of a name.
type deposit struct {
	name string
	msg  any
}

// counter lives while it is used; its name is its key.
type counter struct{ n int }

func (a *counter) Receive(c *actors.Context) {
	switch m := c.Message().(type) {
	case int:
		a.n += m
	case count:
		m.Resolve(a.n)
	}
}

// bank owns the counters.
type bank struct{ counters *actors.Router[string] }

func (a *bank) Receive(c *actors.Context) {
	switch m := c.Message().(type) {
	case actors.Started:
		a.counters = actors.NewRouter(actors.RouterOptions[string]{
			Name:     func(key string) string { return actors.Name("counter", key) },
			Producer: func() actors.Actor { return &counter{} },
		})
	case deposit:
		if err := a.counters.Route(c, m.name, m.msg); err != nil {
			if u, ok := m.msg.(actors.Undeliverable); ok {
				u.Undelivered(err)
			}
		}
	case actors.Terminated:
		a.counters.Terminated(c, m)
	case actors.Quarantined:
		a.counters.Quarantined(m)
	}
}

func Example() {
	system := actors.NewSystem(actors.Options{})
	ref, err := system.Spawn("bank", func() actors.Actor { return &bank{} })
	if err != nil {
		fmt.Println(err)
		return
	}
	var pool actors.Promises[int]
	question := count{pool.New()}
	for _, msg := range []any{2, 3, question} {
		if err := ref.Tell(deposit{"ada", msg}); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(question.Wait(context.Background()))
	fmt.Println(system.Shutdown(context.Background()))
	// Output:
	// 5 <nil>
	// <nil>
}
