package actors_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

var errBoom = errors.New("boom")

// fault is a message that makes the probe panic; its text must never be logged.
type fault struct {
	actors.Promise[string]
	value any
}

// ask is answered with the number of messages that this incarnation has handled.
type ask struct{ actors.Promise[int] }

// gate blocks the probe until it is closed, after having told that it was reached.
type gate struct{ reached, open chan struct{} }

func newGate() gate { return gate{make(chan struct{}), make(chan struct{})} }

// letter records how it ended.
type letter struct {
	id  int
	end chan error
}

func (l letter) Undelivered(err error) { l.end <- err }

// journal is what probes of one test saw, in order.
type journal struct {
	mu   sync.Mutex
	seen []any
}

func (j *journal) add(v any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seen = append(j.seen, v)
}

func (j *journal) all() []any {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]any(nil), j.seen...)
}

// probe is an actor for tests: it writes down what it gets and does what do says.
type probe struct {
	log     *journal
	handled int
	do      func(c *actors.Context) bool // true: handled
}

func (p *probe) Receive(c *actors.Context) {
	if p.log != nil {
		p.log.add(c.Message())
	}
	if p.do != nil && p.do(c) {
		return
	}
	switch m := c.Message().(type) {
	case fault:
		panic(m.value)
	case gate:
		close(m.reached)
		<-m.open
	case ask:
		m.Resolve(p.handled)
	case letter:
		m.end <- nil
	}
	p.handled++
}

func newProbe(j *journal) func() actors.Actor {
	return func() actors.Actor { return &probe{log: j} }
}

func probeDoing(j *journal, do func(c *actors.Context) bool) func() actors.Actor {
	return func() actors.Actor { return &probe{log: j, do: do} }
}

func newSystem(t testing.TB, opts actors.Options) *actors.System {
	t.Helper()
	s := actors.NewSystem(opts)
	t.Cleanup(func() { shutdown(t, s) })
	return s
}

func shutdown(t testing.TB, s *actors.System) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	require.NoError(t, s.Shutdown(ctx))
}

func spawn(t testing.TB, s *actors.System, name string, producer func() actors.Actor, opts ...actors.SpawnOption) actors.Ref {
	t.Helper()
	ref, err := s.Spawn(name, producer, opts...)
	require.NoError(t, err)
	return ref
}

// settled waits until ref has handled all it had queued, and returns the incarnation's count.
func settled(t testing.TB, ref actors.Ref) int {
	t.Helper()
	q := ask{actors.NewPromise[int]()}
	require.NoError(t, ref.TellUncapped(q))
	return wait(t, q.Promise)
}

func wait[T any](t testing.TB, p actors.Promise[T]) T {
	t.Helper()
	v, err := p.Wait(deadline(t))
	require.NoError(t, err)
	return v
}

func waitErr[T any](t testing.TB, p actors.Promise[T]) error {
	t.Helper()
	_, err := p.Wait(deadline(t))
	require.Error(t, err)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	return err
}

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}
