package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

var update = flag.Bool("update", false, "write testdata/report.txt anew")

func TestRun_PrintsTheReport(t *testing.T) {
	dir, o := t.TempDir(), repeatable()
	fill(t, dir, o)
	got, err := report(t.Context(), dir, o, membrain.MemoryRequest{})
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile("testdata/report.txt", []byte(got), 0o600))
	}
	want, err := os.ReadFile("testdata/report.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), got)
	require.Regexp(t, `live digest (\d+), replay digest \d+, equal: true`, got)
}

func TestRun_FollowsTheMemoryThatIsNamed(t *testing.T) {
	dir, o := t.TempDir(), repeatable()
	backup := fill(t, dir, o)
	got, err := report(t.Context(), dir, o, membrain.MemoryRequest{Namespace: "team", ID: backup})
	require.NoError(t, err)
	require.Contains(t, got, "history of "+backup.String()+" in team: The nightly backup failed.")
}

func TestRun_MakesNoStoreWhereNoneIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mistyped")
	_, err := report(t.Context(), dir, repeatable(), membrain.MemoryRequest{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, dir)
}

func TestRun_AuditsAnEmptyStore(t *testing.T) {
	dir, o := t.TempDir(), repeatable()
	store, err := membrain.Open(t.Context(), dir, o)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	got, err := report(t.Context(), dir, o, membrain.MemoryRequest{})
	require.NoError(t, err)
	require.Contains(t, got, "0 commits, 0 facts")
}

// A text that is no longer the one that its fact names is damage, and the report says where.
func TestRun_ReportsDamage(t *testing.T) {
	dir, o := t.TempDir(), repeatable()
	fill(t, dir, o)
	name := filepath.Join(dir, "contents.db")
	body, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(body), "nightly backup")
	body = bytes.ReplaceAll(body, []byte("nightly"), []byte("monthly")) // everywhere: free pages hold older copies
	require.NoError(t, os.WriteFile(name, body, 0o600))
	_, err = report(t.Context(), dir, o, membrain.MemoryRequest{})
	require.True(t, errors.Is(err, errDamaged) || model.CodeOf(err) == model.CodeCorrupt, "%v", err)
}

// fill makes a store with a life worth to be audited, and returns a memory of it.
func fill(t *testing.T, dir string, o membrain.Options) (backup membrain.MemoryID) {
	t.Helper()
	ctx := t.Context()
	store, err := membrain.Open(ctx, dir, o)
	require.NoError(t, err)
	ada := store.As(membrain.Caller{Agent: "ada", Session: "s1"})
	staging, err := ada.Encode(ctx, membrain.EncodeRequest{Namespace: "team", Type: membrain.Fact, Text: "Staging runs in Paris.", SourceRef: "wiki/staging"})
	require.NoError(t, err)
	other, err := store.Encode(ctx, membrain.EncodeRequest{Namespace: "team", Type: membrain.Event, Text: "The nightly backup failed."})
	require.NoError(t, err)
	_, err = ada.Recall(ctx, membrain.RecallRequest{Namespace: "team", Query: "where does staging run?", Limit: 1})
	require.NoError(t, err)
	text := "Staging runs in Frankfurt."
	_, err = ada.Update(ctx, membrain.UpdateRequest{Namespace: "team", ID: staging.ID, Text: &text})
	require.NoError(t, err)
	the := membrain.MemoryRequest{Namespace: "team", ID: staging.ID}
	_, err = ada.Pin(ctx, the)
	require.NoError(t, err)
	_, err = ada.Forget(ctx, the)
	require.Equal(t, model.CodePolicyDenied, model.CodeOf(err))
	_, err = ada.Encode(ctx, membrain.EncodeRequest{Namespace: "home", Type: membrain.UserPreference, Text: "Tea, not coffee."})
	require.NoError(t, err)
	require.NoError(t, store.Close())
	return other.ID
}

func report(ctx context.Context, dir string, o membrain.Options, subject membrain.MemoryRequest) (string, error) {
	var out bytes.Buffer
	a := auditor{out: &out, points: 4, subject: subject}
	err := a.run(ctx, dir, o)
	return numbered(out.String()), err
}

// repeatable are options under which every run writes the same bytes.
func repeatable() membrain.Options {
	var ids uint64
	return membrain.Options{
		Clock:  func() time.Time { return time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC) },
		NewID:  func() (id membrain.MemoryID) { ids++; binary.BigEndian.PutUint64(id[8:], ids); return id },
		Random: rand.NewChaCha8([32]byte{}),
	}
}

// numbered replaces each hash by the number of its first appearance: the last bit of a float differs between
// processors, equality does not.
func numbered(text string) string {
	seen := map[string]int{}
	return regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllStringFunc(text, func(digest string) string {
		if seen[digest] == 0 {
			seen[digest] = len(seen) + 1
		}
		return fmt.Sprint(seen[digest])
	})
}
