package mem_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/mem"
	"github.com/stretchr/testify/require"
)

// write makes a file of n bytes that count up.
func write(t testing.TB, n int) (path string, contents []byte) {
	contents = make([]byte, n)
	for i := range contents {
		contents[i] = byte(i * 7)
	}
	path = filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, contents, 0o600))
	return path, contents
}

func open(t testing.TB, path string, size int64) *mem.File {
	f, err := mem.OpenFile(path, size)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func TestOpenFile_ShowsTheBytes(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 100_000} {
		path, contents := write(t, n)
		f := open(t, path, int64(n))
		require.Equal(t, n, f.Len())
		require.True(t, bytes.Equal(contents, f.Bytes()))
		require.NoError(t, f.CheckSize())
	}
	path, contents := write(t, 5000)
	f := open(t, path, -1)
	require.NoError(t, os.Remove(path))
	require.True(t, bytes.Equal(contents, f.Bytes()), "a deleted file still serves")
}

func TestOpenFile_RefusesAnotherSize(t *testing.T) {
	path, _ := write(t, 5000)
	for _, size := range []int64{0, 4999, 5001} {
		_, err := mem.OpenFile(path, size)
		require.ErrorIs(t, err, mem.ErrSize)
		require.ErrorContains(t, err, "5000 bytes")
	}
	_, err := mem.OpenFile(path+"x", 1)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = mem.OpenFile(t.TempDir(), -1)
	require.ErrorContains(t, err, "regular")
}

func TestFile_AdviceTakesAnyRange(t *testing.T) {
	for _, n := range []int{0, 1, 10_000} {
		path, contents := write(t, n)
		f := open(t, path, int64(n))
		for _, r := range [][2]int{{0, n}, {-5, 3}, {n, 1}, {n - 1, 1}, {5000, 1 << 40}, {4097, 0}, {1, -1}} {
			f.AdviseRandom(r[0], r[1])
			f.AdviseWillNeed(r[0], r[1])
			f.AdviseDontNeed(r[0], r[1])
		}
		require.True(t, bytes.Equal(contents, f.Bytes()))
	}
}

func TestFile_CloseUnmaps(t *testing.T) {
	path, _ := write(t, 5000)
	f, err := mem.OpenFile(path, 5000)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Nil(t, f.Bytes())
	require.ErrorIs(t, f.Close(), fs.ErrClosed)
	require.ErrorIs(t, f.CheckSize(), fs.ErrClosed)
}

func TestGuard_LetsResultsAndPanicsThrough(t *testing.T) {
	path, _ := write(t, 5000)
	f := open(t, path, 5000)
	ours := errors.New("ours")
	require.NoError(t, f.Guard(func() error { return nil }))
	require.ErrorIs(t, f.Guard(func() error { return ours }), ours)
	require.PanicsWithValue(t, "a bug", func() { _ = f.Guard(func() error { panic("a bug") }) })
	var nowhere *int
	require.Panics(t, func() { _ = f.Guard(func() error { *nowhere = 1; return nil }) }, "a fault elsewhere is nobody's file")
	require.Panics(t, func() { _ = f.Guard(func() error { return errors.New(string(f.Bytes()[5000])) }) }, "an index out of range is a bug")
}

func TestFile_ConcurrentReaders(t *testing.T) {
	path, contents := write(t, 100_000)
	f := open(t, path, 100_000)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				f.AdviseDontNeed(0, f.Len())
				err := f.Guard(func() error {
					if !bytes.Equal(contents, f.Bytes()) {
						return errors.New("other bytes")
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	readers.Wait()
}
