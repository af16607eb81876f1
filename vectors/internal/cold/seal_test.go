package cold_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
)

// C4: bytes do not depend on the number of processors.
func TestSeal_GivesTheSameBytes(t *testing.T) {
	s := newClusters(1, 40, 20, 0.7).set(cold.FormFloat32, 3000)
	o := cold.Options{Exact: true, Meta: []byte("seq 7")}
	path, _ := seal(t, s, o)
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	path, _ = seal(t, s, o)
	second, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, second))
	require.Equal(t, o.Meta, open(t, path).Meta())
}

func TestSeal_RefusesWhatIsNoSource(t *testing.T) {
	for name, spoil := range map[string]func(s *set){
		"key twice":       func(s *set) { s.keys[3] = s.keys[5] },
		"no direction":    func(s *set) { clear(s.codes[8:16]) },
		"code of -128":    func(s *set) { s.codes[9] = -128 },
		"other form":      func(s *set) { s.form = cold.FormFloat32; s.floats = make([]float32, len(s.codes)) },
		"unknown form":    func(s *set) { s.form = 3 },
		"dimension":       func(s *set) { s.dim = 0 },
		"link to nowhere": func(s *set) { s.links = func(int) []uint32 { return []uint32{0, 9} } },
	} {
		s := random(1, cold.FormInt8, 8, 9)
		spoil(s)
		path := filepath.Join(t.TempDir(), "shard")
		_, err := cold.Seal(context.Background(), path, s, cold.Options{})
		require.ErrorIs(t, err, cold.ErrSource, name)
		requireNothingBeside(t, path, 0)
	}
	for _, o := range []cold.Options{{Recall: 1}, {Recall: -0.1}, {Meta: make([]byte, cold.MetaMax+1)}} {
		_, err := cold.Seal(context.Background(), filepath.Join(t.TempDir(), "shard"), random(1, cold.FormInt8, 8, 9), o)
		require.ErrorIs(t, err, cold.ErrSource)
	}
}

// requireNothingBeside demands that the folder of path has so many files.
func requireNothingBeside(t *testing.T, path string, files int) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, files)
}

// C3: after an error the old file is there, and nothing else.
func TestSeal_AnErrorLeavesWhatWasThere(t *testing.T) {
	path, _ := seal(t, random(1, cold.FormInt8, 8, 9), cold.Options{})
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	_, err = cold.Seal(ctx, path, random(2, cold.FormInt8, 8, 9), cold.Options{})
	require.ErrorIs(t, err, context.Canceled)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	requireNothingBeside(t, path, 1)
}

// C3: who has the old file open goes on with it.
func TestSeal_ReplacesUnderAnOpenShard(t *testing.T) {
	old, other := random(1, cold.FormInt8, 8, 25), random(2, cold.FormInt8, 8, 20)
	path, _ := seal(t, old, cold.Options{})
	shard := open(t, path)
	_, err := cold.Seal(context.Background(), path, other, cold.Options{})
	require.NoError(t, err)
	requireExact(t, old, shard)
	requireExact(t, other, open(t, path))
}

// The links of a source are taken, whatever they are; where a walk on them finds too little, searches are scans.
func TestSeal_TakesTheGraphOfTheSource(t *testing.T) {
	for name, links := range map[string]func(i int) []uint32{
		"none but one": func(i int) []uint32 {
			if i == 5 {
				return []uint32{6}
			}
			return nil
		},
		"a ring":       func(i int) []uint32 { return []uint32{uint32(i+1) % 3000, uint32(i+2999) % 3000} },
		"all the same": func(int) []uint32 { return []uint32{1, 2, 3, 4} },
		"too many": func(i int) []uint32 {
			many := make([]uint32, 60)
			for j := range many {
				many[j] = uint32(i*7+j*31) % 3000
			}
			return many
		},
	} {
		c := newClusters(4, 32, 20, 0.7)
		s := c.set(cold.FormInt8, 3000)
		s.links = links
		path, info := seal(t, s, cold.Options{})
		shard := open(t, path)
		scratch := cold.NewScratch()
		require.GreaterOrEqual(t, info.Recall, 0.97, name)
		sum := 0.0
		for range 50 {
			q := rowOf(s.form, c.draw())
			hits, err := shard.Search(q, 10, nil, scratch)
			require.NoError(t, err)
			sum += share(hits, nearest(s, q, 10, nil))
		}
		require.GreaterOrEqual(t, sum/50, 0.96, name)
		hits, err := shard.Search(s.Row(7), 3000, nil, scratch)
		require.NoError(t, err)
		require.Len(t, hits, 3000, name)
	}
}

// A graph of which each vector has the exact neighbours serves as well as the one that Seal builds.
func TestSeal_AGoodGraphGivesGoodAnswers(t *testing.T) {
	c := newClusters(4, 32, 20, 0.7)
	s := c.set(cold.FormInt8, 2000)
	of := make(map[uint32]uint32, s.Len())
	for i, key := range s.keys {
		of[key] = uint32(i)
	}
	r := rand.New(rand.NewPCG(3, 3))
	neighbours := make([][]uint32, s.Len())
	for i := range neighbours {
		for _, h := range nearest(s, s.Row(i), 25, nil) {
			neighbours[i] = append(neighbours[i], of[h.Key])
		}
		for range 5 {
			neighbours[i] = append(neighbours[i], uint32(r.IntN(s.Len())))
		}
	}
	s.links = func(i int) []uint32 { return neighbours[i] }
	requireRecall(t, s, cold.Options{}, c.draw, 10, 0.95)
}
