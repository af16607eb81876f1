package state_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/state"
	"github.com/stretchr/testify/require"
)

var identity = state.Identity{StoreID: [16]byte{5}, Epoch: 3, Format: 1}

func stream(i int) eventlog.Stream {
	return eventlog.Stream{Namespace: eventlog.Ordinal(1 + i%3), Family: eventlog.FamilyMemory, ID: [16]byte{byte(i >> 8), byte(i)}}
}

func row(i int, seq eventlog.Seq) *state.Row {
	r := &state.Row{Head: seq, Memory: &model.Memory{ID: model.MemoryID(stream(i).ID), Version: uint64(seq), Content: model.ContentRef{Number: 1}, Tags: []model.Tag{{Symbol: 3}}}}
	switch i % 20 {
	case 0:
		r.Fault = &state.Fault{Seq: seq, Reason: "some reason"}
	case 1:
		r.Memory, r.Brain = nil, &model.Brain{Version: 2, Params: model.DefaultParams(), Tick: 7}
	case 2:
		r.Memory, r.Fault = nil, &state.Fault{Seq: seq}
	}
	return r
}

// fill commits random changes to several tables alike.
func fill(t *testing.T, rng *rand.Rand, from, to eventlog.Seq, tables ...*state.Table) {
	for seq := from; seq <= to; seq++ {
		var changes []state.Change
		for range 1 + rng.IntN(4) {
			i := rng.IntN(300)
			if slices.ContainsFunc(changes, func(c state.Change) bool { return c.Stream == stream(i) }) {
				continue
			}
			_, known, err := tables[0].Get(stream(i))
			require.NoError(t, err)
			changes = append(changes, state.Change{Stream: stream(i), Row: row(i, seq), New: !known})
		}
		requests := []state.Request{{Namespace: 1, Digest: [16]byte{byte(rng.IntN(256)), byte(rng.IntN(4))}, Seq: seq}}
		for _, table := range tables {
			require.NoError(t, table.Commit(eventlog.Head{Seq: seq, Hash: [32]byte{byte(seq)}}, changes, requests))
		}
	}
}

func digestOf(t *testing.T, table *state.Table) [32]byte {
	t.Helper()
	s, err := table.Snapshot()
	require.NoError(t, err)
	d, err := s.Digest(context.Background(), nil)
	require.NoError(t, err)
	rows := map[eventlog.Stream]string{}
	require.NoError(t, s.Rows(context.Background(), func(stream eventlog.Stream, row *state.Row) error {
		require.NotContains(t, rows, stream)
		rows[stream] = string(row.Append(nil))
		return nil
	}))
	require.EqualValues(t, table.Stats().Rows, len(rows))
	require.NoError(t, s.Close())
	return d
}

func TestTable_T4_FileMemoryAndCheckpointHaveOneDigest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	onDisk, err := state.Create(path, identity)
	require.NoError(t, err)
	inMemory := state.InMemory(identity)
	rng := rand.New(rand.NewPCG(1, 9))
	for seq := eventlog.Seq(1); seq < 400; seq += 40 {
		fill(t, rng, seq, seq+39, inMemory, onDisk)
		require.Equal(t, digestOf(t, inMemory), digestOf(t, onDisk), "before the flush at %d", seq)
		require.NoError(t, onDisk.Flush())
		require.Equal(t, digestOf(t, inMemory), digestOf(t, onDisk), "after the flush at %d", seq)
		require.Zero(t, onDisk.Dirty())
	}
	fill(t, rng, 401, 420, inMemory, onDisk) // lost with the process
	require.NoError(t, onDisk.Close())
	again, err := state.Open(path, identity)
	require.NoError(t, err)
	require.EqualValues(t, 400, again.Applied().Seq)
	require.Equal(t, [32]byte{400 % 256}, again.Applied().Hash)

	restored := state.InMemory(identity)
	s, err := again.Snapshot()
	require.NoError(t, err)
	for c, err := range s.Cells() {
		require.NoError(t, err)
		require.NoError(t, restored.Restore(c.Key, c.Value))
	}
	require.NoError(t, restored.Commit(s.Head(), nil, nil))
	require.NoError(t, s.Close())
	require.Equal(t, digestOf(t, again), digestOf(t, restored))
	require.NoError(t, again.Close())
	_, _, err = again.Get(stream(1))
	require.ErrorIs(t, err, state.ErrClosed)
}

func TestSnapshot_T1_StaysWhileTheTableMovesOn(t *testing.T) {
	table, err := state.Create(filepath.Join(t.TempDir(), "state.db"), identity)
	require.NoError(t, err)
	defer table.Close()
	rng := rand.New(rand.NewPCG(2, 9))
	fill(t, rng, 1, 50, table)
	require.NoError(t, table.Flush())
	fill(t, rng, 51, 80, table)
	want := digestOf(t, table)
	s, err := table.Snapshot()
	require.NoError(t, err)
	fill(t, rng, 81, 120, table)
	require.NoError(t, table.Flush())
	got, err := s.Digest(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.NoError(t, s.Close())
	require.NotEqual(t, want, digestOf(t, table))
}

func TestRequest_KeepsItsFirstCommit(t *testing.T) {
	table, err := state.Create(filepath.Join(t.TempDir(), "state.db"), identity)
	require.NoError(t, err)
	defer table.Close()
	digest := [16]byte{1}
	for seq := eventlog.Seq(1); seq < 4; seq++ {
		require.NoError(t, table.Commit(eventlog.Head{Seq: seq}, nil, []state.Request{{Namespace: 2, Digest: digest, Seq: seq}}))
		require.NoError(t, table.Flush())
	}
	seq, ok, err := table.Request(2, digest)
	require.NoError(t, err)
	require.True(t, ok)
	require.EqualValues(t, 1, seq)
	_, ok, err = table.Request(3, digest)
	require.NoError(t, err)
	require.False(t, ok)
	require.EqualValues(t, 1, table.Stats().Requests)
}

func TestOpen_T3_RefusesStrangersAndAbsence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	_, err := state.Open(path, identity)
	require.ErrorIs(t, err, state.ErrRebuild)
	require.ErrorIs(t, err, fs.ErrNotExist)
	table, err := state.Create(path, identity)
	require.NoError(t, err)
	require.NoError(t, table.Close())
	for _, want := range []state.Identity{{StoreID: [16]byte{6}, Epoch: 3, Format: 1}, {StoreID: [16]byte{5}, Epoch: 4, Format: 1}, {StoreID: [16]byte{5}, Epoch: 3, Format: 2}} {
		_, err := state.Open(path, want)
		require.ErrorIs(t, err, state.ErrRebuild)
	}
}

// Whatever byte is changed: the file is refused, or every row in it is as it was.
func TestOpen_T3_DamageIsRefusedOrHarmless(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	table, err := state.Create(path, identity)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 9))
	fill(t, rng, 1, 60, table)
	require.NoError(t, table.Flush())
	fill(t, rng, 61, 90, table)
	require.NoError(t, table.Flush())
	want := digestOf(t, table)
	require.NoError(t, table.Close())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := 0
	check := func(name string, damaged []byte) {
		broken := filepath.Join(dir, "broken.db")
		require.NoError(t, os.WriteFile(broken, damaged, 0o600))
		again, err := state.Open(broken, identity)
		if err != nil {
			require.ErrorIs(t, err, state.ErrRebuild, name)
			refused++
			return
		}
		require.Equal(t, want, digestOf(t, again), name)
		require.NoError(t, again.Commit(eventlog.Head{Seq: 91}, []state.Change{{Stream: stream(5), Row: row(5, 91)}}, nil))
		require.NoError(t, again.Flush(), name)
		require.NoError(t, again.Close())
	}
	used := used(b)
	require.Greater(t, used, 20_000)
	step := used/200 + 1
	for at := 0; at < used; at += step {
		flipped := slices.Clone(b[:used])
		flipped[at] ^= 1 << rng.IntN(8)
		check(fmt.Sprintf("flipped at %d", at), flipped)
	}
	for at := 0; at < used; at += used / 20 {
		check(fmt.Sprintf("cut at %d", at), b[:at])
	}
	for page := 0; page+4096 <= used; page += 4096 { // every field of every page header
		for field := range 16 {
			flipped := slices.Clone(b[:used])
			flipped[page+field] ^= 0xFF
			check(fmt.Sprintf("page %d field %d", page/4096, field), flipped)
		}
	}
	require.Greater(t, refused, 150)
}

// used returns the length of a file without the zeros at its end.
func used(b []byte) int {
	n := len(b)
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return min(len(b), (n+4096+4095)/4096*4096)
}

func TestRow_ComesBackEqualAndRefusesNonsense(t *testing.T) {
	for i := range 25 {
		want := row(i, 9)
		got, err := state.ParseRow(want.Append(nil))
		require.NoError(t, err)
		require.Equal(t, want.Append(nil), got.Append(nil))
	}
	for _, bad := range [][]byte{nil, {9, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 2, 0, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}} {
		_, err := state.ParseRow(bad)
		require.Error(t, err)
	}
}

func FuzzParseRow(f *testing.F) {
	for i := range 4 {
		f.Add(row(i, 5).Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := state.ParseRow(b); err == nil {
			again, err := state.ParseRow(r.Append(nil))
			require.NoError(t, err)
			require.Equal(t, r.Append(nil), again.Append(nil))
		}
	})
}

func TestRows_PassesOnTheConsumersError(t *testing.T) {
	table := state.InMemory(identity)
	require.NoError(t, table.Commit(eventlog.Head{Seq: 1}, []state.Change{{Stream: stream(5), Row: row(5, 1), New: true}}, nil))
	s, err := table.Snapshot()
	require.NoError(t, err)
	stop := errors.New("stop")
	require.ErrorIs(t, s.Rows(context.Background(), func(eventlog.Stream, *state.Row) error { return stop }), stop)
}
