package logtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
)

// Fill appends n commits of a history of the given seed, in batches, and returns the history.
func Fill(t testing.TB, log eventlog.Log, seed uint64, n int) *History {
	t.Helper()
	const batch = 500
	history := NewHistory(seed)
	for n > 0 {
		commits := history.Take(min(n, batch))
		_, err := log.Append(context.Background(), log.Head().Seq, commits)
		require.NoError(t, err)
		n -= len(commits)
	}
	return history
}

// All returns every commit of a log from seq on.
func All(t testing.TB, log eventlog.Log, from eventlog.Seq) []eventlog.Record {
	t.Helper()
	var records []eventlog.Record
	for record, err := range log.Scan(context.Background(), from) {
		require.NoError(t, err)
		records = append(records, record)
	}
	return records
}

func testAppend(t *testing.T, s Suite) {
	log := s.open(t).Log()
	require.Equal(t, eventlog.Head{}, log.Head())
	commits := NewHistory(1).Take(3)
	head, err := log.Append(context.Background(), 0, commits)
	require.NoError(t, err)
	require.Equal(t, eventlog.Seq(3), head.Seq)
	require.Equal(t, head, log.Head())
	for i, want := range commits {
		require.Equal(t, eventlog.Seq(i+1), want.Seq)
		got, err := log.At(want.Seq)
		require.NoError(t, err)
		require.Equal(t, *want, got.Commit)
		require.Positive(t, got.Size)
	}
	require.Equal(t, [32]byte{}, commits[0].PrevHash)
	require.NotEqual(t, [32]byte{}, commits[1].PrevHash)
	last, err := log.At(3)
	require.NoError(t, err)
	require.Equal(t, head.Hash, last.Hash)
}

func testStaleHead(t *testing.T, s Suite) {
	log := s.open(t).Log()
	history := Fill(t, log, 1, 3)
	before := log.Head()
	for _, expected := range []eventlog.Seq{0, 2, 4} {
		_, err := log.Append(context.Background(), expected, history.Take(1))
		require.ErrorIs(t, err, eventlog.ErrStaleHead)
	}
	require.Equal(t, before, log.Head())
	require.Len(t, All(t, log, 0), 3)
}

func testAtomic(t *testing.T, s Suite) {
	log := s.open(t).Log()
	Fill(t, log, 1, 2)
	good := &eventlog.Commit{Namespace: 1}
	bad := &eventlog.Commit{Namespace: 1, Facts: []eventlog.Fact{{Version: 1, Type: strings.Repeat("x", eventlog.TypeBytesMax+1)}}}
	_, err := log.Append(context.Background(), 2, []*eventlog.Commit{good, bad})
	require.ErrorIs(t, err, eventlog.ErrTooLarge)
	require.Equal(t, eventlog.Seq(2), log.Head().Seq)
	require.Zero(t, good.Seq, "a refused commit must be left as it was")
	head, err := log.Append(context.Background(), 2, []*eventlog.Commit{good})
	require.NoError(t, err, "a refusal must not leave the outcome unknown")
	require.Equal(t, eventlog.Seq(3), head.Seq)
}

func testSameCommit(t *testing.T, s Suite) {
	log := s.open(t).Log()
	Fill(t, log, 1, 4)
	stream := eventlog.Stream{Namespace: 9, Family: eventlog.FamilyEngram, ID: [16]byte{1}}
	commit := &eventlog.Commit{Namespace: 1, Facts: []eventlog.Fact{
		{Stream: stream, Version: 1, Type: "a", Schema: 1},
		{Stream: stream, Version: 2, Type: "b", Schema: 1, Prev: eventlog.SameCommit},
	}}
	_, err := log.Append(context.Background(), 4, []*eventlog.Commit{commit})
	require.NoError(t, err)
	require.Equal(t, eventlog.Seq(5), commit.Facts[1].Prev)
	got, err := log.At(5)
	require.NoError(t, err)
	require.Equal(t, eventlog.Seq(0), got.Facts[0].Prev)
	require.Equal(t, eventlog.Seq(5), got.Facts[1].Prev)
	require.Equal(t, stream, got.Facts[1].Stream, "a stream of another namespace keeps its own")
}

func testAppendContext(t *testing.T, s Suite) {
	log := s.open(t).Log()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := log.Append(ctx, 0, NewHistory(1).Take(1))
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, log.Head().Seq)
	Fill(t, log, 1, 1)
}

func testAppendNothing(t *testing.T, s Suite) {
	log := s.open(t).Log()
	Fill(t, log, 1, 2)
	head, err := log.Append(context.Background(), 2, nil)
	require.NoError(t, err)
	require.Equal(t, log.Head(), head)
	require.Equal(t, eventlog.Seq(2), head.Seq)
}

func testAt(t *testing.T, s Suite) {
	log := s.open(t).Log()
	Fill(t, log, 1, 2)
	for _, seq := range []eventlog.Seq{0, 3, eventlog.SameCommit} {
		_, err := log.At(seq)
		require.ErrorIs(t, err, eventlog.ErrNotFound)
	}
}

func testScanChunks(t *testing.T, s Suite) {
	log := s.open(t).Log()
	const commits = 25_000 // more than two chunks
	small := make([]*eventlog.Commit, commits)
	for i := range small {
		small[i] = &eventlog.Commit{Namespace: 1, Tick: uint64(i)}
	}
	_, err := log.Append(context.Background(), 0, small)
	require.NoError(t, err)
	for _, from := range []eventlog.Seq{0, 1, 9_999, 10_001, commits, commits + 1} {
		next := max(from, 1)
		for record, err := range log.Scan(context.Background(), from) {
			require.NoError(t, err)
			require.Equal(t, next, record.Seq)
			require.Equal(t, uint64(next-1), record.Tick)
			next++
		}
		require.Equal(t, eventlog.Seq(commits+1), next)
	}
}

func testScanHead(t *testing.T, s Suite) {
	log := s.open(t).Log()
	history := Fill(t, log, 1, 10)
	var seen []eventlog.Seq
	for record, err := range log.Scan(context.Background(), 8) {
		require.NoError(t, err)
		seen = append(seen, record.Seq)
		// A consumer may write while it scans: no transaction is held open across a yield.
		_, err = log.Append(context.Background(), log.Head().Seq, history.Take(1))
		require.NoError(t, err)
	}
	require.Equal(t, []eventlog.Seq{8, 9, 10}, seen)
}

func testScanContext(t *testing.T, s Suite) {
	log := s.open(t).Log()
	Fill(t, log, 1, 10)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var got error
	for _, err := range log.Scan(ctx, 1) {
		got = err
	}
	require.ErrorIs(t, got, context.Canceled)
}

func testConcurrentReaders(t *testing.T, s Suite) {
	log := s.open(t).Log()
	history := Fill(t, log, 1, 50)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 20 {
				head, next := log.Head().Seq, eventlog.Seq(1)
				for record, err := range log.Scan(context.Background(), 1) {
					if err != nil || record.Seq != next {
						t.Errorf("Scan = %d, %v, want %d", record.Seq, err, next)
						return
					}
					next++
				}
				if next <= head {
					t.Errorf("Scan ended at %d, before head %d", next-1, head)
				}
				if record, err := log.At(head); err != nil || record.Seq != head {
					t.Errorf("At(%d) = %d, %v", head, record.Seq, err)
				}
			}
		})
	}
	for range 20 {
		_, err := log.Append(context.Background(), log.Head().Seq, history.Take(5))
		require.NoError(t, err)
	}
	readers.Wait()
}

func testWalk(t *testing.T, s Suite) {
	log := s.open(t).Log()
	history := Fill(t, log, 1, 200)
	want := map[eventlog.Stream][]eventlog.Fact{}
	for _, record := range All(t, log, 0) {
		for _, fact := range record.Facts {
			want[fact.Stream] = append(want[fact.Stream], fact)
		}
	}
	require.Len(t, want, len(history.Streams()))
	for _, stream := range history.Streams() {
		_, from := history.Head(stream)
		var got []eventlog.Fact
		for fact, err := range eventlog.Walk(context.Background(), log, stream, from) {
			require.NoError(t, err)
			require.Equal(t, fact.Fact, fact.Record.Facts[fact.Index])
			got = append(got, fact.Fact)
		}
		slices.Reverse(got)
		require.Equal(t, want[stream], got)
	}
	for fact, err := range eventlog.Walk(context.Background(), log, eventlog.Stream{}, 0) {
		require.Fail(t, "a walk from nowhere must be empty", "%v %v", fact, err)
	}
}

func walkError(log eventlog.Log, stream eventlog.Stream, from eventlog.Seq) error {
	for _, err := range eventlog.Walk(context.Background(), log, stream, from) {
		if err != nil {
			return err
		}
	}
	return nil
}

func testWalkBroken(t *testing.T, s Suite) {
	log := s.open(t).Log()
	stream := func(id byte) eventlog.Stream {
		return eventlog.Stream{Namespace: 1, Family: eventlog.FamilyMemory, ID: [16]byte{id}}
	}
	commits := []*eventlog.Commit{
		{Namespace: 1, Facts: []eventlog.Fact{{Stream: stream(1), Version: 1, Type: "a"}}},
		{Namespace: 1, Facts: []eventlog.Fact{{Stream: stream(1), Version: 3, Prev: 1, Type: "a"}}}, // version 2 is missing
		{Namespace: 1, Facts: []eventlog.Fact{{Stream: stream(2), Version: 2, Prev: 1, Type: "a"}}}, // not in commit 1
		{Namespace: 1, Facts: []eventlog.Fact{{Stream: stream(3), Version: 2, Type: "a"}}},          // nothing before
	}
	_, err := log.Append(context.Background(), 0, commits)
	require.NoError(t, err)
	require.ErrorIs(t, walkError(log, stream(1), 2), eventlog.ErrCorrupt)
	require.ErrorIs(t, walkError(log, stream(2), 3), eventlog.ErrCorrupt)
	require.ErrorIs(t, walkError(log, stream(3), 4), eventlog.ErrCorrupt)
	require.ErrorIs(t, walkError(log, stream(4), 4), eventlog.ErrCorrupt)
	require.ErrorIs(t, walkError(log, stream(1), 5), eventlog.ErrNotFound)
	require.True(t, errors.Is(walkError(log, stream(1), 1), nil))
}
