package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRelevance_Measures(t *testing.T) {
	found := []string{"a", "x", "b", "y", "z", "c"}
	grades := map[string]float64{"b": 4, "c": 2, "d": 1}
	require.InDelta(t, 1.0/3, share(found, grades, 5), 1e-12)
	require.InDelta(t, 2.0/3, share(found, grades, 10), 1e-12)
	require.Zero(t, share(nil, grades, 10))
	require.InDelta(t, 1.0/3, reciprocal(found, grades), 1e-12)
	require.Zero(t, reciprocal([]string{"x"}, grades))
	// gains 4 at rank 3 and 2 at rank 6, over 4, 2, 1 at ranks 1 to 3
	require.InDelta(t, (4/2.0+2/2.807354922057604)/(4+2/1.584962500721156+1/2.0), ndcg(found, grades, 10), 1e-12)
	require.InDelta(t, (4/2.0)/(4+2/1.584962500721156+1/2.0), ndcg(found, grades, 5), 1e-12)
	require.InDelta(t, 1, ndcg([]string{"b", "c", "d"}, grades, 10), 1e-12)
}

func TestRelevance_MeansAreOverQuestions(t *testing.T) {
	var r relevance
	require.Zero(t, r.percent(r.recall10))
	r.judge([]string{"a"}, map[string]float64{"a": 1})
	r.judge([]string{"x", "a"}, map[string]float64{"a": 1, "b": 1})
	r.judge([]string{"x"}, map[string]float64{"a": 1})
	r.judge(nil, map[string]float64{"a": 1})
	require.InDelta(t, 37.5, r.percent(r.recall10), 1e-12)
	require.InDelta(t, 50, r.percent(r.hit10), 1e-12)
	require.InDelta(t, 0.375, r.mean(r.mrr), 1e-12)
}

func TestLatencies_QuantilesAreNearestRank(t *testing.T) {
	require.Zero(t, latencies(nil).at(0.5))
	var l latencies
	for i := range 100 {
		l = append(l, time.Duration(100-i))
	}
	require.Equal(t, time.Duration(51), l.at(0.5))
	require.Equal(t, time.Duration(100), l.at(0.99))
	require.Equal(t, time.Duration(100), l.at(1))
	require.Equal(t, latencies{7, -2}, latencies{10, 3, 5}.beyond(latencies{3, 5}))
}

func TestMedian_OfRounds(t *testing.T) {
	require.InDelta(t, 3, median([]float64{5, 1, 3}), 0)
	require.InDelta(t, 3, median([]float64{5, 1, 3, 4}), 0)
}

func TestWriter_IsSeededAndVaried(t *testing.T) {
	a, b, c := newWriter(1), newWriter(1), newWriter(2)
	distinct := map[string]bool{}
	for i := range 2_000 {
		s := a.write()
		require.Equal(t, s, b.write())
		require.Contains(t, s.text, s.who)
		require.Contains(t, s.question(i), s.thing)
		distinct[s.text] = true
	}
	require.NotEqual(t, newWriter(1).write(), c.write())
	require.Greater(t, len(distinct), 1_990)
}

// Replies that share a tick, or whose ticks and seqs disagree, are counted.
func TestTally_NoticesDisorder(t *testing.T) {
	ordered := tally{replies: []stamp{{3, 30}, {1, 10}, {2, 20}}}
	require.Zero(t, ordered.disorder())
	shared := tally{replies: []stamp{{1, 10}, {1, 11}, {2, 12}}}
	require.Equal(t, 1, shared.disorder())
	crossed := tally{replies: []stamp{{1, 20}, {2, 10}, {3, 30}}}
	require.Equal(t, 1, crossed.disorder())
}
