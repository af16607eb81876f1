package vectors_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

var header = vectors.Header{Namespace: 7, Seq: 1 << 40, EmbedderID: "builtin-1/ab12/256"}

// filled makes an index of n vectors under scattered keys.
func filled(t testing.TB, form vectors.Form, dim, n int) *vectors.Flat {
	r := rand.New(rand.NewPCG(uint64(dim), uint64(n)))
	ix := vectors.NewFlat(dim, form)
	for i := range uint32(n) {
		require.NoError(t, ix.Add(i*i*2654435761+i, randomVector(r, form, dim, 127)))
	}
	return ix
}

func save(t testing.TB, ix *vectors.Flat) (path string, b []byte) {
	path = filepath.Join(t.TempDir(), "flat")
	require.NoError(t, ix.SaveFile(path, header))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return path, b
}

func TestLoadFile_GivesTheSameIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, form := range forms {
		for _, n := range []int{0, 1, 1023, 1024, 1025, 3000} {
			ix := filled(t, form, 33, n)
			path, saved := save(t, ix)
			got, h, err := vectors.LoadFile(path, vectors.Header{Namespace: 7, EmbedderID: header.EmbedderID})
			require.NoError(t, err)
			require.Equal(t, header, h)
			require.Equal(t, ix.Len(), got.Len())
			for range 5 {
				q := randomVector(r, form, 33, 127)
				require.Equal(t, ix.Search(q, n, nil), got.Search(q, n, nil))
			}
			_, again := save(t, got)
			require.Equal(t, saved, again)
			require.NoError(t, got.Add(5, randomVector(r, form, 33, 127)))
			require.True(t, got.Remove(5))
		}
	}
}

func requireRebuild(t *testing.T, path string, want vectors.Header, what ...any) error {
	t.Helper()
	ix, _, err := vectors.LoadFile(path, want)
	require.ErrorIs(t, err, vectors.ErrRebuild, what...)
	require.Nil(t, ix, what...)
	return err
}

func TestLoadFile_RefusesTheForeign(t *testing.T) {
	path, b := save(t, filled(t, vectors.FormInt8, 8, 3))
	other := header
	other.Namespace++
	require.ErrorContains(t, requireRebuild(t, path, other), "namespace 7, want 8")
	other = header
	other.EmbedderID += "x"
	require.ErrorContains(t, requireRebuild(t, path, other), "another embedder")

	absent := filepath.Join(t.TempDir(), "absent")
	require.ErrorIs(t, requireRebuild(t, absent, header), fs.ErrNotExist)
	requireRebuild(t, t.TempDir(), header)

	binary.LittleEndian.PutUint16(b[8:], 2)
	require.NoError(t, os.WriteFile(path, fix(b), 0o600))
	require.ErrorContains(t, requireRebuild(t, path, header), "version 2")
	require.NoError(t, os.WriteFile(path, []byte("SQLite format 3, or anything else that is long enough to hold a whole header of this format"), 0o600))
	require.ErrorContains(t, requireRebuild(t, path, header), "not a flat index")
}

// V4: every byte and every cut, of both forms.
func TestLoadFile_RefusesEveryDamage(t *testing.T) {
	for _, form := range forms {
		path, b := save(t, filled(t, form, 9, 12))
		put := func(b []byte) { require.NoError(t, os.WriteFile(path, b, 0o600)) }
		for i := range b {
			for _, flip := range []byte{1, 0x80, 0xff} {
				b[i] ^= flip
				put(b)
				requireRebuild(t, path, header, "byte %d", i)
				b[i] ^= flip
			}
			put(b[:i])
			requireRebuild(t, path, header, "cut to %d", i)
		}
		put(append(bytes.Clone(b), 0))
		requireRebuild(t, path, header)
		put(b)
		_, _, err := vectors.LoadFile(path, header)
		require.NoError(t, err)
	}
}

// Right checksums do not make wrong contents right.
func TestLoadFile_RefusesTheForged(t *testing.T) {
	for name, forge := range map[string]func(b []byte){
		"count":        func(b []byte) { binary.LittleEndian.PutUint64(b[60:], 1<<32) },
		"count 64":     func(b []byte) { binary.LittleEndian.PutUint64(b[60:], 1<<63+3) },
		"count, size":  func(b []byte) { binary.LittleEndian.PutUint64(b[60:], 4); binary.LittleEndian.PutUint64(b[68:], 144) },
		"dim":          func(b []byte) { binary.LittleEndian.PutUint32(b[12:], 1<<31) },
		"dim 0":        func(b []byte) { binary.LittleEndian.PutUint32(b[12:], 0) },
		"form":         func(b []byte) { b[10] = 3 },
		"reserved":     func(b []byte) { b[11] = 1 },
		"reserved 2":   func(b []byte) { b[80] = 1 },
		"key twice":    func(b []byte) { copy(b[88:92], b[92:96]) },
		"zero vector":  func(b []byte) { clear(b[100:108]) },
		"code of -128": func(b []byte) { b[100] = 0x80 },
	} {
		path, b := save(t, filled(t, vectors.FormInt8, 8, 3))
		forge(b)
		require.NoError(t, os.WriteFile(path, fix(b), 0o600))
		requireRebuild(t, path, header, name)
	}
	path, b := save(t, filled(t, vectors.FormFloat32, 8, 3))
	binary.LittleEndian.PutUint32(b[100:], 0x7fc00000)
	require.NoError(t, os.WriteFile(path, fix(b), 0o600))
	require.ErrorIs(t, requireRebuild(t, path, header), vectors.ErrEmbeddingInvalid)
}

func TestLoadFile_RefusesBlocksThatChangedPlaces(t *testing.T) {
	path, b := save(t, filled(t, vectors.FormInt8, 4, 2048))
	const block = 1024*8 + 4
	require.Len(t, b, 88+2*block)
	exchanged := bytes.Join([][]byte{b[:88], b[88+block:], b[88 : 88+block]}, nil)
	require.NoError(t, os.WriteFile(path, exchanged, 0o600))
	require.ErrorContains(t, requireRebuild(t, path, header), "checksum")
}

// fix sets the checksums of the header and of a file's only block right.
func fix(b []byte) []byte {
	table := crc32.MakeTable(crc32.Castagnoli)
	if len(b) >= 88 {
		binary.LittleEndian.PutUint32(b[84:], crc32.Checksum(b[:84], table))
	}
	if end := len(b) - 4; end > 88 {
		sum := crc32.Update(crc32.Checksum(make([]byte, 8), table), table, b[88:end])
		binary.LittleEndian.PutUint32(b[end:], sum)
	}
	return b
}

func TestSaveFile_AnErrorLeavesWhatWasThere(t *testing.T) {
	ix := filled(t, vectors.FormInt8, 8, 3)
	dir := t.TempDir()
	path := filepath.Join(dir, "flat")
	require.NoError(t, os.MkdirAll(filepath.Join(path, "in the way"), 0o700))
	require.Error(t, ix.SaveFile(path, header))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file remains")
	require.Error(t, ix.SaveFile(filepath.Join(dir, "absent", "flat"), header))
}

func FuzzLoad(f *testing.F) {
	for _, form := range forms {
		_, b := save(f, filled(f, form, 5, 3))
		f.Add(b, true)
		f.Add(b, false)
	}
	f.Add([]byte("mbrnflat"), true)
	f.Fuzz(func(t *testing.T, b []byte, right bool) {
		if right {
			b = fix(bytes.Clone(b))
		}
		ix, h, err := vectors.Read(bytes.NewReader(b), int64(len(b)), header)
		if err != nil {
			return
		}
		path := filepath.Join(t.TempDir(), "again")
		require.NoError(t, ix.SaveFile(path, h))
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, b, again)
	})
}
