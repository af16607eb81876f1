package fingerprints_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/fingerprints"
	"github.com/stretchr/testify/require"
)

func TestIndex_FindsLiveOrdinalsOfAFingerprint(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, want := fingerprints.New(), map[uint32]model.Fingerprint{}
	for range 3000 {
		ordinal, f := rng.Uint32N(200), model.Fingerprint(rng.IntN(40))
		if rng.IntN(3) == 0 {
			_, there := want[ordinal]
			require.Equal(t, there, x.Remove(ordinal))
			delete(want, ordinal)
			continue
		}
		x.Add(ordinal, f)
		want[ordinal] = f
		var all []uint32
		for o, g := range want {
			if g == f {
				all = append(all, o)
			}
		}
		slices.Sort(all)
		require.Equal(t, all, x.Ordinals(f, nil))
		require.Equal(t, []uint32{ordinal}, x.Ordinals(f, roaring.BitmapOf(ordinal)))
		require.Equal(t, len(want), x.Len())
		require.EqualValues(t, len(want), x.Keys().GetCardinality())
	}
}

var header = fingerprints.Header{Namespace: 3, StoreID: [16]byte{7}, Epoch: 2, Seq: 99}

func some() *fingerprints.Index {
	x := fingerprints.New()
	for i := range uint32(50) {
		x.Add(i*3, model.Fingerprint(i%20)<<40)
	}
	return x
}

func TestFile_ComesBackEqual(t *testing.T) {
	path := filepath.Join(t.TempDir(), "3.fp")
	_, _, err := fingerprints.LoadFile(path, header)
	require.ErrorIs(t, err, fingerprints.ErrRebuild)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, fingerprints.WriteFile(path, some().Bytes(header)))
	got, h, err := fingerprints.LoadFile(path, header)
	require.NoError(t, err)
	require.Equal(t, header, h)
	require.Equal(t, some().Bytes(header), got.Bytes(header))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestParse_RefusesDamageAnywhereAndStrangers(t *testing.T) {
	b := some().Bytes(header)
	for at := range b {
		_, _, err := fingerprints.Parse(b[:at], header)
		require.ErrorIs(t, err, fingerprints.ErrRebuild, "cut at %d", at)
		flipped := slices.Clone(b)
		flipped[at] ^= 1 << (at % 8)
		_, _, err = fingerprints.Parse(flipped, header)
		require.ErrorIs(t, err, fingerprints.ErrRebuild, "flipped at %d", at)
	}
	_, _, err := fingerprints.Parse(append(slices.Clone(b), 0), header)
	require.ErrorIs(t, err, fingerprints.ErrRebuild)
	for _, stranger := range []fingerprints.Header{{Namespace: 4, StoreID: header.StoreID, Epoch: 2}, {Namespace: 3, Epoch: 2}, {Namespace: 3, StoreID: header.StoreID, Epoch: 3}} {
		_, _, err := fingerprints.Parse(b, stranger)
		require.ErrorIs(t, err, fingerprints.ErrRebuild)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(some().Bytes(header))
	f.Add(fingerprints.New().Bytes(header))
	f.Fuzz(func(t *testing.T, b []byte) {
		if x, h, err := fingerprints.Parse(b, header); err == nil {
			require.Equal(t, b, x.Bytes(h))
		}
	})
}
