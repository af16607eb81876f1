package vectors_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

func sealCold(t testing.TB, ix *vectors.Flat) string {
	path := filepath.Join(t.TempDir(), "shard")
	_, err := vectors.SealCold(context.Background(), path, header, ix.ColdSource(), vectors.ColdOptions{})
	require.NoError(t, err)
	return path
}

// V1: what a shard finds has the bits that a flat scan gives it.
func TestCold_AnswersAsTheFlatIndexItWasMadeOf(t *testing.T) {
	for _, form := range forms {
		ix := filled(t, form, 48, 3000)
		c, got, err := vectors.OpenCold(sealCold(t, ix), vectors.Header{Namespace: header.Namespace, EmbedderID: header.EmbedderID})
		require.NoError(t, err)
		require.Equal(t, header, got)
		require.Equal(t, ix.Len(), c.Len())
		require.Equal(t, 48, c.Dim())
		require.Equal(t, form, c.Form())
		require.True(t, ix.Keys().Equals(c.Keys()))
		r := rand.New(rand.NewPCG(1, 1))
		keys := ix.Keys().ToArray()
		found := 0
		for range 30 {
			q := randomVector(r, form, 48, 127)
			want := ix.Similarity(q, keys, nil)
			similarities, err := c.Similarity(q, keys, nil)
			require.NoError(t, err)
			require.Equal(t, want, similarities)
			hits, err := c.Search(q, 10, nil)
			require.NoError(t, err)
			require.Len(t, hits, 10)
			exact := ix.Search(q, 10, nil)
			for i, h := range hits {
				require.Equal(t, ix.Similarity(q, []uint32{h.Key}, nil)[0], h.Similarity)
				if h == exact[i] {
					found++
				}
			}
			few := roaring.BitmapOf(keys[3:20]...)
			hits, err = c.Search(q, 10, few)
			require.NoError(t, err)
			require.Equal(t, ix.Search(q, 10, few), hits)
		}
		require.Greater(t, found, 200)
		require.NoError(t, c.Err())
		require.NoError(t, c.Close())
	}
}

func TestCold_AWrongQueryFindsNothing(t *testing.T) {
	c, _, err := vectors.OpenCold(sealCold(t, filled(t, vectors.FormInt8, 8, 30)), header)
	require.NoError(t, err)
	for _, q := range []vectors.Embedding{{}, {Form: vectors.FormInt8, Int8: make([]int8, 8)}, {Form: vectors.FormFloat32, Float32: make([]float32, 8)}} {
		hits, err := c.Search(q, 3, nil)
		require.NoError(t, err)
		require.Empty(t, hits)
		similarities, err := c.Similarity(q, []uint32{1, 2}, nil)
		require.NoError(t, err)
		require.Len(t, similarities, 2)
		require.True(t, math.IsNaN(float64(similarities[0])))
	}
	require.NoError(t, c.Close())
}

func TestOpenCold_RefusesTheForeignAndTheDamaged(t *testing.T) {
	path := sealCold(t, filled(t, vectors.FormInt8, 8, 30))
	other := header
	other.Namespace++
	_, _, err := vectors.OpenCold(path, other)
	require.ErrorIs(t, err, vectors.ErrRebuild)
	require.ErrorContains(t, err, "namespace 7, want 8")
	other = header
	other.EmbedderID += "x"
	_, _, err = vectors.OpenCold(path, other)
	require.ErrorIs(t, err, vectors.ErrRebuild)
	_, _, err = vectors.OpenCold(path+"x", header)
	require.ErrorIs(t, err, vectors.ErrRebuild)
	require.ErrorIs(t, err, os.ErrNotExist)

	c, _, err := vectors.OpenCold(path, header)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, 4096))
	_, err = c.Search(randomVector(rand.New(rand.NewPCG(1, 1)), vectors.FormInt8, 8, 127), 30, nil)
	require.ErrorIs(t, err, vectors.ErrRebuild)
	require.ErrorIs(t, c.Err(), vectors.ErrRebuild)
	require.NoError(t, c.Close())
}
