package projections

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/state"
)

// Projections are everything that is folded from one log. Open makes them; Apply keeps them up with the log. Reads may come from any
// number of goroutines.
//
// P1: applying is held by whoever moves the world on: Apply, and the last step of a Rebuild.
type Projections struct {
	o     Options
	id    state.Identity
	names *symbols // of namespaces: symbol = ordinal
	live  *world

	applying sync.Mutex // P1
	applied  atomic.Uint64
	failed   atomic.Pointer[error] // set when a damaged table could not be rebuilt
	staged   staging

	closing  sync.Mutex // held by Close and by Rebuild
	closed   bool       // guarded by closing
	saving   sync.Mutex // held by whoever saves index files
	stop     chan struct{}
	stopped  chan struct{}
	wake     chan struct{}
	facts    atomic.Int64 // since the last checkpoint
	rebuilds atomic.Int64
	retired  sync.WaitGroup // vector indexes on their way out
	damaged  atomic.Bool    // a reader has met damage in the table
}

// NamespaceInfo is one namespace of the store.
type NamespaceInfo struct {
	Ordinal  eventlog.Ordinal
	Name     string
	Tick     model.Tick
	Memories int
}

// Space returns a namespace by its number.
func (p *Projections) Space(ord eventlog.Ordinal) (*Space, bool) { return p.live.space(ord) }

// SpaceByName returns a namespace by its name, compared exactly.
func (p *Projections) SpaceByName(name string) (*Space, bool) {
	number, ok := p.names.lookup(name)
	if !ok {
		return nil, false
	}
	return p.live.space(eventlog.Ordinal(number))
}

// Namespaces returns all namespaces in order of their numbers.
func (p *Projections) Namespaces() []NamespaceInfo {
	var list []NamespaceInfo
	for _, s := range p.live.all() {
		info := NamespaceInfo{Ordinal: s.ordinal, Name: s.Name()}
		s.Read(func(v *View) { info.Tick, info.Memories = v.Tick, v.Len() })
		list = append(list, info)
	}
	return list
}

// Request returns the commit that acknowledged a request of a namespace, by the keyed digest of its id.
// Errors: ErrUnavailable; ErrClosed.
func (p *Projections) Request(ns eventlog.Ordinal, digest [16]byte) (eventlog.Seq, bool, error) {
	for {
		table := p.live.table.Load()
		seq, ok, err := table.Request(ns, digest)
		if err == nil || p.live.table.Load() == table {
			return seq, ok, p.readFailed(err)
		}
	}
}

// AppliedSeq returns the last commit that the projections show.
func (p *Projections) AppliedSeq() eventlog.Seq { return eventlog.Seq(p.applied.Load()) }

// LearnSymbols makes symbols known before the commit that brings them is applied. Namespace 0 takes names of namespaces.
func (p *Projections) LearnSymbols(ns eventlog.Ordinal, list []eventlog.Symbol) {
	p.symbolsOf(ns).learn(list)
}

func (p *Projections) symbolsOf(ns eventlog.Ordinal) *symbols {
	if ns == 0 {
		return p.names
	}
	return p.live.symbolsOf(ns)
}

// readFailed gives an error of the table this package's classes. A damaged table is made anew in the background.
func (p *Projections) readFailed(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, state.ErrClosed):
		return ErrClosed
	case errors.Is(err, state.ErrRebuild):
		p.damaged.Store(true)
		p.nudge()
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
