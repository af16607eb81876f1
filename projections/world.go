package projections

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/state"
)

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
