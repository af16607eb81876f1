package snapshots_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/membrain-db/membrain/snapshots"
	"github.com/stretchr/testify/require"
)

type pair struct{ key, row []byte }

func sequence(pairs []pair) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		for _, p := range pairs {
			if !yield(p.key, p.row) {
				return
			}
		}
	}
}

// table makes n rows of up to rowMax bytes: half noise, half text, some empty.
func table(n, rowMax int) []pair {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	pairs := make([]pair, n)
	for i := range pairs {
		row := make([]byte, r.IntN(rowMax+1))
		for j := range row {
			row[j] = byte(i)
			if i%2 == 0 {
				row[j] = byte(r.Uint32())
			}
		}
		pairs[i] = pair{binary.BigEndian.AppendUint32([]byte("key-"), uint32(i)), row}
	}
	return pairs
}

func meta(seq uint64, name string) snapshots.Meta {
	return snapshots.Meta{
		StoreID: [16]byte{1, 2, 3}, Epoch: 2, Seq: seq, HeadHash: [32]byte{31: 9},
		Name: name, CreatedMillis: 1_700_000_000_123,
	}
}

func open(t testing.TB) (*snapshots.Store, string) {
	dir := filepath.Join(t.TempDir(), "checkpoints")
	s, err := snapshots.Open(dir)
	require.NoError(t, err)
	return s, dir
}

func write(t testing.TB, s *snapshots.Store, m snapshots.Meta, pairs []pair) snapshots.Meta {
	m, err := s.Write(context.Background(), m, sequence(pairs))
	require.NoError(t, err)
	return m
}

// collector returns a function for Read and what it has been given.
func collector() (*[]pair, func(k, v []byte) error) {
	var got []pair
	return &got, func(k, v []byte) error {
		got = append(got, pair{bytes.Clone(k), bytes.Clone(v)})
		return nil
	}
}

func requirePairs(t testing.TB, want, got []pair) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, bytes.Equal(want[i].key, got[i].key) && bytes.Equal(want[i].row, got[i].row), "row %d", i)
	}
}

func files(t testing.TB, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOpen_CreatesAPrivateFolder(t *testing.T) {
	_, dir := open(t)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestWrite_ReadGivesTheSameRows(t *testing.T) {
	for name, pairs := range map[string][]pair{
		"none":             nil,
		"one empty":        {{[]byte{}, []byte{}}},
		"few":              table(10, 40),
		"many blocks":      table(3000, 2000),
		"row over a block": {{[]byte("a"), bytes.Repeat([]byte("x"), 3<<20)}, {[]byte("b"), []byte("y")}},
		"largest":          {{bytes.Repeat([]byte{255}, snapshots.KeyBytesMax), make([]byte, snapshots.RowBytesMax)}},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := open(t)
			m := write(t, s, meta(77, ""), pairs)
			info, err := os.Stat(m.Path)
			require.NoError(t, err)
			require.Equal(t, info.Size(), m.Bytes)
			require.EqualValues(t, len(pairs), m.Rows)

			digest := sha256.New()
			for _, p := range pairs {
				for _, field := range [][]byte{p.key, p.row} {
					digest.Write(binary.AppendUvarint(nil, uint64(len(field))))
					digest.Write(field)
				}
			}
			require.Equal(t, digest.Sum(nil), m.Digest[:])

			list, errs := s.List()
			require.Empty(t, errs)
			require.Equal(t, []snapshots.Meta{m}, list)
			require.Len(t, files(t, dir), 1)
			got, fn := collector()
			require.NoError(t, s.Read(context.Background(), list[0], fn))
			requirePairs(t, pairs, *got)
		})
	}
}

func TestWrite_Refuses(t *testing.T) {
	s, dir := open(t)
	ctx := context.Background()
	for _, name := range []string{"A", "a b", "../x", "ä", "a.b", strings.Repeat("a", 65)} {
		_, err := s.Write(ctx, meta(1, name), sequence(nil))
		require.ErrorIs(t, err, snapshots.ErrName, "%q", name)
	}
	for what, c := range map[string]struct {
		pairs []pair
		want  error
	}{
		"descending": {[]pair{{[]byte("b"), nil}, {[]byte("a"), nil}}, snapshots.ErrOrder},
		"twice":      {[]pair{{[]byte("b"), nil}, {[]byte("b"), nil}}, snapshots.ErrOrder},
		"empty 2nd":  {[]pair{{[]byte("a"), nil}, {nil, nil}}, snapshots.ErrOrder},
		"key":        {[]pair{{make([]byte, snapshots.KeyBytesMax+1), nil}}, snapshots.ErrTooLarge},
		"row":        {[]pair{{nil, make([]byte, snapshots.RowBytesMax+1)}}, snapshots.ErrTooLarge},
	} {
		_, err := s.Write(ctx, meta(1, ""), sequence(c.pairs))
		require.ErrorIs(t, err, c.want, what)
	}
	require.Empty(t, files(t, dir))
}

func TestWrite_ANameStandsForOneCheckpoint(t *testing.T) {
	s, _ := open(t)
	first := write(t, s, meta(5, "before-upgrade"), table(3, 9))
	_, err := s.Write(context.Background(), meta(6, "before-upgrade"), sequence(nil))
	require.ErrorIs(t, err, snapshots.ErrExists)
	require.NoError(t, s.Delete(first))
	write(t, s, meta(6, "before-upgrade"), nil)
	write(t, s, meta(6, strings.Repeat("z", 64)), nil)
}

func TestWrite_ReplacesAnUnnamedOneOfTheSameSeq(t *testing.T) {
	s, dir := open(t)
	write(t, s, meta(5, ""), table(3, 9))
	m := write(t, s, meta(5, ""), table(4, 9))
	require.Len(t, files(t, dir), 1)
	list, _ := s.List()
	require.Equal(t, []snapshots.Meta{m}, list)
}

func TestWrite_StopsWhenItsSourceCancels(t *testing.T) {
	s, dir := open(t)
	broken := errors.New("table is broken")
	for _, rows := range []int{0, 5, 3000} {
		ctx, cancel := context.WithCancelCause(context.Background())
		_, err := s.Write(ctx, meta(1, ""), func(yield func(k, v []byte) bool) {
			sequence(table(rows, 2000))(yield)
			cancel(broken)
		})
		require.ErrorIs(t, err, broken)
		require.Empty(t, files(t, dir))
	}
}

func TestOpen_RemovesWhatACrashLeft(t *testing.T) {
	_, dir := open(t)
	left := filepath.Join(dir, ".1234.tmp")
	require.NoError(t, os.WriteFile(left, []byte("half a checkpoint"), 0o600))
	_, err := snapshots.Open(dir)
	require.NoError(t, err)
	require.NoFileExists(t, left)
}

func TestWrite_RemovesWhatACrashLeft(t *testing.T) {
	s, dir := open(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".123.tmp"), []byte("half"), 0o600))
	m := write(t, s, meta(1, ""), nil)
	require.Equal(t, []string{filepath.Base(m.Path)}, files(t, dir))
}

func TestList_NewestFirstAndReportsTheUnreadable(t *testing.T) {
	s, dir := open(t)
	for _, m := range []snapshots.Meta{meta(9, ""), meta(10, "b"), meta(10, ""), meta(100, "a")} {
		write(t, s, m, table(2, 5))
	}
	later := meta(3, "")
	later.Epoch = 11
	write(t, s, later, nil)
	bad := filepath.Join(dir, "0000000002-00000000000000000050.ckpt")
	require.NoError(t, os.WriteFile(bad, []byte("nothing"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("of a person"), 0o600))

	list, errs := s.List()
	var order []string
	for _, m := range list {
		order = append(order, fmt.Sprintf("%d/%d/%s", m.Epoch, m.Seq, m.Name))
	}
	require.Equal(t, []string{"11/3/", "2/100/a", "2/10/b", "2/10/", "2/9/"}, order)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], snapshots.ErrCorrupt)
	var corrupt *snapshots.CorruptError
	require.ErrorAs(t, errs[0], &corrupt)
	require.Equal(t, bad, corrupt.Path)
}

func TestRead_Refuses(t *testing.T) {
	s, dir := open(t)
	m := write(t, s, meta(5, ""), table(3000, 2000))
	_, fn := collector()

	absent := m
	absent.Path = filepath.Join(dir, "absent.ckpt")
	require.ErrorIs(t, s.Read(context.Background(), absent, fn), snapshots.ErrNotFound)
	outside := m
	outside.Path = "/etc/passwd"
	require.ErrorIs(t, s.Read(context.Background(), outside, fn), snapshots.ErrNotFound)
	other := m
	other.Seq++
	require.ErrorIs(t, s.Read(context.Background(), other, fn), snapshots.ErrCorrupt)

	mine := errors.New("mine")
	require.Equal(t, mine, s.Read(context.Background(), m, func(k, v []byte) error { return mine }))

	ctx, cancel := context.WithCancel(context.Background())
	rows := 0
	err := s.Read(ctx, m, func(k, v []byte) error { rows++; cancel(); return nil })
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, rows, 3000)
}

func TestDelete_OnlyWithinTheFolder(t *testing.T) {
	s, dir := open(t)
	m := write(t, s, meta(5, "keep"), nil)
	require.NoError(t, s.Delete(m))
	require.Empty(t, files(t, dir))
	require.ErrorIs(t, s.Delete(m), snapshots.ErrNotFound)

	outside := filepath.Join(t.TempDir(), "x.ckpt")
	require.NoError(t, os.WriteFile(outside, nil, 0o600))
	require.ErrorIs(t, s.Delete(snapshots.Meta{Path: outside}), snapshots.ErrNotFound)
	require.FileExists(t, outside)
}

func seqs(s *snapshots.Store) (out []uint64) {
	list, _ := s.List()
	for _, m := range list {
		out = append(out, m.Seq)
	}
	slices.Reverse(out)
	return out
}

func TestThin_KeepsTheHistoryCovered(t *testing.T) {
	s, _ := open(t)
	const keep, step = 16, 100
	for i := uint64(1); i <= 60; i++ {
		write(t, s, meta(i*step, ""), nil)
		removed, err := s.Thin(keep)
		require.NoError(t, err)
		kept := seqs(s)
		require.Len(t, kept, int(min(i, keep)))
		require.Equal(t, i > keep, removed == 1)
		require.EqualValues(t, step, kept[0], "the oldest stays")
		require.EqualValues(t, i*step, kept[len(kept)-1], "the newest stays")
		for j := 1; j < len(kept); j++ {
			require.LessOrEqual(t, kept[j]-kept[j-1], max(step, 3*i*step/keep), "gap after %d of %v", kept[j-1], kept)
		}
	}
}

func TestThin_KeepsNamedOnesAndSpacesAroundThem(t *testing.T) {
	s, dir := open(t)
	write(t, s, meta(20, "kept"), nil)
	write(t, s, meta(60, "also"), nil)
	for _, seq := range []uint64{10, 21, 40, 70} {
		write(t, s, meta(seq, ""), nil)
	}
	bad := filepath.Join(dir, "bad.ckpt")
	require.NoError(t, os.WriteFile(bad, nil, 0o600))

	removed, err := s.Thin(3)
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	require.Equal(t, []uint64{10, 20, 40, 60, 70}, seqs(s), "21 stands beside a named one")
	removed, err = s.Thin(1)
	require.NoError(t, err)
	require.Equal(t, 2, removed)
	require.Equal(t, []uint64{20, 60, 70}, seqs(s))
	require.FileExists(t, bad)
	removed, err = s.Thin(1)
	require.NoError(t, err)
	require.Zero(t, removed)
	_, err = s.Thin(0)
	require.Error(t, err)
}
