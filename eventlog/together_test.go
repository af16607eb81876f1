package eventlog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

// relative returns the first commits of a history as SubmitTogether wants them: Prev counted from the first.
func relative(n int, results chan eventlog.Result) []eventlog.Entry {
	var entries []eventlog.Entry
	for _, commit := range logtest.NewHistory(11).Take(n) {
		entries = append(entries, eventlog.Entry{Commit: commit, Generation: 1, Done: func(r eventlog.Result) { results <- r }})
	}
	return entries
}

func TestSubmitTogether_IsOneAppend(t *testing.T) {
	const n = 30
	store := eventlog.NewMemory()
	var batches []int
	w := newWriter(t, store, eventlog.WriterOptions{
		QueueMax: 10, BatchCommitsMax: 4, Apply: func(records []eventlog.Record) { batches = append(batches, len(records)) },
	})
	for range 3 { // so that there is something to shift by
		require.NoError(t, (<-submitted(t, w, 1)).Err)
	}
	results := make(chan eventlog.Result, n)
	first, err := w.SubmitTogether(relative(n, results))
	require.NoError(t, err)
	require.Equal(t, eventlog.Seq(4), first)
	for i := range n {
		result := <-results
		require.NoError(t, result.Err)
		require.Equal(t, first+eventlog.Seq(i), result.Seq)
	}
	require.Equal(t, []int{1, 1, 1, n}, batches)
	logtest.RequireSound(t, store)
}

func TestSubmitTogether_FailsAsOne(t *testing.T) {
	const n = 12
	store := eventlog.NewMemory()
	store.Faults.FailAppend(1, errDisk)
	w := newWriter(t, store, eventlog.WriterOptions{BatchCommitsMax: 2})
	results := make(chan eventlog.Result, n)
	_, err := w.SubmitTogether(relative(n, results))
	require.NoError(t, err)
	for range n {
		require.ErrorIs(t, (<-results).Err, errDisk)
	}
	require.Zero(t, store.Log().Head().Seq)
}

func TestSubmitTogether_RefusalChangesNothing(t *testing.T) {
	w := newWriter(t, eventlog.NewMemory(), eventlog.WriterOptions{})
	require.NoError(t, (<-submitted(t, w, 1)).Err)
	results := make(chan eventlog.Result, 8)
	for name, spoil := range map[string]func(*eventlog.Entry){
		"generation": func(e *eventlog.Entry) { e.Generation = 7 },
		"content": func(e *eventlog.Entry) {
			e.Contents = []eventlog.Content{{Body: make([]byte, eventlog.ContentBytesMax)}}
		},
		"size": func(e *eventlog.Entry) {
			e.Commit.Facts = append(e.Commit.Facts, eventlog.Fact{Body: make([]byte, eventlog.CommitBytesMax)})
		},
		"link": func(e *eventlog.Entry) {
			e.Commit.Facts = append(e.Commit.Facts, eventlog.Fact{Version: 2, Prev: 99})
		},
	} {
		entries := relative(8, results)
		spoil(&entries[7])
		_, err := w.SubmitTogether(entries)
		require.Error(t, err, name)
		for i, want := range relative(7, results) {
			require.Equal(t, want.Commit, entries[i].Commit, name)
		}
	}
	first, err := w.SubmitTogether(relative(8, results))
	require.NoError(t, err)
	require.Equal(t, eventlog.Seq(2), first)
	none, err := w.SubmitTogether(nil)
	require.NoError(t, err)
	require.Equal(t, eventlog.Seq(10), none)
	nobody := []eventlog.Entry{{Commit: plain(1), Generation: 1}}
	_, err = w.SubmitTogether(nobody)
	require.NoError(t, err, "Done may be nil")
}
