package vectors

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/hot"
)

// Auto is an Index that chooses how to serve. Up to Options.FlatMax vectors it is a Flat, and its answers have that
// index's bits. Beyond, a worker in the background puts the vectors into a graph (a hierarchical navigable small
// world); when it is whole it takes over. From then on new vectors go to a flat tail, which every search scans, and the
// worker moves them on.
//
// Through the graph an answer may miss some of the nearest, about as many as Options.Target allows; which ones may
// differ after a rebuild or between two processes, since it depends on the order in which vectors came and on when the
// worker ran. Everything else stays exact: similarities have Flat's bits, a filter's matches are all that is returned,
// always min(k, matches) of them, and what Add has returned for, the next Search sees.
//
// Safe for concurrent use by any number of writers and readers. A walk through the graph takes no lock; the scan of the
// tail shares a lock with the writer for the time that one vector takes to be copied, and a search that met three
// replacements in a row makes the writer wait. The zero value is not usable; see NewIndex.
type Auto struct {
	dim  int
	form Form
	o    Options

	view atomic.Pointer[view]
	// swaps is odd while a key's vector is being replaced by another: for a moment it is in neither place or in both.
	swaps  atomic.Uint64
	length atomic.Int64

	mu      sync.Mutex // of all below, and of who changes the view or the keys of a graph
	graph   *hot.Graph // in the view, or being built; nil while vectors are few
	next    *hot.Graph // to replace graph
	renew   []uint32   // keys that next has yet to take over
	pending []uint32   // keys that the graph has yet to take over, oldest first
	moving  moving
	moved   uint64
	fault   error
	running bool
	closed  bool
	idle    sync.Cond

	links sync.Mutex // held by a step of the worker and by SaveFile, taken before mu
	work  sync.WaitGroup
}

var _ Index = (*Auto)(nil)

// view is what a search works on. While there is no graph, flat has everything; then it has the tail. A key is bound in the graph before
// it leaves the tail, so a search looks at the tail first. A view is never changed: another graph comes with another tail.
type view struct {
	flat  *Flat
	graph *hot.Graph
}

// moving is the key that the worker is putting into a graph, without the lock.
type moving struct {
	key    uint32
	active bool
	stale  bool // it was removed or replaced meanwhile
}

// NewIndex returns an empty index for vectors of one dimension (1 to EmbeddingDimMax) and form. It panics on another
// dimension, an unknown form, or options that do not validate. It holds no goroutine while it has nothing to do.
func NewIndex(dim int, form Form, o Options) *Auto { return newAuto(NewFlat(dim, form), nil, o) }

func newAuto(flat *Flat, graph *hot.Graph, o Options) *Auto {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	a := &Auto{dim: flat.dim, form: flat.form, o: o.withDefaults(), graph: graph}
	a.idle.L = &a.mu
	a.view.Store(&view{flat, graph})
	return a
}

// Dim implements Index.
func (a *Auto) Dim() int { return a.dim }

// Form returns the form of every vector.
func (a *Auto) Form() Form { return a.form }

// Len implements Index.
func (a *Auto) Len() int { return int(a.length.Load()) }

// Add implements Index. It never waits for the worker's insertions.
func (a *Auto) Add(key uint32, e Embedding) error {
	flat := a.view.Load().flat
	if err := flat.check(e); err != nil {
		return fmt.Errorf("add vector %d: %w", key, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	v := a.view.Load()
	if _, had := a.node(v, key); had {
		a.swaps.Add(1)
		defer a.swaps.Add(1)
	}
	inFlat := v.flat.set(key, e)
	if inGraph := a.unbind(v, key); !inFlat && !inGraph {
		a.length.Add(1)
	}
	a.touch(key)
	if a.graph != nil {
		a.pending = append(a.pending, key)
	} else if v.flat.Len() > a.o.FlatMax && !a.o.exact() {
		a.startGraph(v.flat)
	}
	a.wake()
	return nil
}

// node returns the node of a key in the view's graph.
func (a *Auto) node(v *view, key uint32) (uint32, bool) {
	if v.graph == nil {
		return 0, false
	}
	return v.graph.Node(key)
}

// unbind takes a key out of all graphs and reports whether the view's had it.
func (a *Auto) unbind(v *view, key uint32) (had bool) {
	if a.graph != nil {
		had = a.graph.Unbind(key) && v.graph != nil
	}
	if a.next != nil {
		a.next.Unbind(key)
	}
	return had
}

// touch tells the worker that what it read of the key is stale.
func (a *Auto) touch(key uint32) {
	if a.moving.active && a.moving.key == key {
		a.moving.stale = true
	}
}

// Remove implements Index.
func (a *Auto) Remove(key uint32) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	v := a.view.Load()
	inFlat := v.flat.Remove(key)
	inGraph := a.unbind(v, key)
	a.touch(key)
	if !inFlat && !inGraph {
		return false
	}
	a.length.Add(-1)
	a.wake()
	return true
}

// Keys implements Index.
func (a *Auto) Keys() *roaring.Bitmap {
	a.mu.Lock()
	defer a.mu.Unlock()
	v := a.view.Load()
	keys := v.flat.Keys()
	if v.graph != nil {
		v.graph.Keys(func(key uint32) bool { keys.Add(key); return true })
	}
	return keys
}

// Stats implements Index.
func (a *Auto) Stats() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	v := a.view.Load()
	s := v.flat.Stats()
	if g := v.graph; g != nil {
		quality := g.Quality()
		s.Tail, s.Levels, s.GraphNodes, s.Tombstones = s.Vectors, g.Levels(), g.Nodes(), g.Dead()
		s.Ef, s.RecallSample = quality.Ef, quality.Recall
		s.MemoryBytes += g.MemoryBytes()
		s.Kernel = g.Kernel()
	}
	if a.fault != nil {
		s.Fault = a.fault.Error()
	}
	s.Vectors = a.Len()
	return s
}

// Close stops the worker and waits until it has. The index still answers and still takes vectors; they stay where they
// are. Its memory goes when nothing refers to it. Closing again does nothing.
func (a *Auto) Close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.work.Wait()
}

// Settle waits until the worker has nothing to do: all vectors are in the graph, if there is one, and it is calibrated and
// repaired as far as it needs to be. It returns at once after Close.
func (a *Auto) Settle() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.running {
		a.idle.Wait()
	}
}
