package projections_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/stretchr/testify/require"
)

// sealed are contents that refuse to be read once sealed is set.
type sealed struct {
	eventlog.Contents
	sealed atomic.Bool
}

func (c *sealed) Get(ns eventlog.Ordinal, number uint64) ([]byte, error) {
	if c.sealed.Load() {
		return nil, errors.New("contents are sealed")
	}
	return c.Contents.Get(ns, number)
}

func TestMatch_FLD_4_FiltersAndListsReadNoContent(t *testing.T) {
	s := newStore(t, 50)
	contents := &sealed{Contents: s.mem.Contents()}
	o := s.options()
	o.Contents = contents
	p := s.open(o)
	s.p = p
	n := s.create("team")
	s.history(200)
	want := answers(t, s, p)
	contents.sealed.Store(true)
	require.Equal(t, want, answers(t, s, p))
	space, _ := p.Space(n.ordinal)
	_, err := space.Record(1)
	require.ErrorContains(t, err, "sealed")
}

func TestMatch_CTX_1_MissingContextMatchesNoFilterOnIt(t *testing.T) {
	s := newStore(t, 51)
	p := s.live()
	n := s.create("team")
	s.history(200)
	space, _ := p.Space(n.ordinal)
	c := space.Compile(model.Filter{Workspaces: []string{"w1", "w2"}, Include: []model.Lifecycle{model.Archived}}, model.Viewer{Operator: true}, 0)
	space.Read(func(v *projections.View) {
		match := v.Match(c)
		for _, m := range n.memories {
			require.Equal(t, m.Workspace.Symbol != 0, match.Contains(uint32(m.Content.Number)))
		}
	})
	c = space.Compile(model.Filter{Workspaces: []string{""}}, model.Viewer{Operator: true}, 0)
	space.Read(func(v *projections.View) { require.True(t, v.Match(c).IsEmpty()) })
}

func TestList_PagesThroughAllInOrder(t *testing.T) {
	s := newStore(t, 52)
	p := s.live()
	n := s.create("team")
	s.history(300)
	space, _ := p.Space(n.ordinal)
	c := space.Compile(model.Filter{Include: []model.Lifecycle{model.Archived}}, model.Viewer{Operator: true}, 0)
	for _, timeline := range []bool{false, true} {
		var all []model.MemoryID
		for cursor := ""; ; {
			ids, next, err := space.List(c, cursor, 7, timeline)
			require.NoError(t, err)
			all = append(all, ids...)
			if cursor = next; next == "" {
				break
			}
			require.Len(t, ids, 7)
		}
		require.Len(t, all, len(n.memories))
		last, seen := model.Millis(0), map[model.MemoryID]bool{}
		space.Read(func(v *projections.View) {
			for _, id := range all {
				ordinal, _ := v.Ordinal(id)
				at := v.Hot(ordinal).CreatedAt
				if timeline {
					at = v.Hot(ordinal).When()
				}
				require.GreaterOrEqual(t, at, last)
				require.False(t, seen[id])
				last, seen[id] = at, true
			}
		})
	}
	_, next, err := space.List(c, "", 1, false)
	require.NoError(t, err)
	for _, bad := range []string{"x", "!!", next + "AA"} {
		_, _, err := space.List(c, bad, 1, false)
		require.ErrorIs(t, err, projections.ErrCursor)
	}
	_, _, err = space.List(c, next, 1, true)
	require.ErrorIs(t, err, projections.ErrCursor)
}

func TestMentioned_NamesAllOfWhoseWordsStandInTheQuery(t *testing.T) {
	s := newStore(t, 53)
	p := s.live()
	n := s.create("team")
	s.history(300)
	space, _ := p.Space(n.ordinal)
	for query, want := range map[string][]string{
		"what does melanie's sister do": {"Melanie"},
		"the lake":                      nil,
		"a district with many lakes":    {"Lake District"},
		"the who":                       nil, // stop words only
		"Melanie in the Lake District":  {"Melanie", "Lake District"},
	} {
		var got []string
		space.Read(func(v *projections.View) {
			for _, m := range v.Mentioned(query) {
				name, ok := space.Text(m.Symbol)
				require.True(t, ok)
				got = append(got, name)
				require.NotZero(t, m.Ordinals.GetCardinality())
			}
		})
		require.ElementsMatch(t, want, got, "Mentioned(%q)", query)
	}
}

func TestStage_FailedCommitLeavesNoTextBehind(t *testing.T) {
	s := newStore(t, 54)
	p := s.live()
	n := s.create("team")
	p.Stage(n.ordinal, 1, &model.Record{Text: "zebra"}) // of a commit that fails: its number is free again
	p.Unstage(n.ordinal, 1)
	d := s.draft(n)
	d.encode()
	d.submit()
	space, _ := p.Space(n.ordinal)
	space.Read(func(v *projections.View) { require.Empty(t, v.Lexical("zebra", 1, nil)) })
}

func TestStats_CountsWhatIsThere(t *testing.T) {
	s := newStore(t, 55)
	p := s.live()
	n := s.create("team")
	s.history(300)
	stats := p.Stats()
	require.Equal(t, len(n.memories), stats.Memories)
	require.Equal(t, n.tick, stats.Tick)
	space := stats.Namespaces[0]
	require.Equal(t, "team", space.Name)
	require.Equal(t, len(n.memories), space.Words)
	require.Equal(t, len(n.memories), space.Prints)
	total := 0
	for _, count := range space.Types {
		total += count
	}
	require.Equal(t, len(n.memories), total)
	require.EqualValues(t, len(n.requests), stats.Requests)
	require.Contains(t, stats.Files, "state.db")
	require.NoError(t, stats.Failure)
}
