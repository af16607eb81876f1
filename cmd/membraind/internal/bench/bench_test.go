package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/cmd/membraind/internal/bench"
	"github.com/membrain-db/membrain/model"
)

func TestRun_RefusesUnknownNames(t *testing.T) {
	_, err := bench.Run(context.Background(), "speed", bench.Options{})
	require.Equal(t, model.CodeValidation, model.CodeOf(err))
	for _, name := range bench.Names() {
		require.ErrorContains(t, err, name)
	}
}

func TestRun_SaysWhichDataSetIsMissing(t *testing.T) {
	for name, file := range map[string]string{"locomo": "locomo-dev.json", "cranfield": "cran_"} {
		_, err := bench.Run(context.Background(), name, bench.Options{Dir: t.TempDir(), DataDir: t.TempDir()})
		require.Equal(t, model.CodeNotFound, model.CodeOf(err), name)
		require.ErrorContains(t, err, file)
		var refused *model.Error
		require.ErrorAs(t, err, &refused)
		require.Contains(t, refused.Hint, bench.EnvData)
	}
}

func TestFindData_LooksWhereItIsTold(t *testing.T) {
	here, there := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(there, "set.json"), nil, 0o600))
	t.Setenv(bench.EnvData, there)
	path, err := bench.FindData("", "set.json")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(there, "set.json"), path)
	_, err = bench.FindData(here, "set.json")
	require.Equal(t, model.CodeNotFound, model.CodeOf(err))
}

func TestFindData_LooksBesideAndAboveTheWorkingDirectory(t *testing.T) {
	root := t.TempDir()
	beside := filepath.Join(root, "shared", "data")
	project := filepath.Join(root, "project", "cmd")
	require.NoError(t, os.MkdirAll(beside, 0o700))
	require.NoError(t, os.MkdirAll(project, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(beside, "set.json"), nil, 0o600))
	t.Setenv(bench.EnvData, "")
	t.Chdir(project)
	path, err := bench.FindData("", "set.json")
	require.NoError(t, err)
	require.FileExists(t, path)
}

const dialogue = `[{"sample_id": "conv-1", "conversation": {
	"session_1_date_time": "1:56 pm on 8 May, 2023",
	"session_1": [
		{"speaker": "Ann", "dia_id": "D1:1", "text": "I bought a sailboat in Lisbon."},
		{"speaker": "Bo", "dia_id": "D1:2", "text": "My sister plays the cello."},
		{"speaker": "Ann", "dia_id": "D1:3", "text": "The harbour closes at nine."}]},
	"qa": [
		{"question": "Where did Ann buy the sailboat?", "category": 4, "evidence": ["D1:1"]},
		{"question": "Who plays the cello?", "category": 1, "evidence": ["D1:2", "D9:9"]},
		{"question": "Is there any evidence?", "category": 2, "evidence": []},
		{"question": "Who flew to the moon?", "category": 5, "evidence": ["D1:3"]}]}]`

// Questions without evidence and those of category 5 do not count, nor does evidence that is no turn.
func TestRun_LocomoOnADialogueOfOurOwn(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "locomo-dev.json"), []byte(dialogue), 0o600))
	told := 0
	got, err := bench.Run(context.Background(), "locomo", bench.Options{Dir: dir, DataDir: data, Progress: func(string) { told++ }})
	require.NoError(t, err)
	require.Equal(t, "locomo", got.Bench)
	require.NotEmpty(t, got.Machine)
	require.NotEmpty(t, got.Commit)
	require.NotZero(t, told)
	rows := byMetric(t, got)
	require.Equal(t, 2, rows["locomo.recall_at_10"].N)
	require.InDelta(t, 100, rows["locomo.recall_at_10"].Value, 1e-9)
	require.InDelta(t, 1, rows["locomo.mrr"].Value, 1e-9)
	require.Equal(t, 1, rows["locomo.cat1.recall_at_10"].N)
	require.Equal(t, 1, rows["locomo.cat4.recall_at_10"].N)
	require.Zero(t, rows["locomo.cat2.recall_at_10"].N)
	require.Equal(t, "bm25", rows["locomo.recall_at_10"].Baseline)
	for _, variant := range []string{"bm25", "vectors", "fused", "relevance_only", "no_neighbours", "no_entity", "no_episode"} {
		require.Contains(t, rows, "locomo."+variant+".recall_at_10")
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "the store is removed")
}

// The project's targets on the five dialogues; skipped where the set is absent.
func TestRun_LocomoReachesItsTarget(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	if _, err := bench.FindData("", "locomo-dev.json"); err != nil {
		t.Skip(err)
	}
	got, err := bench.Run(context.Background(), "locomo", bench.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	rows := byMetric(t, got)
	require.Greater(t, rows["locomo.recall_at_10"].Value, 75.0)
	require.InDelta(t, rows["locomo.relevance_only.recall_at_10"].Value, rows["locomo.recall_at_10"].Value, 0.5,
		"freshly imported data ranks as relevance alone")
}

// Callers that want the same memories lose nothing and count right.
func TestRun_ActorsAccounts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	got, err := bench.Run(context.Background(), "actors", bench.Options{Dir: t.TempDir(), Quick: true})
	require.NoError(t, err)
	rows := byMetric(t, got)
	require.Positive(t, rows["actors.overlap_recalls"].Value)
	for _, metric := range []string{"actors.overlap_miscounted", "actors.overlap_disorder", "actors.overlap_restarts"} {
		require.Contains(t, rows, metric)
		require.Zero(t, rows[metric].Value, metric)
	}
}

func TestRun_LogComparesWithItsBaselines(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	got, err := bench.Run(context.Background(), "log", bench.Options{Dir: t.TempDir(), Quick: true})
	require.NoError(t, err)
	rows := byMetric(t, got)
	require.Equal(t, "update_per_commit", rows["log.append_256"].Baseline)
	if row, ok := rows["log.append_256_vs_sqlite"]; ok { // with the build tag sqlite
		require.Equal(t, "sqlite_wal_full", row.Baseline)
	}
	require.InDelta(t, rows["log.append_256"].Value / *rows["log.append_256"].BaselineValue, *rows["log.append_256"].Ratio, 1e-9)
	require.Positive(t, rows["log.fsync_ms"].Value)
	require.Greater(t, rows["log.scan_recalls_facts_per_commit"].Value, 5.0)
}

// A stopped run says so and leaves nothing behind.
func TestRun_StopsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	_, err := bench.Run(ctx, "log", bench.Options{Dir: dir, Quick: true, Progress: func(string) { stop() }})
	require.ErrorIs(t, err, context.Canceled)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func byMetric(t *testing.T, r bench.Report) map[string]bench.Row {
	t.Helper()
	rows := map[string]bench.Row{}
	for _, row := range r.Rows {
		require.NotContains(t, rows, row.Metric)
		require.NotEmpty(t, row.Unit, row.Metric)
		rows[row.Metric] = row
	}
	return rows
}
