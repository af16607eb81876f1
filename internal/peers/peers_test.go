package main

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

// The checksum stands in the test of membraind bench vectors too: both draw the same vectors.
func TestClusters_AreThoseOfTheBench(t *testing.T) {
	c := newClusters()
	sum := crc32.NewIEEE()
	for range 20 {
		for _, x := range c.draw() {
			require.NoError(t, binary.Write(sum, binary.LittleEndian, int32(math.Round(float64(x)*10_000))))
		}
	}
	require.Equal(t, uint32(0x384671cf), sum.Sum32())
}

func TestVectors_ComeBackFromTheirFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.fvecs")
	rows := [][]float32{{1, -2.5, 0}, {float32(math.Pi), 3, 4}}
	require.NoError(t, writeVectors(path, rows))
	got, err := readVectors(path)
	require.NoError(t, err)
	require.Equal(t, rows, got)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)-1], 0o600))
	_, err = readVectors(path)
	require.ErrorContains(t, err, "row 1 is cut")
}

func TestReadGlove_FindsTheMemberAndCutsWhatFollowsAVector(t *testing.T) {
	path := filepath.Join(t.TempDir(), "glove.json")
	row := "3,4" + zeros(98)
	text := `{"size":2,"words":["vectors","a"],"vectors":{"vectors":[` + row + `,5,0],"a":[` + row + `,5,1]}}`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	got, err := readGlove(path, 3)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Len(t, got[0], gloveDim)
	require.InDeltaSlice(t, []float32{0.6, 0.8}, got[0][:2], 1e-6)
	require.NoError(t, os.WriteFile(path, []byte(`{"words":[]}`), 0o600))
	_, err = readGlove(path, 1)
	require.ErrorContains(t, err, "vectors")
}

func zeros(n int) (s string) {
	for range n {
		s += ",0"
	}
	return s
}

// Widths reach the index, more of them find more, and recall is counted against the ids of the truth file.
func TestAsk_MeasuresAtTheWidthsAskedFor(t *testing.T) {
	dir := t.TempDir()
	c := newClusters()
	var rows [][]float32
	for range 12_500 {
		rows = append(rows, c.draw())
	}
	base, questions := rows[queriesLess:], rows[:queriesLess]
	require.NoError(t, writeVectors(filepath.Join(dir, "x.base.fvecs"), base))
	require.NoError(t, writeVectors(filepath.Join(dir, "x.query.fvecs"), questions))
	flat := vectors.NewFlat(clusterDim, vectors.FormInt8)
	for i, v := range base {
		require.NoError(t, flat.Add(uint32(i), embed(vectors.FormInt8, v)))
	}
	var truth []byte
	for _, q := range questions {
		truth = binary.LittleEndian.AppendUint32(truth, nearest)
		for _, h := range flat.Search(embed(vectors.FormInt8, q), nearest, nil) {
			truth = binary.LittleEndian.AppendUint32(truth, h.Key)
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x.truth.ivecs"), truth, 0o600))
	built, err := build(dir, "x", "membrain-int8")
	require.NoError(t, err)
	require.Positive(t, built.CPUSeconds)
	require.Greater(t, built.BytesPerVector, 384.0)
	points, err := ask(dir, "x", "membrain-int8", []int{16, 256})
	require.NoError(t, err)
	require.Equal(t, 256, points[1].Ef)
	require.Greater(t, points[1].Recall, points[0].Recall-0.001)
	require.Greater(t, points[1].Recall, 0.99)
	require.Greater(t, points[0].Queries, points[1].Queries)
}

const queriesLess = 100

func TestMedians_AreThoseOfRates(t *testing.T) {
	got := medians([][]Point{{{Ef: 1, Queries: 9}}, {{Ef: 1, Queries: 1}}, {{Ef: 1, Queries: 5}}})
	require.Equal(t, []Point{{Ef: 1, Queries: 5}}, got)
}

func TestCommand_SaysWhatItWants(t *testing.T) {
	require.ErrorContains(t, command(nil), "data, build, run")
	require.ErrorContains(t, command([]string{"data"}), "--dir")
	require.ErrorContains(t, command([]string{"plot", "--dir", "x"}), "data, build, run")
}
