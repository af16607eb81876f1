package vectors

import (
	"slices"

	"github.com/membrain-db/membrain/vectors/internal/hot"
)

const (
	movesPerCheck   = 256  // vectors moved between two looks at what else is to be done
	tombstonesMin   = 1000 // dead nodes that are worth a consolidation,
	tombstonesPart  = 20   // and a twentieth of the nodes: the larger of the two
	repairsPerStep  = 64
	handOverPending = 256 // vectors that the first tail may have,
	handOverPart    = 10  // or a tenth of the graph: the larger of the two
)

// startGraph begins to build a graph beside the flat index that has become too large.
func (a *Auto) startGraph(flat *Flat) {
	a.graph = hot.New(a.o.graph(a.dim, a.form))
	a.pending = flat.Keys().ToArray()
}

// wake starts the worker unless it runs or has nothing to do. The caller holds mu.
func (a *Auto) wake() {
	if a.running || a.closed || a.job() == nil {
		return
	}
	a.running = true
	a.work.Go(a.runJobs)
}

// runJobs does one job after the other until there is none.
func (a *Auto) runJobs() {
	for {
		a.links.Lock()
		a.mu.Lock()
		job := a.job()
		if job == nil || a.closed {
			a.running = false
			a.idle.Broadcast()
			a.mu.Unlock()
			a.links.Unlock()
			return
		}
		job() // unlocks mu
		a.links.Unlock()
	}
}

// job returns the next thing to do, which is called with mu held and releases it; nil for nothing.
func (a *Auto) job() func() {
	v := a.view.Load()
	g := a.graph
	due := len(a.pending) == 0 || a.moved%movesPerCheck == 0
	switch {
	case g == nil || a.fault != nil:
		return nil
	case a.next != nil:
		return a.takeOver
	case v.graph == nil && len(a.pending) <= max(handOverPending, g.Len()/handOverPart):
		if g.NeedsCalibration() {
			return a.calibrate
		}
		return a.handOver
	case v.graph != nil && (a.o.exact() || a.Len() <= a.o.FlatMax/2):
		return a.backToFlat
	case v.graph != nil && due && 2*g.Dead() > g.Nodes():
		return a.startRenewal
	case due && (g.Consolidating() || tooManyDead(g)):
		return a.consolidate
	case v.graph != nil && due && g.NeedsCalibration():
		return a.calibrate
	case len(a.pending) > 0:
		return a.move
	}
	return nil
}

func tooManyDead(g *hot.Graph) bool {
	return g.Dead() >= max(tombstonesMin, g.Nodes()/tombstonesPart)
}

// move puts the oldest pending vector into the graph.
func (a *Auto) move() {
	v := a.view.Load()
	key := a.pending[0]
	a.pending = a.pending[1:]
	a.moved++
	_, bound := a.graph.Node(key)
	e, ok := v.flat.copyOf(key)
	if !ok || bound {
		a.mu.Unlock()
		return
	}
	if a.insert(a.graph, key, vectorOf(e)) && v.graph != nil {
		v.flat.Remove(key)
	}
	a.mu.Unlock()
}

// insert puts a vector into a graph and binds it to its key, unless that was removed or replaced meanwhile. It is called
// with mu held, releases it while it works, and returns with it held, and whether the key is bound.
func (a *Auto) insert(g *hot.Graph, key uint32, v hot.Vector) (bound bool) {
	a.moving = moving{key: key, active: true}
	a.mu.Unlock()
	node, err := g.Insert(key, v)
	a.mu.Lock()
	stale := a.moving.stale
	a.moving = moving{}
	if err == nil {
		if !stale {
			err = g.Bind(key, node)
			bound = err == nil
		}
		g.Drop(node) // which does nothing once it is bound
	}
	if err != nil {
		a.fault = err
		a.pending = append(a.pending, key)
	}
	return bound
}

// consolidate takes one step.
func (a *Auto) consolidate() {
	g := a.graph
	a.mu.Unlock()
	g.Consolidate(repairsPerStep)
}

// calibrate finds the width of searches, and has the next steps look for what none of any width would find.
func (a *Auto) calibrate() {
	g := a.graph
	a.mu.Unlock()
	g.Calibrate(a.o.Target)
	g.Probe()
}

// handOver lets the graph serve; what it lacks makes up the first tail.
func (a *Auto) handOver() {
	defer a.mu.Unlock()
	all := a.view.Load().flat
	tail := NewFlat(a.dim, a.form)
	for _, key := range a.pending {
		if _, bound := a.graph.Node(key); bound {
			continue
		}
		if e, ok := all.copyOf(key); ok {
			tail.set(key, e)
		}
	}
	a.view.Store(&view{tail, a.graph})
}

// backToFlat gives up the graph: the vectors have become few.
func (a *Auto) backToFlat() {
	defer a.mu.Unlock()
	v := a.view.Load()
	all := v.flat.clone()
	v.graph.Keys(func(key uint32) bool {
		if vector, ok := v.graph.Vector(key, hot.Vector{}); ok {
			all.set(key, embeddingOf(a.form, vector))
		}
		return true
	})
	a.view.Store(&view{all, nil})
	a.graph, a.next, a.pending, a.renew = nil, nil, nil, nil
}

func embeddingOf(form Form, v hot.Vector) Embedding {
	return Embedding{Form: form, Int8: v.Int8, Float32: v.Float}
}

// startRenewal begins a new graph of what lives in the old one: repairing one that is mostly dead costs more and gives a worse
// graph. New vectors stay in the tail until it is whole.
func (a *Auto) startRenewal() {
	defer a.mu.Unlock()
	a.next = hot.New(a.o.graph(a.dim, a.form))
	a.renew = slices.Collect(a.graph.Keys)
}

// takeOver moves one vector from the old graph to the new, or, after the last, lets the new one serve.
func (a *Auto) takeOver() {
	defer a.mu.Unlock()
	if len(a.renew) == 0 {
		a.finishRenewal()
		return
	}
	key := a.renew[0]
	a.renew = a.renew[1:]
	if v, ok := a.graph.Vector(key, hot.Vector{}); ok {
		a.insert(a.next, key, v)
	}
}

// finishRenewal is called with mu held, and again after calibration.
func (a *Auto) finishRenewal() {
	next := a.next
	if next.NeedsCalibration() {
		a.mu.Unlock()
		next.Calibrate(a.o.Target)
		next.Probe()
		a.mu.Lock()
	}
	a.view.Store(&view{a.view.Load().flat.clone(), next})
	a.graph, a.next = next, nil
}
