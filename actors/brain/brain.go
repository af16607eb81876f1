package brain

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// brain is the actor of one namespace.
//
// Invariants:
//   - B1: jobs are submitted in the order of admission; their ticks rise in that order.
//   - B2: ahead is the durable state with every job of gathering and flight applied.
//   - B3: a memory in touched has exactly that many proposals in flight, and touched.head is its state after them. It
//     stays until it also owes no answer, for touched.seq is then the only true end of its stream.
//   - B4: after a failure nothing is admitted until every job in flight is answered; then ahead is read anew.
type brain struct {
	e     *Engine
	ns    eventlog.Ordinal
	name  string
	space *projections.Space // nil until the namespace has its first commit
	self  actors.Ref

	lease   *lease
	router  *actors.Router[model.MemoryID]
	ahead   ahead
	touched map[model.MemoryID]*touched

	backlog    []*job // not admitted yet
	gathering  []*job // admitted, proposals outstanding or not yet submitted
	flight     []*job // submitted
	byRequest  map[[16]byte]*job
	generation uint64
	broken     error  // a commit failed and jobs are still in flight (B4)
	dropped    []*job // decided when it failed; their memories are put right by recover
	resuming   bool   // a resume is on its way

	births   births
	refusals refusals
}

// ahead is what the next admission starts from.
type ahead struct {
	born        bool // the namespace has its first fact, durable or in flight
	tick        model.Tick
	millis      model.Millis
	version     uint64
	head        eventlog.Seq
	contentHigh model.ContentNumber
	symbolHigh  model.Symbol
	params      model.Params
	embedder    model.EmbedderRef
	importing   bool
	symbols     map[string]model.Symbol // numbered, not durable yet
	carry       []eventlog.Symbol       // numbered for a job that was dropped: the next one admitted brings them
}

// touched is a memory with proposals in flight.
type touched struct {
	head     *model.Memory
	seq      eventlog.Seq // commit of its last fact, in flight
	inFlight int
}

// lease is what outlives a brain, because its commits do. The writer's goroutine and the brain share it.
type lease struct {
	inFlight atomic.Int64  // commits of the namespace that are not answered
	durable  atomic.Uint64 // seq of the last that is durable
	leftover atomic.Bool   // contents of a failed commit may lie above the marks
}

func (l *lease) held() bool { return l.inFlight.Load() > 0 }

// sweepEvery is the pause between two looks for idle memories.
const sweepEvery = 30 * time.Second

func newBrain(e *Engine, ns eventlog.Ordinal, name string, l *lease) *brain {
	b := &brain{e: e, ns: ns, name: name, lease: l, touched: map[model.MemoryID]*touched{}, byRequest: map[[16]byte]*job{}}
	b.space, _ = e.o.Projections.Space(ns)
	b.router = actors.NewRouter[model.MemoryID](actors.RouterOptions[model.MemoryID]{
		Name:        memory.Name,
		Producer:    func() actors.Actor { return e.o.memory(b.load) },
		ResidentMax: e.o.Resident,
		IdleAfter:   e.o.IdleAfter,
		Now:         e.o.Clock,
	})
	b.refusals = newRefusals()
	return b
}

// load is how a memory reads its durable state. It runs on the memories' goroutines.
func (b *brain) load(id model.MemoryID) (*model.Memory, eventlog.Seq, error) {
	space, ok := b.e.o.Projections.Space(b.ns)
	if !ok {
		return nil, 0, nil
	}
	return loadMemory(space, id)
}

// Receive handles one message.
func (b *brain) Receive(c *actors.Context) {
	switch msg := c.Message().(type) {
	case actors.Started:
		b.self = c.Self()
		b.reset()
		if b.lease.held() || b.lease.leftover.Load() {
			b.broken = fmt.Errorf("commits of an earlier incarnation are in flight: %w", actors.ErrStopped)
			b.resumeLater()
		}
		b.scheduleSweep()
	case admit:
		b.enqueue(c, msg.job)
	case proposed:
		b.gather(c, msg)
	case durable:
		b.settle(c, msg)
	case resume:
		b.resuming = false
		if b.broken != nil {
			b.recover(c)
			return
		}
		b.submitReady(c)
	case reserve:
		b.reserve(msg)
	case sweep:
		if msg.of == b {
			b.router.Sweep(c, b.e.o.Clock())
			b.scheduleSweep()
		}
	case inspectBrain:
		msg.Resolve(b.activity())
	case actors.Terminated:
		b.router.Terminated(c, msg)
	case actors.Restarted:
		b.restarted(c, msg)
	case actors.Quarantined:
		b.router.Quarantined(msg)
		b.e.o.Logger.Error("memory quarantined", "namespace_ordinal", b.ns, "actor", msg.Name, "error", msg.Err)
	case actors.Stopping, actors.Restarting:
		b.abandon()
	}
}

func (b *brain) scheduleSweep() {
	self := b.self
	time.AfterFunc(sweepEvery, func() { _ = self.Tell(sweep{b}) }) // a stopped brain needs no sweep
}

// reset reads the durable state: at the start, and after a failure when nothing is in flight any more.
func (b *brain) reset() {
	b.broken = nil
	b.generation = b.e.writer.Generation()
	b.ahead = ahead{symbols: map[string]model.Symbol{}, params: b.e.o.Params}
	b.space, _ = b.e.o.Projections.Space(b.ns)
	b.births.forgotten = max(b.births.forgotten, eventlog.Seq(b.lease.durable.Load()))
	state := b.state()
	if state == nil || state.Version == 0 {
		return
	}
	_, head := b.space.BrainHead()
	b.ahead = ahead{
		born: true, tick: state.Tick, millis: state.Millis, version: state.Version, head: head,
		contentHigh: state.ContentHigh, symbolHigh: state.SymbolHigh, params: state.Params,
		embedder: state.Embedder, importing: state.Import != nil, symbols: map[string]model.Symbol{},
	}
}

// state is the durable state of the namespace; nil before its first commit.
func (b *brain) state() *model.Brain {
	if b.space == nil {
		return nil
	}
	return b.space.Brain()
}

// abandon answers everybody who still waits, when the brain stops. What is in flight may still become durable;
// its callers are answered by the writer's word.
func (b *brain) abandon() {
	for _, j := range append(b.backlog, b.gathering...) {
		j.fail(actors.ErrStopped)
	}
	b.backlog, b.gathering = nil, nil
}

// reserve lets somebody else write the first commits of the namespace.
func (b *brain) reserve(msg reserve) {
	switch {
	case b.ahead.born:
		msg.Fail(exists(b.name))
		return
	case b.broken != nil:
		msg.Fail(b.broken)
		return
	case len(b.backlog)+len(b.gathering)+len(b.flight) > 0:
		msg.Fail(fmt.Errorf("requests are under way: %w", actors.ErrBusy))
		return
	}
	b.lease.inFlight.Add(1)
	b.broken = fmt.Errorf("the namespace is being restored: %w", actors.ErrBusy)
	if !msg.Resolve(struct{}{}) {
		b.lease.inFlight.Add(-1) // the asker has gone
		b.resumeLater()
	}
}

// restarted puts a memory right that panicked. What it had not answered before is void.
func (b *brain) restarted(c *actors.Context, msg actors.Restarted) {
	b.e.o.Logger.Warn("memory restarted", "namespace_ordinal", b.ns, "actor", msg.Name, "error", msg.Err)
	id, err := model.ParseMemoryID("id", memory.Key(msg.Name))
	if err != nil {
		return
	}
	for _, j := range b.gathering {
		for i := range j.asks {
			if a := &j.asks[i]; a.id == id && !a.answered {
				a.void = true
			}
		}
	}
	b.mend(c, id)
}

// mend gives a memory the state that the brain has of it: with what is in flight, else the durable one.
func (b *brain) mend(c *actors.Context, id model.MemoryID) {
	var msg any = memory.Revert{}
	if t := b.touched[id]; t != nil && t.inFlight > 0 {
		msg = memory.Rebase{Base: t.head}
	}
	_ = b.router.Route(c, id, msg) // a quarantined one needs none
}

// Activity is what a brain is doing, for stats.
type Activity struct {
	Resident    int
	Waiting     int
	InFlight    int
	Recovering  bool // a commit failed; requests are refused until the durable state is taken up
	Quarantined []model.MemoryID
}

func (b *brain) activity() Activity {
	return Activity{
		Resident: b.router.Resident(), Waiting: len(b.backlog) + len(b.gathering), InFlight: len(b.flight),
		Recovering:  b.broken != nil,
		Quarantined: b.router.QuarantinedKeys(),
	}
}

// Activity asks the brain of a namespace what it is doing; the zero Activity when it sleeps. The answer comes after
// everything that the brain was sent before. Errors: unavailable when the brain stops, or ctx ends.
func (e *Engine) Activity(ctx context.Context, namespace string) (Activity, error) {
	h := e.brain(namespace)
	if h == nil {
		return Activity{}, nil
	}
	msg := inspectBrain{actors.NewPromise[Activity]()}
	if err := h.ref.Tell(msg); err != nil {
		return Activity{}, failure(err, "ask the brain")
	}
	out, err := msg.Wait(ctx)
	return out, failure(err, "ask the brain")
}
