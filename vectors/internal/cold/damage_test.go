package cold_test

import (
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

// probe asks a shard everything that touches every part of the file.
func probe(s *set, shard *cold.Shard, scratch *cold.Scratch) (hits []cold.Hit, similarities []float32, err error) {
	q := rowOf(s.form, gaussian(rand.New(rand.NewPCG(4, 4)), s.dim))
	for _, k := range []int{3, 2 * s.Len()} {
		some, err := shard.Search(q, k, nil, scratch)
		if err != nil {
			return nil, nil, err
		}
		hits = append(hits, some...)
	}
	some, err := shard.Search(q, 5, roaring.BitmapOf(s.keys[1], s.keys[2], s.keys[7]), scratch)
	if err != nil {
		return nil, nil, err
	}
	hits = append(hits, some...)
	similarities, err = shard.Similarity(q, s.keys, nil, scratch)
	return hits, similarities, err
}

// requireErrorOrSame opens a file that may be damaged.
func requireErrorOrSame(t *testing.T, s *set, path string, scratch *cold.Scratch, hits []cold.Hit, similarities []float32, what string, at int) (refused bool) {
	shard, err := cold.Open(path)
	if err != nil {
		require.ErrorIs(t, err, cold.ErrRebuild, "%s %d", what, at)
		return true
	}
	gotHits, gotSimilarities, err := probe(s, shard, scratch)
	closed := shard.Close()
	if err != nil {
		require.ErrorIs(t, err, cold.ErrRebuild, "%s %d", what, at)
		require.ErrorIs(t, shard.Err(), cold.ErrRebuild, "%s %d", what, at)
		return true
	}
	if !slices.Equal(hits, gotHits) || !slices.Equal(similarities, gotSimilarities) || closed != nil {
		require.Fail(t, "another answer", "%s %d: %v", what, at, closed)
	}
	return false
}

// C2: every byte and every cut.
func TestOpen_EveryDamageIsFoundOrHarmless(t *testing.T) {
	for _, form := range []cold.Form{cold.FormInt8, cold.FormFloat32} {
		s := random(5, form, 40, 60)
		path, _ := seal(t, s, cold.Options{Exact: true, Meta: []byte("meta")})
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		scratch := cold.NewScratch()
		hits, similarities, err := probe(s, open(t, path), scratch)
		require.NoError(t, err)
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		t.Cleanup(func() { _ = file.Close() })
		refused := 0
		for i := range b {
			flip := byte(1) << (i % 8)
			if i%5 == 0 {
				flip = 0xff
			}
			write(t, file, i, b[i]^flip)
			if requireErrorOrSame(t, s, path, scratch, hits, similarities, "byte", i) {
				refused++
			}
			write(t, file, i, b[i])
		}
		t.Logf("%d bytes, %d flips refused", len(b), refused)
		require.Greater(t, refused, len(b)*9/10)
		requireErrorOrSame(t, s, path, scratch, hits, similarities, "nothing", 0)
		for i := len(b) - 1; i >= 0; i-- {
			require.NoError(t, file.Truncate(int64(i)))
			_, err := cold.Open(path)
			require.ErrorIs(t, err, cold.ErrRebuild, "cut to %d", i)
		}
		require.NoError(t, os.WriteFile(path, append(b, 0), 0o600))
		_, err = cold.Open(path)
		require.ErrorIs(t, err, cold.ErrRebuild)
	}
}

func write(t *testing.T, file *os.File, at int, b byte) {
	_, err := file.WriteAt([]byte{b}, int64(at))
	require.NoError(t, err)
}

func TestOpen_RefusesTheForeign(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent")
	_, err := cold.Open(absent)
	require.ErrorIs(t, err, cold.ErrRebuild)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = cold.Open(t.TempDir())
	require.ErrorIs(t, err, cold.ErrRebuild)
	require.NoError(t, os.WriteFile(absent, make([]byte, 3*4096), 0o600))
	_, err = cold.Open(absent)
	require.ErrorContains(t, err, "not a cold shard")

	path, _ := seal(t, random(5, cold.FormInt8, 40, 9), cold.Options{})
	rewrite(t, path, func(b []byte) { b[8] = 2 })
	_, err = cold.Open(path)
	require.ErrorContains(t, err, "version 2")
}

// rewrite changes a file and sets the checksum of its header right.
func rewrite(t testing.TB, path string, change func(b []byte)) {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	change(b)
	fixHeader(b)
	require.NoError(t, os.WriteFile(path, b, 0o600))
}

func fixHeader(b []byte) {
	if len(b) >= 4096 {
		binary.LittleEndian.PutUint32(b[4092:], crc32.Checksum(b[:4092], crc32.MakeTable(crc32.Castagnoli)))
	}
}

// A right checksum does not make a wrong header right.
func TestOpen_RefusesTheForged(t *testing.T) {
	put := binary.LittleEndian.PutUint32
	for name, forge := range map[string]func(b []byte){
		"form":       func(b []byte) { b[10] = 3 },
		"bits":       func(b []byte) { b[11] = 2 },
		"dim":        func(b []byte) { put(b[12:], 1<<31) },
		"dim 0":      func(b []byte) { put(b[12:], 0) },
		"dim 65":     func(b []byte) { put(b[12:], 65) },
		"count":      func(b []byte) { put(b[16:], 1<<31) },
		"count 10":   func(b []byte) { put(b[16:], 10) },
		"entries":    func(b []byte) { put(b[20:], 10) },
		"no entries": func(b []byte) { put(b[20:], 0) },
		"links":      func(b []byte) { put(b[24:], 33) },
		"width":      func(b []byte) { put(b[28:], 0) },
		"width 2^31": func(b []byte) { put(b[28:], 1<<31) },
		"rescore":    func(b []byte) { put(b[32:], 0) },
		"exact":      func(b []byte) { b[36] = 1 },
		"reserved":   func(b []byte) { b[37] = 1 },
		"meta":       func(b []byte) { put(b[40:], 1<<20) },
		"slack":      func(b []byte) { put(b[56:], 0x7fc00000) },
		"size":       func(b []byte) { put(b[48:], 1) },
		"section":    func(b []byte) { put(b[64:], 1) },
		"sum":        func(b []byte) { put(b[64+16:], 1) },
	} {
		path, _ := seal(t, random(5, cold.FormInt8, 40, 9), cold.Options{})
		rewrite(t, path, forge)
		_, err := cold.Open(path)
		require.ErrorIs(t, err, cold.ErrRebuild, name)
	}
}

func FuzzOpen(f *testing.F) {
	s := random(5, cold.FormFloat32, 5, 9)
	path, _ := seal(f, s, cold.Options{Exact: true})
	b, err := os.ReadFile(path)
	require.NoError(f, err)
	f.Add(b[:4096], 0, byte(0))
	f.Add(b[:4096], 16, byte(1))
	f.Add(b[:100], 20, byte(0xff))
	f.Fuzz(func(t *testing.T, head []byte, at int, flip byte) {
		whole := slices.Clone(b)
		copy(whole, head)
		if at >= 0 && at < len(whole) {
			whole[at] ^= flip
		}
		fixHeader(whole)
		path := filepath.Join(t.TempDir(), "shard")
		require.NoError(t, os.WriteFile(path, whole, 0o600))
		shard, err := cold.Open(path)
		if err != nil {
			require.ErrorIs(t, err, cold.ErrRebuild)
			return
		}
		if _, _, err := probe(s, shard, cold.NewScratch()); err != nil {
			require.ErrorIs(t, err, cold.ErrRebuild)
		}
		require.NoError(t, shard.Close())
	})
}
