package actors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/eventstream"
)

// Defaults of Options.
const (
	DefaultMailboxMax = 4096
	DefaultName       = "membrain"
)

// Options of a System. The zero value is sane.
type Options struct {
	// ActorSystem is a host's. It is never shut down here; a system of our own is made when nil.
	ActorSystem *actor.ActorSystem
	// Name of the root actor under which all others live. Default DefaultName; when a host's system has it already, "-2" and so on is added.
	Name string
	// Logger receives restarts and quarantines. Default: nothing is logged.
	Logger *slog.Logger
	// MailboxMax caps the messages queued at one actor. Default DefaultMailboxMax.
	MailboxMax int
	// Now is the clock that restarts are counted by. Default time.Now.
	Now func() time.Time
	// OnQuarantine hears of top-level actors, which have no parent to tell. It must not block.
	OnQuarantine func(Quarantined)
}

// Stats are counters since NewSystem; they are read one by one, not at one instant.
type Stats struct {
	Actors      int64  // alive, without the root
	DeadLetters uint64 // messages accepted and never handled, or sent by PID to an actor that is gone
	Busy        uint64 // messages refused with ErrBusy
	Panics      uint64 // in Receive, in a producer or in Undelivered
	Restarts    uint64
	Quarantined uint64
}

// System is a tree of actors on protoactor. Its methods are safe for concurrent use.
type System struct {
	host       *actor.ActorSystem
	owned      bool
	name       string // of the root
	logger     *slog.Logger
	mailboxMax int
	now        func() time.Time

	root     *cell
	gone     chan struct{} // closed when the root has stopped
	letters  *eventstream.Subscription
	teardown sync.Once

	living      atomic.Int64
	deadLetters atomic.Uint64
	busy        atomic.Uint64
	panics      atomic.Uint64
	restarts    atomic.Uint64
	quarantined atomic.Uint64
}

// NewSystem starts the root actor.
func NewSystem(opts Options) *System {
	s := &System{
		host:       opts.ActorSystem,
		logger:     opts.Logger,
		mailboxMax: opts.MailboxMax,
		now:        opts.Now,
		gone:       make(chan struct{}),
	}
	if s.logger == nil {
		s.logger = slog.New(slog.DiscardHandler)
	}
	if s.mailboxMax <= 0 {
		s.mailboxMax = DefaultMailboxMax
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.host == nil {
		s.host, s.owned = quietActorSystem(), true
	}
	s.spawnRoot(opts)
	s.letters = s.host.EventStream.SubscribeWithPredicate(s.deadLetter, s.isOurDeadLetter)
	return s
}

// quietActorSystem logs nothing by itself: protoactor's dead-letter logger would print messages, which are memory text.
// It gets no metrics provider, which makes spawn and stop three times slower; Stats counts instead.
func quietActorSystem() *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
}

func (s *System) spawnRoot(opts Options) {
	base := opts.Name
	if base == "" {
		base = DefaultName
	}
	k := newKind(s, func() Actor { return &root{onQuarantine: opts.OnQuarantine} }, nil)
	for n := 1; ; n++ {
		s.name = base
		if n > 1 {
			s.name = base + "-" + strconv.Itoa(n)
		}
		cell, err := k.spawn(s.host.Root, s.name, nil)
		if errors.Is(err, ErrNameTaken) {
			continue
		}
		if err != nil {
			panic(fmt.Sprintf("actors: spawn of the root: %v", err)) // a name and a producer of our own
		}
		s.root = cell
		return
	}
}

// Spawn starts a top-level actor. It waits for the root actor and is not for use inside Receive (there: Context.Spawn).
// Errors: ErrNoName, ErrNameTaken, ErrStopped after Shutdown.
func (s *System) Spawn(name string, producer func() Actor, opts ...SpawnOption) (Ref, error) {
	answer := NewPromise[Ref]()
	err := Ref{s.root}.TellUncapped(spawnRequest{Promise: answer, name: name, producer: producer, opts: opts})
	if err != nil {
		return Ref{}, fmt.Errorf("spawn %s: %w", name, err)
	}
	return answer.Wait(context.Background())
}

// Stop stops an actor from outside: at once, what it has queued is undelivered.
func (s *System) Stop(ref Ref) { ref.stop() }

// Retire stops an actor from outside after the messages that it has queued.
func (s *System) Retire(ref Ref) { ref.retire() }

// ActorSystem returns the protoactor system, the host's or our own.
func (s *System) ActorSystem() *actor.ActorSystem { return s.host }

// Stats returns the counters.
func (s *System) Stats() Stats {
	return Stats{
		Actors:      max(0, s.living.Load()-1),
		DeadLetters: s.deadLetters.Load(),
		Busy:        s.busy.Load(),
		Panics:      s.panics.Load(),
		Restarts:    s.restarts.Load(),
		Quarantined: s.quarantined.Load(),
	}
}

// Shutdown stops all actors, parents first told, children first gone, and waits for them. A host's system goes on.
// It may be called again. Errors: the cause of ctx when it ends first; the actors go on stopping.
func (s *System) Shutdown(ctx context.Context) error {
	Ref{s.root}.stop()
	select {
	case <-s.gone:
	case <-ctx.Done():
		return fmt.Errorf("stop actors: %w", context.Cause(ctx))
	}
	s.teardown.Do(func() {
		s.host.EventStream.Unsubscribe(s.letters)
		if s.owned {
			s.host.Shutdown()
		}
	})
	return nil
}
