package brain

import (
	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
)

// WithMemories returns the options with another maker of memory actors.
func (o Options) WithMemories(make func(memory.Loader) actors.Actor) Options {
	o.memory = make
	return o
}

// Staged counts what is staged for commits under way.
func (e *Engine) Staged() int {
	e.staged.mu.Lock()
	defer e.staged.mu.Unlock()
	return len(e.staged.byseq)
}

// Brain returns the handle of a namespace's actor; zero when it has none.
func (e *Engine) Brain(namespace string) actors.Ref {
	if h := e.brain(namespace); h != nil {
		return h.ref
	}
	return actors.Ref{}
}

// Crash makes the brain of a namespace panic on its next message.
func (e *Engine) Crash(namespace string) error {
	return e.brain(namespace).ref.Tell(proposed{job: &job{fate: &fate{}}})
}
