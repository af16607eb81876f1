package projections_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/projections"
)

// exported is a line of an export, as far as folding needs it.
type exported struct {
	Commit *struct {
		Tick        uint64
		Millis      int64
		Request     string
		Agent       uint64
		Door, Verb  string
		ContentHigh uint64 `json:"content_high"`
		SymbolHigh  uint64 `json:"symbol_high"`
		Facts       []struct {
			Family  uint8
			ID      uuid.UUID
			Version uint64
			Type    string
			Schema  uint32
			Body    []byte
		}
	}
}

// A log written on one processor folds to the digest that it had there, on this one.
func TestReplay_DET_3_AGoldenLogFoldsToItsDigestOnEveryProcessor(t *testing.T) {
	ctx := context.Background()
	log := eventlog.NewMemory().Log()
	appendExport(ctx, t, log, "testdata/life.jsonl")
	golden, err := os.ReadFile("testdata/life.digest")
	require.NoError(t, err)
	for range 3 {
		got, err := projections.Replay(ctx, log, projections.Until{}, nil, nil)
		require.NoError(t, err)
		require.Equal(t, strings.TrimSpace(string(golden)), hex.EncodeToString(got.Digest[:]))
	}
}

func appendExport(ctx context.Context, t *testing.T, log eventlog.Log, path string) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	heads := map[eventlog.Stream]eventlog.Seq{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line exported
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		if line.Commit == nil {
			continue
		}
		head := log.Head().Seq
		_, err := log.Append(ctx, head, []*eventlog.Commit{commitOf(t, line, heads, head+1)})
		require.NoError(t, err)
	}
	require.NoError(t, lines.Err())
}

func commitOf(t *testing.T, line exported, heads map[eventlog.Stream]eventlog.Seq, seq eventlog.Seq) *eventlog.Commit {
	t.Helper()
	in := line.Commit
	out := &eventlog.Commit{
		Namespace: 1, Tick: in.Tick, TimeMillis: in.Millis, Agent: in.Agent, Door: in.Door, Verb: in.Verb,
		ContentHigh: in.ContentHigh, SymbolHigh: in.SymbolHigh,
	}
	digest, err := hex.DecodeString(in.Request)
	require.NoError(t, err)
	copy(out.RequestDigest[:], digest)
	for _, f := range in.Facts {
		stream := eventlog.Stream{Namespace: 1, Family: eventlog.Family(f.Family), ID: f.ID}
		prev := heads[stream]
		if prev == seq {
			prev = eventlog.SameCommit
		}
		heads[stream] = seq
		out.Facts = append(out.Facts, eventlog.Fact{
			Stream: stream, Version: f.Version, Prev: prev, Type: f.Type, Schema: f.Schema, Body: f.Body,
		})
	}
	return out
}
