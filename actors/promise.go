package actors

import (
	"context"
	"sync"
)

// Promise is a one-shot answer: one side waits, any number of others try to answer, the first wins. It is a small value that
// is copied freely; embed it in a request message, and a runtime that cannot deliver the request answers it (Undeliverable).
// The zero Promise answers nobody.
//
// A pooled slot carries a generation. Wait ends the generation, so an answer that comes after a timed-out Wait finds another
// one and is dropped; the slot's next user never sees it.
type Promise[T any] struct {
	slot *slot[T]
	gen  uint64
}

// Promises is a pool of promises; the zero value is ready. It must not be copied after first use.
type Promises[T any] struct {
	pool sync.Pool
}

type slot[T any] struct {
	mu      sync.Mutex
	gen     uint64
	awaited bool
	done    bool
	value   T
	err     error
	ready   chan struct{} // buffer of one; filled when done turns true
	home    *Promises[T]  // nil: not pooled
}

// NewPromise returns a promise of its own, for rare use; a busy asker keeps a Promises.
func NewPromise[T any]() Promise[T] {
	return Promise[T]{slot: newSlot[T](nil)}
}

func newSlot[T any](home *Promises[T]) *slot[T] {
	return &slot[T]{ready: make(chan struct{}, 1), home: home}
}

// New returns a promise whose slot goes back to the pool when Wait returns.
func (p *Promises[T]) New() Promise[T] {
	s, ok := p.pool.Get().(*slot[T])
	if !ok {
		s = newSlot(p)
	}
	return Promise[T]{slot: s, gen: s.gen}
}

// Resolve answers with v. It reports whether this was the answer: not after another one, nor after Wait has returned.
func (p Promise[T]) Resolve(v T) bool { return p.settle(v, nil) }

// Fail answers with err, as Resolve does with a value.
func (p Promise[T]) Fail(err error) bool {
	var none T
	return p.settle(none, err)
}

// Undelivered is Fail; with it a message that embeds a Promise is Undeliverable.
func (p Promise[T]) Undelivered(err error) { p.Fail(err) }

func (p Promise[T]) settle(v T, err error) bool {
	s := p.slot
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gen != p.gen || s.done {
		return false
	}
	s.value, s.err, s.done = v, err, true
	s.ready <- struct{}{}
	return true
}

// Wait returns the answer, once. When ctx ends first it returns the cause, and a later answer is dropped.
// Errors: what Fail was given, the cause of ctx, ErrAwaited for a second Wait and for the zero Promise.
func (p Promise[T]) Wait(ctx context.Context) (T, error) {
	if !p.claim() {
		var none T
		return none, ErrAwaited
	}
	select {
	case <-p.slot.ready:
	case <-ctx.Done():
	}
	return p.take(ctx)
}

// claim makes the caller the only one that waits.
func (p Promise[T]) claim() bool {
	s := p.slot
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gen != p.gen || s.awaited {
		return false
	}
	s.awaited = true
	return true
}

// take ends the generation and returns the slot. An answer that came together with the end of ctx counts.
func (p Promise[T]) take(ctx context.Context) (T, error) {
	s := p.slot
	s.mu.Lock()
	value, err := s.value, s.err
	if !s.done {
		err = context.Cause(ctx)
	}
	select {
	case <-s.ready:
	default:
	}
	var none T
	s.value, s.err, s.done, s.awaited = none, nil, false, false
	s.gen++
	s.mu.Unlock()
	if s.home != nil {
		s.home.pool.Put(s)
	}
	return value, err
}
