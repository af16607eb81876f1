package projections

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	damaged  atomic.Bool // a reader has met damage in the table
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

// world is one table and the namespaces folded with it. A rebuild makes a second one beside the first.
type world struct {
	p     *Projections
	table atomic.Pointer[state.Table]

	mu      sync.RWMutex
	spaces  map[eventlog.Ordinal]*Space
	symbols map[eventlog.Ordinal]*symbols // also of namespaces that have no space yet
}

func newWorld(p *Projections, t *state.Table) *world {
	w := &world{p: p, spaces: map[eventlog.Ordinal]*Space{}, symbols: map[eventlog.Ordinal]*symbols{}}
	w.table.Store(t)
	return w
}

func (w *world) space(ord eventlog.Ordinal) (*Space, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	s, ok := w.spaces[ord]
	return s, ok
}

// all returns the spaces in order of their numbers.
func (w *world) all() []*Space {
	w.mu.RLock()
	defer w.mu.RUnlock()
	list := make([]*Space, 0, len(w.spaces))
	for _, s := range w.spaces {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *Space) int { return cmp.Compare(a.ordinal, b.ordinal) })
	return list
}

func (w *world) symbolsOf(ns eventlog.Ordinal) *symbols {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.symbols[ns]
	if s == nil {
		s = newSymbols()
		w.symbols[ns] = s
	}
	return s
}

// spaceFor returns a namespace's space, a new one when it has none.
func (w *world) spaceFor(ns eventlog.Ordinal) *Space {
	symbols := w.symbolsOf(ns)
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.spaces[ns]
	if s == nil {
		s = &Space{p: w.p, world: w, ordinal: ns, symbols: symbols, body: newBody()}
		s.brain.Store(&brainState{})
		w.spaces[ns] = s
	}
	return s
}

// loadSymbols reads the symbols of a namespace from contents.
func (w *world) loadSymbols(ctx context.Context, ns eventlog.Ordinal, high model.Symbol) error {
	return w.symbolsOf(ns).load(ctx, w.p.o.Contents, ns, high)
}
