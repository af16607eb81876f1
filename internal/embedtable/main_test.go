package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sourceOf writes a source of n words with random vectors around a common mean and one loud axis.
func sourceOf(t *testing.T, n int) string {
	rnd := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString(`{"precision":8,"words":["the"],"vectors":{`)
	for rank := range n {
		loud := 50 * rnd.NormFloat64()
		fmt.Fprintf(&b, `"w%d":[`, rank)
		for i := range dim {
			fmt.Fprintf(&b, "%.6f,", 3+rnd.NormFloat64()+loud*float64(i%2))
		}
		fmt.Fprintf(&b, "1.5,%d],", rank)
	}
	dir := t.TempDir()
	text := strings.TrimSuffix(b.String(), ",") + `},"unkVector":[]}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, sourceName), []byte(text), 0o644))
	return dir
}

func TestReadSource_TakesTheFirstWordsInOrder(t *testing.T) {
	words, rows, err := readSource(filepath.Join(sourceOf(t, 5), sourceName), 3)
	require.NoError(t, err)
	require.Equal(t, []string{"w0", "w1", "w2"}, words)
	require.Len(t, rows, 3)
	require.Len(t, rows[2], dim)
}

func TestReadSource_RefusesAnotherFile(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":      `hello`,
		"no vectors":   `{"words":[]}`,
		"short vector": `{"vectors":{"the":[1,2,0]}}`,
		"other rank":   `{"vectors":{"the":[` + strings.Repeat("1,", dim+1) + `7]}}`,
		"too few":      `{"vectors":{}}`,
	} {
		path := filepath.Join(t.TempDir(), sourceName)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		_, _, err := readSource(path, 1)
		require.Error(t, err, name)
	}
}

func TestRemoveCommon_TakesOutMeanAndLoudAxis(t *testing.T) {
	_, rows, err := readSource(filepath.Join(sourceOf(t, 400), sourceName), 400)
	require.NoError(t, err)
	loud := make([]float64, dim)
	for i := range loud {
		loud[i] = float64(i % 2)
	}
	unit(loud)
	removeCommon(rows, 400, 1)
	mean := make([]float64, dim)
	for _, row := range rows {
		require.Less(t, math.Abs(dot(row, loud)), 3.0, "the axis had a spread of 350, and neighbours keep one of 1")
		for i, x := range row {
			mean[i] += x / 400
		}
	}
	require.Less(t, maxAbs(mean), 1e-9)
}

func TestLeading_FindsTheEigenvector(t *testing.T) {
	m := make([][]float64, dim)
	for i := range m {
		m[i] = make([]float64, dim)
		m[i][i] = 1
	}
	m[7][7], m[9][9] = 5, 3
	value, axis := leading(m)
	require.InDelta(t, 5, value, 1e-9)
	require.InDelta(t, 1, math.Abs(axis[7]), 1e-9)
	deflate(m, value, axis)
	value, axis = leading(m)
	require.InDelta(t, 3, value, 1e-9)
	require.InDelta(t, 1, math.Abs(axis[9]), 1e-9)
}

func TestEncodeTable_GoldenBytes(t *testing.T) {
	rows := [][]float64{make([]float64, dim), make([]float64, dim)}
	rows[0][0], rows[0][99] = 2, -1
	rows[1][1] = -0.5
	b, err := encodeTable([]string{"the", "guitar"}, rows)
	require.NoError(t, err)
	head := "mbstat01" + "\x02\x00\x00\x00" + "\x64\x00\x00\x00" + "\x0a\x00\x00\x00" + "the\nguitar"
	require.Equal(t, head, string(b[:len(head)]))
	b = b[len(head):]
	require.Equal(t, uint16(65535), binary.LittleEndian.Uint16(b))
	require.Equal(t, uint16(16384), binary.LittleEndian.Uint16(b[2:]))
	codes := b[4:]
	require.Len(t, codes, 2*dim)
	for at, want := range map[int]int8{0: 127, 1: 0, 99: -64, 100: 0, 101: -127} {
		require.Equal(t, want, int8(codes[at]), "code %d", at)
	}
	_, err = encodeTable([]string{"a\nb", "c"}, rows)
	require.Error(t, err)
}

func TestRun_NeedsBothFolders(t *testing.T) {
	require.ErrorContains(t, run("", "x"), "-source")
	require.ErrorContains(t, run("x", ""), "-out")
}
