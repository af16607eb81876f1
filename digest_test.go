package membrain_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
)

// The export of the life below, and the digest of its state. They were written once, on one processor; every other one
// folds the same log to the same digest. projections has a test of its own on the same files, for processors on which
// the actors do not run.
const (
	goldenExport = "projections/testdata/life.jsonl"
	goldenDigest = "projections/testdata/life.digest"
)

// script makes a store's clock, ids and random numbers come out the same in every run.
func script() membrain.Options {
	var clock, ids int64
	chacha := rand.NewChaCha8([32]byte{1})
	return membrain.Options{
		Random: chacha,
		Clock: func() time.Time {
			clock++
			return time.UnixMilli(1_750_000_000_000 + clock)
		},
		NewID: func() (id membrain.MemoryID) {
			ids++
			binary.BigEndian.PutUint64(id[:], uint64(ids))
			id[6], id[8] = 0x70, 0x80
			return id
		},
	}
}

// life encodes, recalls, updates, pins, forgets and restores, one call after the other.
func life(ctx context.Context, t *testing.T, s *membrain.Store) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 3))
	words := strings.Fields("harbour lantern copper river orchard signal winter market velvet engine canvas mirror")
	text := func() string {
		return fmt.Sprintf("The %s %s kept the %s %s.", words[random.IntN(12)], words[random.IntN(12)], words[random.IntN(12)], words[random.IntN(12)])
	}
	var ids []membrain.MemoryID
	for i := range 40 {
		arousal, valence := random.Float64(), random.Float64()*2-1
		got, err := s.Encode(ctx, membrain.EncodeRequest{
			Namespace: "life", Text: text(), Arousal: &arousal, Valence: &valence,
			Tags: []string{words[random.IntN(12)]}, SessionID: fmt.Sprint("s", i/10),
		})
		require.NoError(t, err)
		ids = append(ids, got.ID)
		_, err = s.Recall(ctx, membrain.RecallRequest{Namespace: "life", Query: words[random.IntN(12)], Limit: 5})
		require.NoError(t, err)
		revised := text()
		id := ids[random.IntN(len(ids))]
		if _, err = s.Update(ctx, membrain.UpdateRequest{Namespace: "life", ID: id, Text: &revised}); err != nil {
			require.ErrorContains(t, err, "rchived")
		}
		switch i % 5 {
		case 0:
			_, _ = s.Pin(ctx, membrain.MemoryRequest{Namespace: "life", ID: id}) // refusals are part of the life
		case 1:
			_, _ = s.Forget(ctx, membrain.MemoryRequest{Namespace: "life", ID: id})
		case 2:
			_, _ = s.Reinforce(ctx, membrain.MemoryRequest{Namespace: "life", ID: id})
		case 3:
			_, _ = s.Unpin(ctx, membrain.MemoryRequest{Namespace: "life", ID: ids[0]})
		default:
			_, _ = s.Restore(ctx, membrain.MemoryRequest{Namespace: "life", ID: id})
		}
	}
}

func TestDigest_DET_3_ALogFoldsToOneDigestOnEveryProcessor(t *testing.T) {
	ctx := context.Background()
	if os.Getenv("MEMBRAIN_UPDATE_GOLDEN") != "" {
		writeGolden(ctx, t)
	}
	file, err := os.Open(goldenExport)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	s, err := membrain.Open(ctx, t.TempDir(), membrain.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	_, err = s.Import(ctx, membrain.ImportRequest{Format: membrain.FormatExport, Reader: file, Name: "life.jsonl"})
	require.NoError(t, err)
	live, err := s.Digest(ctx, "")
	require.NoError(t, err)
	golden, err := os.ReadFile(goldenDigest)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(golden)), live.Digest)
}

func TestDigest_DET_3_ServedReplayedAndFromACheckpointAreOne(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s, err := membrain.Open(ctx, dir, script())
	require.NoError(t, err)
	life(ctx, t, s)
	require.NoError(t, s.Checkpoint(ctx, "middle"))
	life(ctx, t, s)
	served := digests(ctx, t, s)
	require.NoError(t, s.Close())
	s, err = membrain.Open(ctx, dir, script())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Equal(t, served, digests(ctx, t, s), "after a restart")
	_, err = s.Rebuild(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, served, digests(ctx, t, s), "after a rebuild")
}

// digests checks that what is served, replayed from the first commit and from a checkpoint agree, and returns it.
func digests(ctx context.Context, t *testing.T, s *membrain.Store) string {
	t.Helper()
	live, err := s.Digest(ctx, "")
	require.NoError(t, err)
	replayed, err := s.Replay(ctx, membrain.ReplayRequest{})
	require.NoError(t, err)
	require.Equal(t, live.Digest, replayed.Digest, "replay from the first commit")
	tail, err := s.Replay(ctx, membrain.ReplayRequest{FromCheckpoint: true})
	require.NoError(t, err)
	require.Equal(t, live.Digest, tail.Digest, "checkpoint and tail")
	require.Less(t, tail.Commits, replayed.Commits)
	return live.Digest
}

func writeGolden(ctx context.Context, t *testing.T) {
	t.Helper()
	s, err := membrain.Open(ctx, t.TempDir(), script())
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	life(ctx, t, s)
	live, err := s.Digest(ctx, "")
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(goldenExport), 0o750))
	require.NoError(t, os.WriteFile(goldenDigest, []byte(live.Digest+"\n"), 0o600))
	file, err := os.Create(goldenExport)
	require.NoError(t, err)
	require.NoError(t, s.Export(ctx, membrain.ExportRequest{Writer: file}))
	require.NoError(t, file.Close())
}
