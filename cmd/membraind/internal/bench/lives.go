package bench

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// lives measures the memories of a store as a brain has them: actors behind a router, which load themselves from
// the state table. The brain is left out, so that no commit stands in the way.
func (r *runner) lives(ctx context.Context, dir string) (err error) {
	bolt, err := eventlog.OpenBolt(dir, eventlog.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bolt.Close()) }()
	p, err := projections.Open(ctx, projections.Options{Dir: dir, Log: bolt.Log(), Contents: bolt.Contents()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	from, ok := p.SpaceByName(space)
	if !ok {
		return model.NotFound("namespace", space)
	}
	ids, err := idsOf(from)
	if err != nil {
		return err
	}
	if err := r.activation(ctx, from, ids); err != nil {
		return err
	}
	return r.idleHeap(ctx, from, ids)
}

func idsOf(s *projections.Space) (ids []model.MemoryID, err error) {
	all := s.Compile(model.Filter{}, model.Viewer{Operator: true}, s.Brain().Tick)
	for cursor := ""; ; {
		page, next, err := s.List(all, cursor, model.LimitMax, false)
		if err != nil {
			return nil, err
		}
		ids = append(ids, page...)
		if cursor = next; cursor == "" {
			return ids, nil
		}
	}
}

// house is a parent of memories.
type house struct {
	system  *actors.System
	ref     actors.Ref
	answers actors.Promises[memory.Proposed]
	params  model.Params
	at      model.Moment
}

// ask is a command for one memory.
type ask struct {
	actors.Promise[memory.Proposed]
	id      model.MemoryID
	command model.Command
	params  *model.Params
	at      model.Moment
}

// newHouse starts a parent that keeps so many memories alive.
func newHouse(s *projections.Space, resident int) (*house, error) {
	h := &house{system: actors.NewSystem(actors.Options{}), params: model.DefaultParams(), at: model.Moment{Tick: s.Brain().Tick + 1}}
	load := func(id model.MemoryID) (*model.Memory, eventlog.Seq, error) {
		state, err := s.Memory(id)
		return state.Memory, state.Head, err
	}
	var err error
	h.ref, err = h.system.Spawn("house", func() actors.Actor { return newParent(load, resident) })
	return h, err
}

func newParent(load memory.Loader, resident int) actors.Actor {
	router := actors.NewRouter(actors.RouterOptions[model.MemoryID]{
		Name: memory.Name, Producer: func() actors.Actor { return memory.New(load) }, ResidentMax: resident,
	})
	return actors.ActorFunc(func(c *actors.Context) {
		switch m := c.Message().(type) {
		case ask:
			reply := func(p memory.Proposed) { m.Resolve(p) }
			if err := router.Route(c, m.id, memory.Propose{Command: m.command, Params: m.params, At: m.at, Reply: reply}); err != nil {
				m.Fail(err)
			}
		case actors.Terminated:
			router.Terminated(c, m)
		}
	})
}

// ask waits until the memory has decided.
func (h *house) ask(ctx context.Context, id model.MemoryID, command model.Command) (memory.Proposed, error) {
	a := ask{h.answers.New(), id, command, &h.params, h.at}
	if err := h.ref.Tell(a); err != nil {
		return memory.Proposed{}, err
	}
	return a.Wait(ctx)
}

// activation asks every memory twice: passivated it loads itself first, alive it only decides.
func (r *runner) activation(ctx context.Context, s *projections.Space, ids []model.MemoryID) error {
	h, err := newHouse(s, len(ids)/10)
	if err != nil {
		return err
	}
	var cold, live latencies
	r.say("actors: activation")
	for range 3 { // the first pass wakes code and page cache
		cold, live = nil, nil
		for _, id := range ids {
			for _, took := range []*latencies{&cold, &live} {
				started := time.Now()
				got, err := h.ask(ctx, id, model.Reinforce{Cause: model.CauseRecall})
				if err = errors.Join(err, got.Err); err != nil {
					return fmt.Errorf("ask %s: %w", id, err)
				}
				*took = append(*took, time.Since(started))
			}
		}
	}
	r.compare("actors.activation_p50_us", micros(cold.at(0.5)), "us", len(cold), "alive", micros(live.at(0.5)))
	r.compare("actors.activation_p99_us", micros(cold.at(0.99)), "us", len(cold), "alive", micros(live.at(0.99)))
	return h.system.Shutdown(ctx)
}

// idleHeap measures what an idle memory takes beyond its state. A tenth of them wake first, so that what actors
// have in common is there before it counts.
func (r *runner) idleHeap(ctx context.Context, s *projections.Space, ids []model.MemoryID) error {
	r.say("actors: heap of %d idle memories", len(ids))
	h, err := newHouse(s, len(ids))
	if err != nil {
		return err
	}
	first := len(ids) / 10
	if err := h.wake(ctx, ids[:first]); err != nil {
		return err
	}
	before := heapInUse()
	if err := h.wake(ctx, ids[first:]); err != nil {
		return err
	}
	actors := heapInUse() - before
	before = heapInUse()
	states, err := statesOf(s, ids[first:])
	if err != nil {
		return err
	}
	alone := heapInUse() - before
	runtime.KeepAlive(states)
	n := len(states)
	r.add("actors.state_bytes", float64(alone)/float64(n), "B", n)
	r.add("actors.idle_heap_bytes", float64(actors-alone)/float64(n), "B", n)
	return h.system.Shutdown(ctx)
}

// wake makes memories alive. What they are asked they refuse: none is archived, so nothing is pending.
func (h *house) wake(ctx context.Context, ids []model.MemoryID) error {
	for _, id := range ids {
		if _, err := h.ask(ctx, id, model.Restore{}); err != nil {
			return err
		}
	}
	return nil
}

func statesOf(s *projections.Space, ids []model.MemoryID) ([]*model.Memory, error) {
	states := make([]*model.Memory, len(ids))
	for i, id := range ids {
		state, err := s.Memory(id)
		if err != nil {
			return nil, err
		}
		states[i] = state.Memory
	}
	return states, nil
}

// heapInUse is what lives on the heap now.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools let go in the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
