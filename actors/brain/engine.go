package brain

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/vectors"
	"github.com/membrain-db/membrain/vectors/embed"
)

// Options of an Engine.
type Options struct {
	// These are required.
	System      *actors.System
	Log         eventlog.Log
	Contents    eventlog.Contents
	Projections *projections.Projections
	Embedder    embed.Embedder
	Form        vectors.Form // of the embedder's vectors
	Clock       func() time.Time
	NewID       func() model.MemoryID // ids that rise with time; called by several goroutines at once
	Random      io.Reader             // salts

	// These have defaults.
	Params    model.Params  // of namespaces made from now on; zero is model.DefaultParams
	Logger    *slog.Logger  // discards
	Workers   int           // requests prepared at once; default 4 per processor
	AdmitMax  int           // requests of one namespace between admission and reply; default 1,024
	Resident  int           // memories kept alive per namespace; default actors.DefaultResidentMax
	IdleAfter time.Duration // before a memory is passivated; default actors.DefaultIdleAfter
	Writer    eventlog.WriterOptions

	memory func(memory.Loader) actors.Actor // makes the actor of a memory; tests have theirs break
}

// Engine answers requests. It owns the writer and the brains. Safe for concurrent use.
type Engine struct {
	o       Options
	writer  *eventlog.Writer
	staged  staging
	workers chan struct{}
	secret  [32]byte
	outcome actors.Promises[outcome]
	pools   sync.Pool // of *pool
	store   actors.Ref
	random  sync.Mutex // guards Random

	mu        sync.Mutex
	brains    map[string]*handle
	importing map[string]bool // namespaces with an import under way
	closed    bool
	users     sync.WaitGroup

	opening     sync.Mutex                  // held while a namespace is named and its brain started; guards what follows
	named       map[string]eventlog.Ordinal // also those without a commit
	lastOrdinal eventlog.Ordinal
	leases      map[eventlog.Ordinal]*lease
}

// handle is a namespace that has a brain.
type handle struct {
	name  string
	ns    eventlog.Ordinal
	ref   actors.Ref
	lease *lease
}

// New starts an engine over open stores. Errors: what the projections or contents say.
func New(ctx context.Context, o Options) (*Engine, error) {
	e := &Engine{
		o: o.withDefaults(), secret: o.Contents.Secret(), brains: map[string]*handle{}, importing: map[string]bool{},
		named: map[string]eventlog.Ordinal{}, leases: map[eventlog.Ordinal]*lease{},
	}
	e.workers = make(chan struct{}, e.o.Workers)
	e.pools.New = func() any { return &pool{} }
	e.staged.byseq = map[eventlog.Seq]staged{}
	w := e.o.Writer
	w.Apply = e.apply
	w.Clock = e.o.Clock
	e.writer = eventlog.NewWriter(o.Log, o.Contents, w)
	ref, err := e.o.System.Spawn("store", func() actors.Actor { return &store{engine: e} })
	if err != nil {
		return nil, errors.Join(err, e.writer.Close())
	}
	e.store = ref
	if err := errors.Join(e.loadNames(ctx), e.finishImports(ctx)); err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	return e, nil
}

func (o Options) withDefaults() Options {
	if o.Params == (model.Params{}) {
		o.Params = model.DefaultParams()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Workers <= 0 {
		o.Workers = 4 * runtime.GOMAXPROCS(0)
	}
	if o.memory == nil {
		o.memory = func(l memory.Loader) actors.Actor { return memory.New(l) }
	}
	if o.AdmitMax <= 0 {
		o.AdmitMax = 1024
	}
	return o
}

// Close lets the requests under way finish, drains the writer and stops the brains. The stores stay open.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	e.mu.Unlock()
	e.users.Wait()
	err := e.writer.Close()
	return errors.Join(err, e.o.System.Shutdown(ctx))
}

// Writer returns the log's writer, for subscriptions and health.
func (e *Engine) Writer() *eventlog.Writer { return e.writer }

// enter counts a request in, so Close can wait for it. Errors: unavailable after Close.
func (e *Engine) enter() (leave func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, model.Failure(model.CodeUnavailable, nil, "the store is closed")
	}
	e.users.Add(1)
	return e.users.Done, nil
}

// work bounds the preparations that run at once.
func (e *Engine) work(ctx context.Context) (done func(), err error) {
	select {
	case e.workers <- struct{}{}:
		return func() { <-e.workers }, nil
	case <-ctx.Done():
		return nil, failure(ctx.Err(), "wait for a worker")
	}
}

// moment is the wall time of now, never before earlier.
func (e *Engine) now(earlier model.Millis) model.Millis {
	return max(earlier, model.Millis(e.o.Clock().UnixMilli()))
}

func (e *Engine) salt() (salt [16]byte, err error) {
	e.random.Lock()
	defer e.random.Unlock()
	_, err = io.ReadFull(e.o.Random, salt[:])
	return salt, err
}

// space returns the namespace's projection; ok is false when nobody wrote to it.
func (e *Engine) space(name string) (*projections.Space, bool) {
	return e.o.Projections.SpaceByName(name)
}

// Actors returns figures of the actor system.
func (e *Engine) Actors() actors.Stats { return e.o.System.Stats() }
