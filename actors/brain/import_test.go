package brain_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// watched is a contents store that tells of every Put before it happens.
type watched struct {
	eventlog.Contents
	puts atomic.Int64
	hook func(n int64, batch []eventlog.ContentBatch)
}

func (w *watched) Put(ctx context.Context, batch []eventlog.ContentBatch) error {
	if n := w.puts.Add(1); w.hook != nil {
		w.hook(n, batch)
	}
	return w.Contents.Put(ctx, batch)
}

func (w *watched) Erase(ctx context.Context, e eventlog.Erasure) error {
	return w.Contents.(eventlog.Eraser).Erase(ctx, e)
}

// watching calls hook with what the engine puts.
func watching(w *watched) rigOption {
	return func(r *rig) {
		r.contents = func(c eventlog.Contents) eventlog.Contents {
			w.Contents = c
			return w
		}
	}
}

// staging reports whether a put is the one in which an import stages its rows.
func staging(batch []eventlog.ContentBatch) bool {
	return len(batch) == 1 && len(batch[0].Contents) > 0 && len(batch[0].Symbols) == 0
}

func (r *rig) importOpen() bool {
	space, ok := r.p.SpaceByName(ns)
	return ok && space.Brain().Import != nil
}

func TestImport_OneCommitOneTick(t *testing.T) {
	r := newRig(t)
	r.encode(text(1))
	got, err := r.e.Import(context.Background(), operator, rows(ns, 30, ""))
	require.NoError(t, err)
	require.Equal(t, 30, got.Created)
	require.Equal(t, model.Tick(2), got.Tick)
	require.Equal(t, 31, r.p.Namespaces()[0].Memories)
	require.False(t, r.importOpen())
	r.audit()
}

func TestImport_AttentionUnderTheMinimumIsSkipped(t *testing.T) {
	r := newRig(t)
	batch, low := rows(ns, 4, "once"), 0.1
	batch.Requests[2].Attention = &low
	for range 2 {
		got, err := r.e.Import(context.Background(), operator, batch)
		require.NoError(t, err)
		require.Equal(t, []int{4, 3, 1}, []int{got.Read, got.Created, got.Skipped})
	}
	require.Equal(t, 3, r.p.Namespaces()[0].Memories)
	r.audit()
}

// TestImport_ACallerWhoLeavesGetsAllOrNothing cancels an import at each of its writes.
func TestImport_ACallerWhoLeavesGetsAllOrNothing(t *testing.T) {
	for at := range int64(6) {
		t.Run(fmt.Sprint("at write ", at), func(t *testing.T) {
			w := &watched{}
			r := newRig(t, watching(w))
			ctx, cancel := context.WithCancel(context.Background())
			w.hook = func(n int64, _ []eventlog.ContentBatch) {
				if n == at+1 {
					cancel()
				}
			}
			batch := rows(ns, 20, "once")
			for i := range batch.Requests {
				batch.Requests[i].Tags = []string{fmt.Sprintf("tag-%d", i)}
			}
			got, err := r.e.Import(ctx, operator, batch)
			if err == nil {
				require.Equal(t, 20, got.Created)
			}
			r.until(ns, func(a brain.Activity) bool { return a.InFlight+a.Waiting == 0 })
			if space, ok := r.p.SpaceByName(ns); ok {
				require.Contains(t, []uint64{0, 20}, memoriesOf(space))
			}
			again, err := r.e.Import(context.Background(), operator, batch)
			require.NoError(t, err)
			require.Equal(t, 20, again.Created)
			space, _ := r.p.SpaceByName(ns)
			require.EqualValues(t, 20, memoriesOf(space))
			require.False(t, r.importOpen())
			require.NotEmpty(t, r.recall("imported row 7 quay").Results)
			r.audit()
		})
	}
}

func memoriesOf(s *projections.Space) (n uint64) {
	s.Read(func(v *projections.View) { n = uint64(v.Len()) })
	return n
}

func TestImport_AnAbortAfterTheCommitWasAcceptedSweepsNothing(t *testing.T) {
	w := &watched{}
	r := newRig(t, watching(w))
	r.encode(text(1))
	log, _ := r.halves()
	entered := make(chan struct{})
	release := make(chan struct{})
	var staged atomic.Bool
	w.hook = func(_ int64, batch []eventlog.ContentBatch) {
		switch {
		case staging(batch) && batch[0].Contents[0].Number > 1:
			staged.Store(true)
		case staged.Swap(false): // the import's own commit, with the symbols of its rows
			close(entered)
			<-release
		}
	}
	batch := rows(ns, 5, "once")
	for i := range batch.Requests {
		batch.Requests[i].Tags = []string{fmt.Sprintf("tag-%d", i)}
	}
	ctx, cancel := context.WithCancel(context.Background())
	gone := later(func() (model.ImportReply, error) { return r.e.Import(ctx, operator, batch) })
	<-entered
	cancel()
	r.until(ns, func(a brain.Activity) bool { return a.InFlight == 2 }) // the import, and what ends it
	close(release)
	code(t, model.CodeUnavailable, (<-gone).err)
	require.Equal(t, 6, r.p.Namespaces()[0].Memories, "the import's commit was accepted before its caller left")
	again, err := r.e.Import(context.Background(), operator, batch)
	require.NoError(t, err)
	require.Equal(t, 5, again.Created)
	require.EqualValues(t, 4, log.Head().Seq)
	for i := range 5 {
		got := r.recall(fmt.Sprintf("Imported row %d on the quay", i))
		require.Contains(t, got.Results[0].CompactText, "Imported row")
	}
	r.audit()
}

func TestImport_TwoAtOnceOneIsBusy(t *testing.T) {
	w := &watched{}
	r := newRig(t, watching(w))
	entered, release := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	w.hook = func(_ int64, batch []eventlog.ContentBatch) {
		if staging(batch) && !once.Swap(true) {
			close(entered)
			<-release
		}
	}
	first := later(func() (model.ImportReply, error) { return r.e.Import(context.Background(), operator, rows(ns, 3, "")) })
	<-entered
	_, err := r.e.Import(context.Background(), operator, rows(ns, 2, ""))
	code(t, model.CodeBusy, err)
	_, err = r.e.Import(context.Background(), operator, rows("elsewhere", 2, ""))
	require.NoError(t, err)
	r.encode(text(1)) // others go on meanwhile
	close(release)
	require.NoError(t, (<-first).err)
	_, err = r.e.Import(context.Background(), operator, rows(ns, 2, ""))
	require.NoError(t, err)
	require.Equal(t, 6, r.p.Namespaces()[0].Memories)
	r.audit()
}

// TestImport_ACrashInTheMiddleIsSweptAtOpen ends the process after the rows were staged, as far as the data can tell.
func TestImport_ACrashInTheMiddleIsSweptAtOpen(t *testing.T) {
	w := &watched{}
	r := newRig(t, watching(w))
	r.encode(text(1))
	var crashed *eventlog.Memory
	w.hook = func(_ int64, batch []eventlog.ContentBatch) {
		if staging(batch) && batch[0].Contents[0].Number > 1 {
			require.NoError(t, w.Contents.Put(context.Background(), batch))
			r.mem.Faults.FailAppend(1, errDisk) // the import's commit
			r.mem.Faults.FailAppend(2, errDisk) // its abort
			crashed = r.mem
		}
	}
	_, err := r.e.Import(context.Background(), operator, rows(ns, 9, ""))
	code(t, model.CodeUnavailable, err)
	require.True(t, r.importOpen())
	require.Same(t, crashed, r.mem)
	w.hook = nil
	r.reopen()
	require.False(t, r.importOpen())
	_, contents := r.halves()
	found := 0
	for content, err := range contents.Scan(context.Background(), 1, 1) {
		require.NoError(t, err)
		require.EqualValues(t, 1, content.Number, "what was staged is gone")
		found++
	}
	require.Equal(t, 1, found)
	_, err = r.e.Import(context.Background(), operator, rows(ns, 9, ""))
	require.NoError(t, err)
	require.Equal(t, 10, r.p.Namespaces()[0].Memories)
	r.audit()
}

// TestImport_AnAbortThatFailedIsMadeUpByTheNextImport does the same without a new process.
func TestImport_AnAbortThatFailedIsMadeUpByTheNextImport(t *testing.T) {
	r := newRig(t)
	r.encode(text(1))
	r.mem.Faults.FailAppend(2, errDisk) // the start succeeds, the import's commit fails, the log then rests
	_, err := r.e.Import(context.Background(), operator, rows(ns, 3, "once"))
	code(t, model.CodeUnavailable, err)
	require.True(t, r.importOpen())
	r.pass(5 * time.Second)
	got, err := r.e.Import(context.Background(), operator, rows(ns, 3, "once"))
	require.NoError(t, err)
	require.Equal(t, 3, got.Created)
	require.False(t, r.importOpen())
	r.audit()
}

func TestImport_ARowThatNamesNoMemoryWritesNothing(t *testing.T) {
	r := newRig(t)
	r.encode(text(1))
	before := r.mem.Log().Head()
	bad := rows(ns, 3, "")
	bad.Requests[2].Goals = []model.MemoryID{r.newID()}
	_, err := r.e.Check(operator, bad)
	code(t, model.CodeNotFound, err)
	_, err = r.e.Import(context.Background(), operator, bad)
	code(t, model.CodeNotFound, err)
	require.ErrorContains(t, err, "line 3")
	bad.Namespace = "unborn"
	_, err = r.e.Import(context.Background(), operator, bad)
	code(t, model.CodeNotFound, err)
	require.Equal(t, before, r.mem.Log().Head())
	require.False(t, r.importOpen())
	require.Equal(t, model.Tick(1), r.tick(ns))
	r.audit()
}

// TestImport_BesideEncodesAndRecalls runs them together and demands that everything is there once.
func TestImport_BesideEncodesAndRecalls(t *testing.T) {
	r := newRig(t)
	ids := r.seed(3)
	done := later(func() (model.ImportReply, error) {
		return r.e.Import(context.Background(), operator, rows(ns, 200, ""))
	})
	for i := range 50 {
		r.encode(text(100 + i))
		_, err := r.reinforce(ids[i%3])
		require.NoError(t, err)
	}
	require.NoError(t, (<-done).err)
	require.Equal(t, 253, r.p.Namespaces()[0].Memories)
	require.Equal(t, model.Tick(104), r.tick(ns))
	r.audit()
}
