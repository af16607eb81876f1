package eventlog

import "sync"

// Faults are the failures that a Memory store can be told to have. Counts are from now on: 1 is the next call.
// The zero value has none. Safe for concurrent use.
type Faults struct {
	append, put, reload faultPlan
}

// FailAppend makes the nth append fail with err (as ErrUnavailable) and write nothing.
func (f *Faults) FailAppend(n int, err error) { f.append.plan(n, fault{err: err}) }

// LoseAppend makes the nth append write everything and then fail with err: an unknown outcome that is a success.
func (f *Faults) LoseAppend(n int, err error) { f.append.plan(n, fault{err: err, written: true}) }

// FailPut makes the nth put of contents fail with err and write nothing.
func (f *Faults) FailPut(n int, err error) { f.put.plan(n, fault{err: err}) }

// LosePut makes the nth put write everything and then fail with err.
func (f *Faults) LosePut(n int, err error) { f.put.plan(n, fault{err: err, written: true}) }

// FailReload makes the nth reload of the head fail with err.
func (f *Faults) FailReload(n int, err error) { f.reload.plan(n, fault{err: err}) }

// BlockSync makes every append and put wait, as on a disk that does not answer, until release is called.
// entered receives once for each call that has begun to wait, as far as its buffer of 64 has room.
func (f *Faults) BlockSync() (entered <-chan struct{}, release func()) {
	gate, arrivals := make(chan struct{}), make(chan struct{}, 64)
	f.append.block(gate, arrivals)
	f.put.block(gate, arrivals)
	var once sync.Once
	return arrivals, func() {
		once.Do(func() {
			f.append.block(nil, nil)
			f.put.block(nil, nil)
			close(gate)
		})
	}
}

// fault is what one call has to suffer.
type fault struct {
	err      error
	written  bool
	gate     <-chan struct{}
	arrivals chan<- struct{}
}

func (f fault) wait() {
	if f.gate == nil {
		return
	}
	select {
	case f.arrivals <- struct{}{}:
	default: // full; the test has seen enough
	}
	<-f.gate
}

type faultPlan struct {
	mu       sync.Mutex
	calls    int
	at       map[int]fault
	gate     <-chan struct{}
	arrivals chan<- struct{}
}

func (p *faultPlan) plan(n int, f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at == nil {
		p.at = map[int]fault{}
	}
	p.at[p.calls+n] = f
}

func (p *faultPlan) block(gate <-chan struct{}, arrivals chan<- struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate, p.arrivals = gate, arrivals
}

// next counts a call and returns its fault.
func (p *faultPlan) next() fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	f := p.at[p.calls]
	delete(p.at, p.calls)
	f.gate, f.arrivals = p.gate, p.arrivals
	return f
}
