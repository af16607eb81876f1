package logtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
)

// submit hands a commit to a writer and returns its result.
func submit(t testing.TB, w *eventlog.Writer, e eventlog.Entry) eventlog.Result {
	t.Helper()
	done := make(chan eventlog.Result, 1)
	e.Generation, e.Done = w.Generation(), func(r eventlog.Result) { done <- r }
	seq, err := w.Submit(e)
	require.NoError(t, err)
	result := <-done
	require.NoError(t, result.Err)
	require.Equal(t, seq, result.Seq)
	return result
}

func testWriterRecords(t *testing.T, s Suite) {
	store := s.open(t)
	w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{})
	history := NewHistory(3)
	for range 20 {
		result := submit(t, w, eventlog.Entry{Commit: history.Next()})
		stored, err := store.Log().At(result.Seq)
		require.NoError(t, err)
		require.Equal(t, stored, result.Record)
	}
	require.NoError(t, w.Close())
	RequireSound(t, store)
}

func testSubscribe(t *testing.T, s Suite) {
	store := s.open(t)
	history := Fill(t, store.Log(), 4, 30)
	w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	next := eventlog.Seq(11)
	for record, err := range w.Subscribe(ctx, next) {
		require.NoError(t, err)
		require.Equal(t, next, record.Seq)
		next++
		if record.Seq >= 30 && record.Seq < 60 { // the old ones are read: follow the new ones
			submit(t, w, eventlog.Entry{Commit: history.Next()})
		}
		if record.Seq == 60 {
			cancel()
		}
	}
	require.Equal(t, eventlog.Seq(61), next, "the subscription ends with its context")
	require.NoError(t, w.Close())
	var last error
	seen := 0
	for _, err := range w.Subscribe(context.Background(), 59) {
		last = err
		seen++
	}
	require.ErrorIs(t, last, eventlog.ErrClosed)
	require.Equal(t, 3, seen, "two commits and the end")
}
