package eventlog_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

// updateGolden rewrites the golden files instead of comparing with them: only for a new format.
func updateGolden() bool { return os.Getenv("MEMBRAIN_UPDATE_GOLDEN") != "" }

// goldenCommits are the commits whose stored bytes are pinned, each after the one before.
func goldenCommits() []*eventlog.Commit {
	memory := eventlog.Stream{Namespace: 3, Family: eventlog.FamilyMemory, ID: [16]byte{1, 2, 3, 15: 16}}
	brain := eventlog.Stream{Namespace: 3, Family: eventlog.FamilyBrain}
	store := eventlog.Stream{Family: eventlog.FamilyStore}
	return []*eventlog.Commit{
		{},
		{
			Namespace: 3, Tick: 1, TimeMillis: 1_700_000_000_000, RequestDigest: [16]byte{9, 9}, Agent: 4,
			Door: "cli", Verb: "encode", ContentHigh: 1, SymbolHigh: 2,
			Facts: []eventlog.Fact{
				{Stream: brain, Version: 1, Type: "brain.received.v1", Schema: 1, Body: []byte("receipt")},
				{Stream: memory, Version: 1, Type: "memory.encoded.v1", Schema: 1, Body: []byte("encoded")},
				{Stream: memory, Version: 2, Prev: eventlog.SameCommit, Type: "memory.encoded.v1", Schema: 2, Body: []byte{0}},
				{Stream: store, Version: 7, Prev: 1, Type: "store.named.v1", Schema: 1},
			},
		},
		{
			Namespace: 3, Tick: 2, TimeMillis: 1_700_000_000_001, Door: "mcp", Verb: "recall", ContentHigh: 1, SymbolHigh: 2,
			Facts: []eventlog.Fact{{Stream: memory, Version: 3, Prev: 2, Type: "memory.recalled.v1", Schema: 1, Body: []byte("recalled")}},
		},
	}
}

func TestRecord_GoldenBytes(t *testing.T) {
	path := filepath.Join("testdata", "records.golden")
	var lines []string
	var prev [32]byte
	for i, commit := range goldenCommits() {
		stored, hash, err := eventlog.EncodeRecord(commit, eventlog.Seq(i+1), prev)
		require.NoError(t, err)
		lines = append(lines, hex.EncodeToString(stored))
		prev = hash
	}
	got := strings.Join(lines, "\n") + "\n"
	if updateGolden() {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)

	for i, line := range strings.Fields(string(want)) {
		stored, err := hex.DecodeString(line)
		require.NoError(t, err)
		record, err := eventlog.DecodeRecord(stored)
		require.NoError(t, err)
		commit := goldenCommits()[i]
		commit.Seq, commit.PrevHash = record.Seq, record.PrevHash
		for j := range commit.Facts {
			if commit.Facts[j].Prev == eventlog.SameCommit {
				commit.Facts[j].Prev = record.Seq
			}
		}
		require.Equal(t, *commit, record.Commit)
		require.Equal(t, eventlog.Seq(i+1), record.Seq)
		require.Equal(t, len(stored), record.Size)
	}
}

func TestRecord_IsCompact(t *testing.T) {
	commit := goldenCommits()[2]
	stored, _, err := eventlog.EncodeRecord(commit, 3, [32]byte{1})
	require.NoError(t, err)
	// Frame 37, previous hash 34, stream id 18: what else describes one fact must stay small.
	require.Less(t, len(stored)-len(commit.Facts[0].Body)-len(commit.Facts[0].Type)-37-34-18, 50)
}

// TestRecord_EveryFlipAndCutIsNoticed damages each bit and each length of the golden records.
func TestRecord_EveryFlipAndCutIsNoticed(t *testing.T) {
	var prev [32]byte
	for i, commit := range goldenCommits() {
		stored, hash, err := eventlog.EncodeRecord(commit, eventlog.Seq(i+1), prev)
		require.NoError(t, err)
		prev = hash
		for at := range stored {
			for bit := range 8 {
				damaged := bytes.Clone(stored)
				damaged[at] ^= 1 << bit
				_, err := eventlog.DecodeRecord(damaged)
				require.ErrorIs(t, err, eventlog.ErrCorrupt)
			}
			_, err := eventlog.DecodeRecord(stored[:at])
			require.ErrorIs(t, err, eventlog.ErrCorrupt)
		}
	}
}

func FuzzDecodeRecord(f *testing.F) {
	var prev [32]byte
	for i, commit := range goldenCommits() {
		stored, hash, err := eventlog.EncodeRecord(commit, eventlog.Seq(i+1), prev)
		require.NoError(f, err)
		f.Add(stored)
		prev = hash
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		for _, candidate := range [][]byte{stored, sealed(stored)} {
			record, err := eventlog.DecodeRecord(candidate)
			if err != nil {
				if !errors.Is(err, eventlog.ErrCorrupt) && !errors.Is(err, eventlog.ErrUnsupportedVersion) {
					t.Fatalf("error without a name: %v", err)
				}
				continue
			}
			again, hash, err := eventlog.EncodeRecord(&record.Commit, record.Seq, record.PrevHash)
			if err != nil {
				continue // decoders are lenient, for instance about long type names
			}
			back, err := eventlog.DecodeRecord(again)
			require.NoError(t, err)
			record.Hash, record.Size = hash, len(again) // an envelope can be spelled in more than one way
			require.Equal(t, record, back)
		}
	})
}

// FuzzEncodeRecord: decode(encode(x)) = x.
func FuzzEncodeRecord(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint8(3))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		var prev [32]byte
		for i, commit := range logtest.NewHistory(seed).Take(int(n)) {
			seq := eventlog.Seq(i + 1)
			stored, hash, err := eventlog.EncodeRecord(commit, seq, prev)
			require.NoError(t, err)
			record, err := eventlog.DecodeRecord(stored)
			require.NoError(t, err)
			want := *commit
			want.Seq, want.PrevHash = seq, prev
			for j := range want.Facts {
				if want.Facts[j].Prev == eventlog.SameCommit {
					want.Facts[j].Prev = seq
				}
			}
			require.Equal(t, eventlog.Record{Commit: want, Hash: hash, Size: len(stored)}, record)
			prev = hash
		}
	})
}

// TestGoldenStore_StillOpens opens a data directory that was made when format 1 was fixed. Its pages have the
// byte order of the machine that made it.
func TestGoldenStore_StillOpens(t *testing.T) {
	golden := filepath.Join("testdata", "store-1")
	if updateGolden() {
		require.NoError(t, os.RemoveAll(golden))
		require.NoError(t, os.CopyFS(golden, os.DirFS(smallStore(t))))
		require.NoError(t, os.Remove(filepath.Join(golden, "lock")))
		writeGoldenHead(t, golden)
	}
	want, err := os.ReadFile(golden + ".head")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(golden)))
	store := openBolt(t, dir, small())
	logtest.RequireSound(t, store)
	head := store.Log().Head()
	require.Equal(t, strings.TrimSpace(string(want)), hex.EncodeToString(head.Hash[:]))
	body, err := store.Contents().Get(1, 41)
	require.NoError(t, err)
	require.Len(t, body, eventlog.BlobBytesMin)
	_, err = store.Log().Append(context.Background(), head.Seq, []*eventlog.Commit{{Namespace: 9}})
	require.NoError(t, err)
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
}

func writeGoldenHead(t *testing.T, golden string) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(golden)))
	store := openBolt(t, dir, small())
	hash := store.Log().Head().Hash
	require.NoError(t, store.Close())
	require.NoError(t, os.WriteFile(golden+".head", []byte(hex.EncodeToString(hash[:])+"\n"), 0o644))
}

// sealed gives bytes the format, hash and checksum of a record, so that the fuzzer gets past them.
func sealed(envelope []byte) []byte {
	var prev [32]byte
	body := append([]byte{1}, envelope...)
	hash := sha256.Sum256(append(prev[:], body...))
	body = append(body, hash[:]...)
	return binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
}
