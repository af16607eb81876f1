package vectors_test

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/vectors"
)

func int8s(v ...int8) vectors.Embedding {
	return vectors.Embedding{Form: vectors.FormInt8, Int8: v}
}

func floats(v ...float32) vectors.Embedding {
	return vectors.Embedding{Form: vectors.FormFloat32, Float32: v}
}

func TestEmbedding_AUT_2_GoldenBytes(t *testing.T) {
	for _, c := range []struct {
		name, want string
		e          vectors.Embedding
	}{
		{"int8", "0103017f81", int8s(1, 127, -127)},
		{"float32", "02020000803f000000c0", floats(1, -2)},
		{"negative zero and infinity survive", "020200000080" + "0000807f", floats(float32(math.Copysign(0, -1)), float32(math.Inf(1)))},
		{"a payload of NaN survives", "02010100c07f", floats(math.Float32frombits(0x7fc00001))},
		{"two bytes of dimension", "018001" + strings.Repeat("05", 128), int8s([]int8(repeat(5, 128))...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := c.e.AppendBinary([]byte{0xaa})
			require.Equal(t, "aa"+c.want, hex.EncodeToString(b))
			got, rest, err := vectors.ParseEmbedding(append(b[1:], 0xbb))
			require.NoError(t, err)
			require.Equal(t, []byte{0xbb}, rest)
			require.Equal(t, b[1:], got.AppendBinary(nil))
		})
	}
}

func repeat(x int8, n int) []int8 {
	v := make([]int8, n)
	for i := range v {
		v[i] = x
	}
	return v
}

func TestParseEmbedding_RefusesEveryCut(t *testing.T) {
	for _, e := range []vectors.Embedding{int8s(repeat(3, 200)...), floats(1, 2, 3)} {
		b := e.AppendBinary(nil)
		for n := range b {
			_, _, err := vectors.ParseEmbedding(b[:n])
			require.ErrorIs(t, err, vectors.ErrEmbeddingBytes, "cut to %d of %d bytes", n, len(b))
		}
	}
}

func TestParseEmbedding_RefusesWhatIsNoEmbedding(t *testing.T) {
	for name, b := range map[string][]byte{
		"unknown form":           {3, 1, 0},
		"form zero":              {0, 1, 0},
		"dimension zero":         {1, 0, 0},
		"longer uvarint":         {1, 0x81, 0x00, 5},
		"dimension over the max": {1, 0x81, 0x80, 0x01, 5},
		"dimension of 64 bits":   {2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"unfinished uvarint":     {1, 0x80, 0x80},
	} {
		_, _, err := vectors.ParseEmbedding(b)
		require.ErrorIs(t, err, vectors.ErrEmbeddingBytes, name)
	}
}

func TestEmbedding_Validate(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		name string
		e    vectors.Embedding
		dim  int
		want string // part of the error; "" is valid
	}{
		{"int8", int8s(0, -127, 127), 3, ""},
		{"float32", floats(0, 1e-40), 2, ""},
		{"zero value", vectors.Embedding{}, 3, "form 0, allowed are int8 (1) and float32 (2)"},
		{"wrong dimension", int8s(1, 2), 3, "2 dimensions, allowed are exactly 3"},
		{"numbers of the other form", vectors.Embedding{Form: vectors.FormInt8, Float32: []float32{1}}, 1, "0 dimensions, allowed are exactly 1"},
		{"both forms", vectors.Embedding{Form: vectors.FormInt8, Int8: []int8{1}, Float32: []float32{1}}, 1, "allowed is one form"},
		{"no dimension asked", int8s(), 0, "dimension 0 asked for, allowed are 1 to 16384"},
		{"NaN", floats(1, nan), 2, "NaN at dimension 1, allowed are finite numbers"},
		{"infinity", floats(inf, 1), 2, "-Inf at dimension 0"},
		{"int8 zero vector", int8s(0, 0), 2, "all 2 numbers are 0"},
		{"float32 zero vector", floats(0, float32(math.Copysign(0, -1))), 2, "all 2 numbers are 0"},
		{"-128", int8s(1, -128), 2, "-128 at dimension 1, allowed are -127 to 127"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.e.Validate(c.dim)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, vectors.ErrEmbeddingInvalid)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestCosine(t *testing.T) {
	huge := float32(math.MaxFloat32)
	for _, c := range []struct {
		name string
		a, b vectors.Embedding
		want float32
	}{
		{"same direction, other length", int8s(1, 2), int8s(50, 100), 1},
		{"opposite", int8s(3, 4), int8s(-3, -4), -1},
		{"right angles", int8s(1, 0), int8s(0, 1), 0},
		{"3-4-5", int8s(3, 4), int8s(5, 0), 0.6},
		{"mixed forms", int8s(3, 4), floats(0.5, 0), 0.6},
		{"no overflow", floats(huge, huge), floats(huge, huge), 1},
		{"other dimension", int8s(1, 0), int8s(1, 0, 0), 0},
		{"no direction", int8s(0, 0), int8s(1, 0), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, vectors.Cosine(c.a, c.b))
			require.Equal(t, c.want, vectors.Cosine(c.b, c.a))
		})
	}
}

func FuzzParseEmbedding(f *testing.F) {
	f.Add(int8s(1, -2, 127).AppendBinary(nil))
	f.Add(floats(1, float32(math.NaN())).AppendBinary([]byte{}))
	f.Add([]byte{1, 0x80, 0x01})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		e, rest, err := vectors.ParseEmbedding(b)
		if err != nil {
			require.ErrorIs(t, err, vectors.ErrEmbeddingBytes)
			return
		}
		require.Equal(t, b, append(e.AppendBinary(nil), rest...), "one stored form for one embedding")
		if e.Validate(e.Dim()) == nil {
			require.InDelta(t, 1, vectors.Cosine(e, e), 1e-6)
		}
	})
}
