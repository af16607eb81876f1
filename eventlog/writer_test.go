package eventlog_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

var errDisk = errors.New("no space left")

// plain is a commit without streams, for tests that care about order only.
func plain(tick uint64) *eventlog.Commit { return &eventlog.Commit{Namespace: 1, Tick: tick} }

func newWriter(t *testing.T, store *eventlog.Memory, o eventlog.WriterOptions) *eventlog.Writer {
	w := eventlog.NewWriter(store.Log(), store.Contents(), o)
	t.Cleanup(func() { require.NoError(t, w.Close()) })
	return w
}

// submitted queues plain commits and returns a channel with their results, in order of Done.
func submitted(t *testing.T, w *eventlog.Writer, n int) <-chan eventlog.Result {
	t.Helper()
	results := make(chan eventlog.Result, n)
	for i := range n {
		_, err := w.Submit(eventlog.Entry{Commit: plain(uint64(i)), Generation: w.Generation(), Done: func(r eventlog.Result) { results <- r }})
		require.NoError(t, err)
	}
	return results
}

func TestWriter_KeepsTheOrderOf256Submitters(t *testing.T) {
	const submitters, each = 256, 20
	store := eventlog.NewMemory()
	var applied []eventlog.Seq
	var done []eventlog.Seq
	w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{
		QueueMax: submitters * each,
		Apply: func(records []eventlog.Record) {
			for _, record := range records {
				applied = append(applied, record.Seq)
			}
		},
	})
	var wait sync.WaitGroup
	for range submitters {
		wait.Go(func() {
			var last eventlog.Seq
			for range each {
				answer := make(chan eventlog.Result, 1)
				promised, err := w.Submit(eventlog.Entry{Commit: plain(1), Generation: 1, Done: func(r eventlog.Result) {
					done = append(done, r.Seq)
					if n := len(applied); n < int(r.Seq) {
						t.Errorf("Done(%d) before it was applied; %d are", r.Seq, n)
					}
					answer <- r
				}})
				if err != nil {
					t.Errorf("Submit = %v", err)
					return
				}
				if promised <= last {
					t.Errorf("Submit promised %d after %d", promised, last)
				}
				last = promised
				if r := <-answer; r.Err != nil || r.Seq != promised {
					t.Errorf("result = %d, %v, want %d", r.Seq, r.Err, promised)
				}
			}
		})
	}
	wait.Wait()
	require.NoError(t, w.Close())
	require.Len(t, done, submitters*each)
	for i := range done {
		require.Equal(t, eventlog.Seq(i+1), done[i])
	}
	require.Equal(t, done, applied)
	logtest.RequireSound(t, store)
}

func TestWriter_GathersWhileTheDiskIsBusy(t *testing.T) {
	store := eventlog.NewMemory()
	var batches []int
	w := newWriter(t, store, eventlog.WriterOptions{
		BatchCommitsMax: 8,
		Apply:           func(records []eventlog.Record) { batches = append(batches, len(records)) },
	})
	entered, release := store.Faults.BlockSync()
	first := submitted(t, w, 1)
	<-entered
	rest := submitted(t, w, 20)
	release()
	require.NoError(t, (<-first).Err)
	for range 20 {
		require.NoError(t, (<-rest).Err)
	}
	require.Equal(t, []int{1, 8, 8, 4}, batches)
}

func TestWriter_IsBusyWhenTheQueueIsFull(t *testing.T) {
	store := eventlog.NewMemory()
	w := newWriter(t, store, eventlog.WriterOptions{QueueMax: 3})
	entered, release := store.Faults.BlockSync()
	first := submitted(t, w, 1)
	<-entered
	queued := submitted(t, w, 3)
	_, err := w.Submit(eventlog.Entry{Commit: plain(9), Generation: 1, Done: func(eventlog.Result) { t.Error("Done of a refused entry") }})
	require.ErrorIs(t, err, eventlog.ErrBusy)
	release()
	require.Equal(t, eventlog.Seq(1), (<-first).Seq)
	for i := range 3 {
		require.Equal(t, eventlog.Seq(2+i), (<-queued).Seq, "a refused entry must not use up a number")
	}
}

func TestWriter_FailsWhatWasDecidedOnAFailure(t *testing.T) {
	for _, each := range []struct {
		name string
		plan func(*eventlog.Memory)
	}{
		{"append", func(m *eventlog.Memory) { m.Faults.FailAppend(1, errDisk) }},
		{"contents", func(m *eventlog.Memory) { m.Faults.FailPut(1, errDisk) }},
		{"contents written all the same", func(m *eventlog.Memory) { m.Faults.LosePut(1, errDisk) }},
	} {
		t.Run(each.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			store := eventlog.NewMemory()
			each.plan(store)
			var applied atomic.Int64
			w := newWriter(t, store, eventlog.WriterOptions{
				BatchCommitsMax: 2, Clock: func() time.Time { return now },
				Apply: func(records []eventlog.Record) { applied.Add(int64(len(records))) },
			})
			entered, release := store.Faults.BlockSync()
			results := make(chan eventlog.Result, 5)
			for i := range 5 {
				_, err := w.Submit(eventlog.Entry{
					Commit: plain(uint64(i)), Contents: []eventlog.Content{{Number: uint64(i + 1), Body: []byte("x")}},
					Generation: 1, Done: func(r eventlog.Result) { results <- r },
				})
				require.NoError(t, err)
			}
			<-entered
			release()
			for range 5 {
				result := <-results
				require.ErrorIs(t, result.Err, eventlog.ErrUnavailable)
				require.ErrorIs(t, result.Err, errDisk)
			}
			require.Zero(t, applied.Load())
			require.Equal(t, uint64(2), w.Generation())
			_, err := w.Submit(eventlog.Entry{Commit: plain(1), Generation: 1})
			require.ErrorIs(t, err, eventlog.ErrUnavailable, "an older generation is refused")
			_, err = w.Submit(eventlog.Entry{Commit: plain(1), Generation: 2})
			require.ErrorIs(t, err, eventlog.ErrUnavailable, "the pause lasts")
			degraded, since, cause := w.Health()
			require.True(t, degraded)
			require.ErrorIs(t, cause, errDisk)
			require.Equal(t, now, since)

			now = now.Add(50 * time.Millisecond)
			probe := submitted(t, w, 1)
			result := <-probe
			require.NoError(t, result.Err)
			require.Equal(t, eventlog.Seq(1), result.Seq)
			degraded, _, _ = w.Health()
			require.False(t, degraded)
			logtest.RequireSound(t, store)
		})
	}
}

func TestWriter_TakesAnUnknownOutcomeForWhatItWas(t *testing.T) {
	store := eventlog.NewMemory()
	store.Faults.LoseAppend(1, errDisk)
	var applied []eventlog.Record
	w := newWriter(t, store, eventlog.WriterOptions{Apply: func(records []eventlog.Record) { applied = append(applied, records...) }})
	results := submitted(t, w, 1)
	result := <-results
	require.NoError(t, result.Err, "the append was written, so it is a success")
	stored, err := store.Log().At(1)
	require.NoError(t, err)
	require.Equal(t, stored, result.Record)
	require.Equal(t, []eventlog.Record{stored}, applied)
	require.Equal(t, uint64(1), w.Generation())
	require.Equal(t, eventlog.Seq(2), (<-submitted(t, w, 1)).Seq)
}

func TestWriter_PausesLongerAndLonger(t *testing.T) {
	now := time.Unix(1000, 0)
	store := eventlog.NewMemory()
	w := newWriter(t, store, eventlog.WriterOptions{Clock: func() time.Time { return now }})
	for _, pause := range []time.Duration{50, 100, 200, 400, 800, 1600, 2000, 2000} {
		store.Faults.FailAppend(1, errDisk)
		require.Error(t, (<-submitted(t, w, 1)).Err)
		now = now.Add(pause*time.Millisecond - 1)
		_, err := w.Submit(eventlog.Entry{Commit: plain(1), Generation: w.Generation()})
		require.ErrorIs(t, err, eventlog.ErrUnavailable)
		now = now.Add(1)
	}
	require.NoError(t, (<-submitted(t, w, 1)).Err)
	store.Faults.FailAppend(1, errDisk)
	require.Error(t, (<-submitted(t, w, 1)).Err)
	now = now.Add(50 * time.Millisecond)
	require.NoError(t, (<-submitted(t, w, 1)).Err, "after a success the pause is short again")
}

func TestWriter_FindsTheHeadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := eventlog.NewMemory()
		store.Faults.LoseAppend(1, errDisk)
		store.Faults.FailReload(1, errDisk)
		store.Faults.FailReload(2, errDisk)
		w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{})
		require.ErrorIs(t, (<-submitted(t, w, 1)).Err, errDisk)
		time.Sleep(50 * time.Millisecond) // the bubble's clock
		_, err := w.Submit(eventlog.Entry{Commit: plain(1), Generation: 2})
		require.ErrorIs(t, err, eventlog.ErrUnavailable, "no number can be promised while the head is unknown")
		synctest.Wait()
		require.Equal(t, eventlog.Seq(2), (<-submitted(t, w, 1)).Seq, "the lost append was there")
		require.NoError(t, w.Close())
	})
}

func TestWriter_RefusesWhatCannotBeStored(t *testing.T) {
	store := eventlog.NewMemory()
	w := newWriter(t, store, eventlog.WriterOptions{})
	huge := plain(1)
	huge.Facts = []eventlog.Fact{{Version: 1, Type: "a", Body: make([]byte, eventlog.CommitBytesMax)}}
	late := plain(1)
	late.Facts = []eventlog.Fact{{Version: 2, Prev: 7, Type: "a"}}
	for _, e := range []eventlog.Entry{
		{Commit: huge},
		{Commit: plain(1), Contents: []eventlog.Content{{Number: 1, Body: make([]byte, eventlog.ContentBytesMax)}}},
	} {
		e.Generation = 1
		_, err := w.Submit(e)
		require.ErrorIs(t, err, eventlog.ErrTooLarge)
	}
	_, err := w.Submit(eventlog.Entry{Commit: late, Generation: 1})
	require.Error(t, err, "a link into the future")
	require.Equal(t, eventlog.Seq(1), (<-submitted(t, w, 1)).Seq)
}

func TestWriter_CloseDrains(t *testing.T) {
	store := eventlog.NewMemory()
	w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{BatchCommitsMax: 3})
	results := submitted(t, w, 100)
	require.NoError(t, w.Close())
	require.Len(t, results, 100)
	require.Equal(t, eventlog.Seq(100), store.Log().Head().Seq)
	_, err := w.Submit(eventlog.Entry{Commit: plain(1), Generation: 1})
	require.ErrorIs(t, err, eventlog.ErrClosed)
	require.NoError(t, w.Close())
}

func TestWriter_PutsContentsBeforeTheCommit(t *testing.T) {
	store := eventlog.NewMemory()
	w := newWriter(t, store, eventlog.WriterOptions{Apply: func(records []eventlog.Record) {
		for _, record := range records {
			if _, err := store.Contents().Get(record.Namespace, record.ContentHigh); err != nil {
				t.Errorf("content of commit %d: %v", record.Seq, err)
			}
		}
	}})
	answers := make(chan eventlog.Result, 10)
	for i := uint64(1); i <= 10; i++ {
		_, err := w.Submit(eventlog.Entry{
			Commit:     &eventlog.Commit{Namespace: 1, ContentHigh: i, SymbolHigh: i},
			Contents:   []eventlog.Content{{Number: i, Body: []byte("body")}},
			Symbols:    []eventlog.Symbol{{Number: i, Text: "name"}},
			Generation: 1, Done: func(r eventlog.Result) { answers <- r },
		})
		require.NoError(t, err)
	}
	for range 10 {
		require.NoError(t, (<-answers).Err)
	}
	count := 0
	for symbol, err := range store.Contents().Symbols(context.Background(), 1) {
		require.NoError(t, err)
		require.Equal(t, "name", symbol.Text)
		count++
	}
	require.Equal(t, 10, count)
}

func TestSubscribe_WaitsForWhatIsApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := eventlog.NewMemory()
		gate := make(chan struct{})
		w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{Apply: func([]eventlog.Record) { <-gate }})
		ctx, cancel := context.WithCancel(t.Context())
		var seen atomic.Int64
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for record, err := range w.Subscribe(ctx, 0) {
				if err != nil || record.Seq != eventlog.Seq(seen.Add(1)) {
					t.Errorf("Subscribe = %d, %v after %d", record.Seq, err, seen.Load())
				}
			}
		}()
		results := submitted(t, w, 1)
		synctest.Wait()
		require.Equal(t, eventlog.Seq(1), store.Log().Head().Seq, "durable")
		require.Zero(t, seen.Load(), "but not applied")
		close(gate)
		<-results
		synctest.Wait()
		require.Equal(t, int64(1), seen.Load())
		cancel()
		<-ended
		require.NoError(t, w.Close())
	})
}
