package snapshots_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/membrain-db/membrain/snapshots"
	"github.com/stretchr/testify/require"
)

// readBytes reads a checkpoint that may be damaged. Whatever it answers, the rows it hands over must be the first of want (S2).
func readBytes(t testing.TB, b []byte, want []pair) error {
	t.Helper()
	n := 0
	_, err := snapshots.ReadFrom(context.Background(), bytes.NewReader(b), int64(len(b)), func(k, v []byte) error {
		if n >= len(want) || !bytes.Equal(k, want[n].key) || !bytes.Equal(v, want[n].row) {
			t.Fatalf("row %d is wrong", n)
		}
		n++
		return nil
	})
	if err == nil {
		require.Len(t, want, n)
	}
	return err
}

func fileOf(t testing.TB, pairs []pair) []byte {
	s, _ := open(t)
	m := write(t, s, meta(5, "damage-test"), pairs)
	b, err := os.ReadFile(m.Path)
	require.NoError(t, err)
	return b
}

// twoBlocks are rows small in the file and large enough for two blocks.
func twoBlocks() []pair {
	return []pair{
		{[]byte("a"), []byte("first")},
		{[]byte("b"), bytes.Repeat([]byte("0123456789"), 110_000)},
		{[]byte("c"), []byte("of the second block")},
		{[]byte("d"), nil},
	}
}

func TestRead_RefusesEveryCut(t *testing.T) {
	pairs := twoBlocks()
	b := fileOf(t, pairs)
	require.NoError(t, readBytes(t, b, pairs))
	require.Less(t, len(b), 2000)
	for n := range b {
		require.ErrorIs(t, readBytes(t, b[:n], pairs), snapshots.ErrCorrupt, "cut to %d", n)
	}
	require.ErrorIs(t, readBytes(t, append(bytes.Clone(b), 0), pairs), snapshots.ErrCorrupt)
	require.ErrorIs(t, readBytes(t, append(bytes.Clone(b), b...), pairs), snapshots.ErrCorrupt)
}

func TestRead_RefusesEveryFlippedByte(t *testing.T) {
	pairs := twoBlocks()
	b := fileOf(t, pairs)
	for i := range b {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			b[i] ^= flip
			require.ErrorIs(t, readBytes(t, b, pairs), snapshots.ErrCorrupt, "byte %d ^ %#x", i, flip)
			b[i] ^= flip
		}
	}
}

// A list says so, too, when header or trailer is damaged, and a damaged file on disk is read as one.
func TestStore_SeesDamageOnDisk(t *testing.T) {
	pairs := twoBlocks()
	s, _ := open(t)
	m := write(t, s, meta(5, ""), pairs)
	b, err := os.ReadFile(m.Path)
	require.NoError(t, err)
	b[300] ^= 4
	require.NoError(t, os.WriteFile(m.Path, b, 0o600))
	list, errs := s.List()
	require.Empty(t, errs, "a list does not read rows")
	_, fn := collector()
	err = s.Read(context.Background(), list[0], fn)
	require.ErrorIs(t, err, snapshots.ErrCorrupt)
	var corrupt *snapshots.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, m.Path, corrupt.Path)
	require.Greater(t, corrupt.Offset, int64(100))

	require.NoError(t, os.Truncate(m.Path, int64(len(b)-1)))
	list, errs = s.List()
	require.Empty(t, list)
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], snapshots.ErrCorrupt)
}

// Whole blocks exchanged, repeated, left out or taken from another file have right checksums of their own.
func TestRead_RefusesBlocksOutOfPlace(t *testing.T) {
	pairs := twoBlocks()
	b := fileOf(t, pairs)
	const head, trailer = 160, 61
	first := head + 17 + int(binary.LittleEndian.Uint32(b[head+1:]))
	one, two, end := b[head:first], b[first:len(b)-trailer], b[len(b)-trailer:]
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	require.NoError(t, readBytes(t, join(b[:head], one, two, end), pairs))
	for name, bad := range map[string][]byte{
		"exchanged": join(b[:head], two, one, end),
		"repeated":  join(b[:head], one, one, two, end),
		"last gone": join(b[:head], one, end),
		"all gone":  join(b[:head], end),
	} {
		require.ErrorIs(t, readBytes(t, bad, pairs), snapshots.ErrCorrupt, name)
	}
	s, _ := open(t)
	other := write(t, s, meta(6, ""), pairs)
	foreign, err := os.ReadFile(other.Path)
	require.NoError(t, err)
	require.ErrorIs(t, readBytes(t, join(foreign[:head], one, two, end), pairs), snapshots.ErrCorrupt)
}

func TestRead_RefusesANewerFormat(t *testing.T) {
	b := fileOf(t, nil)
	b[8]++
	snapshots.Fix(b)
	err := readBytes(t, b, nil)
	require.ErrorIs(t, err, snapshots.ErrNewer)
	require.ErrorContains(t, err, "version 2")
	require.NotErrorIs(t, err, snapshots.ErrCorrupt)
}

// A forged number, checksums and all, costs neither memory nor a crash.
func TestRead_BelievesNoForgedNumber(t *testing.T) {
	pairs := twoBlocks()
	b := fileOf(t, pairs)
	const head = 160
	for _, at := range []int{head + 1, head + 5, head + 9, len(b) - 60, len(b) - 52, len(b) - 44} {
		for _, forged := range []uint32{0, 1, 1 << 20, 1<<31 - 1, 1<<32 - 1} {
			bad := bytes.Clone(b)
			binary.LittleEndian.PutUint32(bad[at:], forged)
			if bytes.Equal(bad, b) {
				continue
			}
			snapshots.Fix(bad)
			require.ErrorIs(t, readBytes(t, bad, pairs), snapshots.ErrCorrupt, "%d at %d", forged, at)
		}
	}
}

// disk is a temporary file on a disk that fails.
type disk struct {
	*os.File
	room              int // bytes left
	syncErr, closeErr error
}

func (d *disk) Write(b []byte) (int, error) {
	n := min(len(b), d.room)
	d.room -= n
	written, err := d.File.Write(b[:n])
	if err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return written, err
}

func (d *disk) Sync() error  { return errors.Join(d.syncErr, d.File.Sync()) }
func (d *disk) Close() error { return errors.Join(d.File.Close(), d.closeErr) }

func TestWrite_AFailingDiskLeavesWhatWasThere(t *testing.T) {
	s, dir := open(t)
	old := write(t, s, meta(5, ""), table(3, 9))
	before, err := os.ReadFile(old.Path)
	require.NoError(t, err)
	unharmed := func(what any) {
		after, err := os.ReadFile(old.Path)
		require.NoError(t, err)
		require.Equal(t, before, after)
		require.Len(t, files(t, dir), 1, what)
	}
	fail := func(d disk) error {
		s.SetCreate(func(pattern string) (_ snapshots.TempFile, err error) {
			d := d
			d.File, err = os.CreateTemp(dir, pattern)
			return &d, err
		})
		_, err := s.Write(context.Background(), meta(5, ""), sequence(twoBlocks()))
		return err
	}
	size := len(fileOf(t, twoBlocks())) // of a file with the same blocks
	for room := 0; room < size; room += 13 {
		require.ErrorIs(t, fail(disk{room: room}), syscall.ENOSPC, "room %d", room)
		unharmed(room)
	}
	io := errors.New("I/O error")
	require.ErrorIs(t, fail(disk{room: 1 << 20, syncErr: io}), io)
	unharmed("sync")
	require.ErrorIs(t, fail(disk{room: 1 << 20, closeErr: io}), io)
	unharmed("close")
	s.SetCreate(func(string) (snapshots.TempFile, error) { return nil, io })
	_, err = s.Write(context.Background(), meta(6, ""), sequence(nil))
	require.ErrorIs(t, err, io)
	unharmed("create")
	require.NoError(t, func() error { // with room again, the same write succeeds
		s.SetCreate(func(pattern string) (snapshots.TempFile, error) { return os.CreateTemp(dir, pattern) })
		_, err := s.Write(context.Background(), meta(5, ""), sequence(twoBlocks()))
		return err
	}())
}

func TestWrite_AFailingRenameLeavesNoTemporaryFile(t *testing.T) {
	s, dir := open(t)
	m := write(t, s, meta(5, ""), nil)
	require.NoError(t, s.Delete(m))
	require.NoError(t, os.MkdirAll(filepath.Join(m.Path, "in the way"), 0o700))
	_, err := s.Write(context.Background(), meta(5, ""), sequence(nil))
	require.Error(t, err)
	require.Equal(t, []string{filepath.Base(m.Path)}, files(t, dir))
}

var update = flag.Bool("update", false, "write the golden file of this format version anew")

// goldenRows are the rows in testdata/v1.ckpt.
func goldenRows() []pair {
	return []pair{
		{[]byte{0, 1}, []byte("one")},
		{[]byte{0, 2}, nil},
		{[]byte("m/019200000000"), []byte(strings.Repeat("state of a memory; ", 20))},
		{[]byte{255}, []byte{0, 255, 0, 255}},
	}
}

// A file of format version 1 stays readable for ever. The file is never written anew: -update is for a new version.
func TestRead_GoldenFileOfVersion1(t *testing.T) {
	path := filepath.Join("testdata", "v1.ckpt")
	if *update {
		s, _ := open(t)
		m := write(t, s, meta(123_456, "golden-v1"), goldenRows())
		b, err := os.ReadFile(m.Path)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, b, 0o644))
	}
	s, err := snapshots.Open("testdata")
	require.NoError(t, err)
	list, errs := s.List()
	require.Empty(t, errs)
	require.Len(t, list, 1)
	got, fn := collector()
	require.NoError(t, s.Read(context.Background(), list[0], fn))
	requirePairs(t, goldenRows(), *got)
	want := meta(123_456, "golden-v1")
	want.Rows, want.Path, want.Bytes, want.Digest = 4, path, list[0].Bytes, list[0].Digest
	require.Equal(t, want, list[0])
}

// FuzzRead demands that reading ends with rows in order or a named error, whatever the bytes, right checksums included.
func FuzzRead(f *testing.F) {
	f.Add(fileOf(f, twoBlocks()), false)
	f.Add(fileOf(f, table(20, 30)), true)
	f.Add(fileOf(f, nil), true)
	f.Add([]byte("mbrnckpt"), false)
	f.Fuzz(func(t *testing.T, b []byte, fix bool) {
		if fix {
			b = bytes.Clone(b)
			snapshots.Fix(b)
		}
		var last []byte
		rows := uint64(0)
		m, err := snapshots.ReadFrom(context.Background(), bytes.NewReader(b), int64(len(b)), func(k, v []byte) error {
			require.True(t, rows == 0 || bytes.Compare(k, last) > 0)
			last = bytes.Clone(k)
			rows++
			return nil
		})
		if err != nil {
			require.True(t, errors.Is(err, snapshots.ErrCorrupt) || errors.Is(err, snapshots.ErrNewer), "%v", err)
			return
		}
		require.Equal(t, m.Rows, rows)
	})
}

func BenchmarkStore(b *testing.B) {
	pairs := table(100_000, 600)
	s, _ := open(b)
	var m snapshots.Meta
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			m = write(b, s, meta(1, ""), pairs)
		}
		b.ReportMetric(float64(b.N*len(pairs))/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, s.Read(context.Background(), m, func(k, v []byte) error { return nil }))
		}
		b.ReportMetric(float64(b.N*len(pairs))/b.Elapsed().Seconds(), "rows/s")
	})
}
