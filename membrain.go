package membrain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/snapshots"
	"github.com/membrain-db/membrain/vectors/embed"
)

// Store is an open data directory, seen by one caller. Safe for concurrent use. Close it once, by any handle.
type Store struct {
	*house
	caller Caller
}

// house is what all handles of a store share.
type house struct {
	dir         string
	o           Options
	bolt        *eventlog.Bolt
	snapshots   *snapshots.Store
	projections *projections.Projections
	engine      *brain.Engine

	close      sync.Once
	closed     error
	stop       context.CancelFunc
	background sync.WaitGroup
	notices    notices
}

// Open opens the store in dir and makes one there when there is none. It brings the projections up to the log,
// ends what a crash left half done, and starts the actors. Errors: *Error with code locked (another process holds
// the directory; the error names it), corrupt, unsupported_version, unavailable, validation, and with MustExist not_found.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, failure(err, "open the store")
	}
	if _, err := os.Stat(filepath.Join(dir, "events.db")); o.MustExist && errors.Is(err, fs.ErrNotExist) {
		return nil, model.NotFound("store", dir).WithHint("name the data directory of an existing store")
	}
	h := &house{dir: dir, o: o}
	if err := h.open(ctx); err != nil {
		return nil, failure(errors.Join(err, h.shut(ctx)), "open the store")
	}
	h.reembed()
	return &Store{house: h, caller: o.Caller}, nil
}

func (h *house) open(ctx context.Context) (err error) {
	h.bolt, err = eventlog.OpenBolt(h.dir, eventlog.Options{LockTimeout: h.o.LockWait, Clock: h.o.Clock, Rand: h.o.Random})
	if err != nil {
		return err
	}
	if h.snapshots, err = snapshots.Open(filepath.Join(h.dir, "checkpoints")); err != nil {
		return fmt.Errorf("open checkpoints: %w", err)
	}
	if h.projections, err = projections.Open(ctx, h.projectionOptions()); err != nil {
		return fmt.Errorf("open projections: %w", err)
	}
	h.engine, err = brain.New(ctx, brain.Options{
		System:      actors.NewSystem(actors.Options{ActorSystem: h.o.ActorSystem, Logger: h.o.Logger, Now: h.o.Clock}),
		Log:         h.bolt.Log(),
		Contents:    h.bolt.Contents(),
		Projections: h.projections,
		Embedder:    h.o.Embedder,
		Form:        embed.FormOf(h.o.Embedder),
		Params:      h.params(),
		Logger:      h.o.Logger,
		Clock:       h.o.Clock,
		NewID:       h.o.NewID,
		Random:      h.o.Random,
	})
	return err
}

func (h *house) projectionOptions() projections.Options {
	every := 0
	if h.o.OneShot {
		every = -1
	}
	return projections.Options{
		Dir: h.dir, Log: h.bolt.Log(), Contents: h.bolt.Contents(), Snapshots: h.snapshots,
		Listener: h.notice, Clock: h.o.Clock, CheckpointEvery: every,
		Progress: func(done, total uint64) { h.o.Progress("catch up", done, total) },
	}
}

func (h *house) params() model.Params {
	if h.o.Params != nil {
		return *h.o.Params
	}
	return model.DefaultParams()
}

// As returns the same store for another caller. Who that is, the door decides.
func (s *Store) As(c Caller) *Store {
	if c.Door == 0 {
		c.Door = s.caller.Door
	}
	return &Store{house: s.house, caller: c}
}

// Close finishes the requests under way, writes what is derived, and leaves the directory. Later calls on any
// handle get unavailable; closing again returns the same.
func (s *Store) Close() error {
	s.close.Do(func() { s.closed = failure(s.shut(context.Background()), "close the store") })
	return s.closed
}

// shut closes what is open, last opened first.
func (h *house) shut(ctx context.Context) error {
	var errs []error
	if h.stop != nil {
		h.stop()
	}
	h.background.Wait()
	if h.engine != nil {
		errs = append(errs, h.engine.Close(ctx))
	}
	if h.projections != nil {
		errs = append(errs, h.projections.Close())
	}
	if h.bolt != nil {
		errs = append(errs, h.bolt.Close())
	}
	return errors.Join(errs...)
}

// reembed embeds namespaces of another embedder anew, one after the other, when the options ask for it.
func (h *house) reembed() {
	foreign := h.engine.Foreign()
	if !h.o.Reembed || len(foreign) == 0 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	h.stop = stop
	h.background.Go(func() {
		for _, ns := range foreign {
			err := h.engine.Reembed(ctx, ns, func(done, total int) { h.o.Progress("reembed", uint64(done), uint64(total)) })
			if err != nil && ctx.Err() == nil {
				h.notices.add("reembed", err)
				h.o.Logger.Error("embedding anew failed; it goes on at the next open", "error", err)
				return
			}
		}
	})
}
