package hot

import "sync/atomic"

// epochs tells when all readers that started before a moment have ended, without making anyone wait. What is retired in
// epoch e may be used again from e+2 on: the step to e+2 is taken only when no reader of e is left (H4).
type epochs struct {
	now     atomic.Uint64
	readers [2]counter
}

// counter has a cache line of its own.
type counter struct {
	atomic.Int64
	_ [56]byte
}

// enter counts a reader in and returns what leave wants.
func (e *epochs) enter() uint64 {
	for {
		now := e.now.Load()
		e.readers[now&1].Add(1)
		if e.now.Load() == now {
			return now
		}
		e.readers[now&1].Add(-1)
	}
}

func (e *epochs) leave(entered uint64) { e.readers[entered&1].Add(-1) }

// advance takes a step when it may.
func (e *epochs) advance() {
	now := e.now.Load()
	if e.readers[(now+1)&1].Load() == 0 {
		e.now.CompareAndSwap(now, now+1)
	}
}

// retired is a queue of things to be used again.
type retired struct{ queue []retiree }

type retiree struct {
	epoch uint64
	id    uint32
}

func (r *retired) push(id uint32, e *epochs) {
	r.queue = append(r.queue, retiree{e.now.Load(), id})
}

// pop returns the oldest one that nobody can still be looking at.
func (r *retired) pop(e *epochs) (id uint32, ok bool) {
	if len(r.queue) == 0 {
		return 0, false
	}
	first := r.queue[0]
	for range 2 {
		if e.now.Load() >= first.epoch+2 {
			r.queue = r.queue[1:]
			return first.id, true
		}
		e.advance()
	}
	if e.now.Load() >= first.epoch+2 {
		r.queue = r.queue[1:]
		return first.id, true
	}
	return 0, false
}
