package bench_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/cmd/membraind/internal/bench"
)

func TestRun_VectorsFindsWhatItShould(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute of processor")
	}
	got, err := bench.Run(context.Background(), "vectors", bench.Options{Dir: t.TempDir(), Quick: true})
	require.NoError(t, err)
	rows := byMetric(t, got)
	for _, metric := range []string{
		"vectors.clustered.recall_at_10", "vectors.clustered.target_95.recall_at_10", "vectors.clustered.int8.recall_at_10",
		"vectors.filter.random_10.recall_at_10", "vectors.filter.correlated_0_1.recall_at_10",
		"vectors.cold.recall_at_10", "vectors.churn.recall_at_10",
	} {
		require.Contains(t, rows, metric)
		require.Greater(t, rows[metric].Value, 0.9, metric)
	}
	require.Equal(t, "flat", rows["vectors.clustered.queries_per_second"].Baseline)
	require.Greater(t, *rows["vectors.clustered.queries_per_second"].Ratio, 1.0, "a walk is faster than a scan")
	require.Less(t, rows["vectors.clustered.int8.bytes_per_vector"].Value, rows["vectors.clustered.bytes_per_vector"].Value)
	require.Zero(t, rows["vectors.churn.not_found_by_itself"].Value)
	require.Positive(t, rows["vectors.cold.pages_per_query"].Value)
}
