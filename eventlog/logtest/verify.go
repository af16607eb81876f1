package logtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
)

// RequireSound verifies a store and fails on any problem.
func RequireSound(t testing.TB, store Store) eventlog.Report {
	t.Helper()
	report, err := eventlog.Verify(context.Background(), store.Log(), store.Contents(), nil)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.Equal(t, store.Log().Head(), eventlog.Head{Seq: report.HeadSeq, Hash: report.HeadHash})
	return report
}

func testVerify(t *testing.T, s Suite) {
	store := s.open(t)
	RequireSound(t, store)
	Fill(t, store.Log(), 2, 2500)
	var calls, last uint64
	report, err := eventlog.Verify(context.Background(), store.Log(), store.Contents(), func(done, total uint64) {
		require.Equal(t, uint64(2500), total)
		require.GreaterOrEqual(t, done, last)
		calls, last = calls+1, done
	})
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.Equal(t, uint64(2500), report.Commits)
	require.Greater(t, report.Facts, uint64(2500))
	require.Equal(t, uint64(2500), last)
	require.Greater(t, calls, uint64(1))
}

// testVerifyUnlawful appends what no brain would, and expects each breach by name. Versions: VER-1.
func testVerifyUnlawful(t *testing.T, s Suite) {
	one := eventlog.Stream{Namespace: 1, Family: eventlog.FamilyMemory, ID: [16]byte{1}}
	fact := func(version uint64, prev eventlog.Seq) []eventlog.Fact {
		return []eventlog.Fact{{Stream: one, Version: version, Prev: prev, Type: "a"}}
	}
	first := eventlog.Commit{Namespace: 1, Tick: 5, TimeMillis: 5, ContentHigh: 5, SymbolHigh: 5, Facts: fact(1, 0)}
	changed := func(change func(*eventlog.Commit)) *eventlog.Commit {
		next := first
		next.Facts = fact(2, 1)
		change(&next)
		return &next
	}
	for _, each := range []struct {
		kind   string
		second *eventlog.Commit
	}{
		{eventlog.ProblemTick, changed(func(c *eventlog.Commit) { c.Tick = 4 })},
		{eventlog.ProblemTime, changed(func(c *eventlog.Commit) { c.TimeMillis = 4 })},
		{eventlog.ProblemContentHigh, changed(func(c *eventlog.Commit) { c.ContentHigh = 4 })},
		{eventlog.ProblemSymbolHigh, changed(func(c *eventlog.Commit) { c.SymbolHigh = 4 })},
		{eventlog.ProblemVersion, changed(func(c *eventlog.Commit) { c.Facts = fact(3, 1) })},
		{eventlog.ProblemVersion, changed(func(c *eventlog.Commit) { c.Facts = fact(1, 1) })},
		{eventlog.ProblemLink, changed(func(c *eventlog.Commit) { c.Facts = fact(2, 0) })},
		{eventlog.ProblemLink, changed(func(c *eventlog.Commit) { c.Facts = fact(2, eventlog.SameCommit) })},
	} {
		t.Run(each.kind, func(t *testing.T) {
			store := s.open(t)
			start := first
			_, err := store.Log().Append(context.Background(), 0, []*eventlog.Commit{&start, each.second})
			require.NoError(t, err)
			report, err := eventlog.Verify(context.Background(), store.Log(), store.Contents(), nil)
			require.NoError(t, err)
			require.Len(t, report.Problems, 1)
			require.Equal(t, each.kind, report.Problems[0].Kind)
			require.Equal(t, eventlog.Seq(2), report.Problems[0].Seq)
		})
	}
}
