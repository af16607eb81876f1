package embed

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseTable_RefusesDamage(t *testing.T) {
	flip := func(at int) string { return tableBytes[:at] + string(tableBytes[at]^1) + tableBytes[at+1:] }
	head := headBytes
	for name, b := range map[string]string{
		"empty":            "",
		"head only":        tableBytes[:head],
		"cut":              tableBytes[:len(tableBytes)-1],
		"longer":           tableBytes + "x",
		"magic":            flip(0),
		"words":            flip(8),
		"dimensions":       flip(12),
		"bytes of words":   flip(16),
		"two words in one": tableBytes[:head] + strings.Replace(tableBytes[head:], "\n", "_", 1),
		"a word twice":     tableBytes[:head] + strings.Replace(tableBytes[head:], "the\n", "and\n", 1),
	} {
		_, err := parseTable(b)
		require.ErrorIs(t, err, ErrTable, name)
	}
}

func TestParseTable_HoldsFrequentWordsFirst(t *testing.T) {
	table, err := parseTable(tableBytes)
	require.NoError(t, err)
	require.Len(t, table.rows, 60_000)
	require.Equal(t, uint32(0), table.rows["the"])
	require.Less(t, table.rows["guitar"], table.rows["banjo"])
	for row, scale := range table.scales {
		require.NotZero(t, scale, "row %d has no length", row)
	}
}

func TestSIFWeights_RiseWithRank(t *testing.T) {
	w := sifWeights(60_000)
	require.Equal(t, []uint16{110, 149, 187}, w[:3])
	require.Equal(t, uint16(4088), w[59_999])
	for rank := 1; rank < len(w); rank++ {
		require.GreaterOrEqual(t, w[rank], w[rank-1])
	}
}

func TestIDFWeight_IsTheLogarithmOfTheSource(t *testing.T) {
	for _, c := range []struct {
		n  int
		df uint32
	}{{1, 0}, {1, 1}, {10, 3}, {5000, 0}, {5000, 17}, {5000, 5000}, {1e9, 12}, {math.MaxInt32, math.MaxUint32}} {
		want := 1024 * math.Log2(1+float64(c.n)/(1+float64(c.df)))
		require.InDelta(t, want, idfWeight(c.n, c.df), 1.01, "n %d, df %d", c.n, c.df)
	}
	require.Equal(t, int64(1), idfWeight(1, math.MaxUint32), "no word weighs nothing")
}

func TestLog2_IsExactAtPowersAndMonotone(t *testing.T) {
	for k := range 64 {
		require.Equal(t, int64(k)<<idfBits, log2(1<<k))
	}
	require.Equal(t, int64(64<<idfBits)-1, log2(math.MaxUint64))
	for x := uint64(1); x < 5000; x++ {
		require.LessOrEqual(t, log2(x), log2(x+1))
	}
}
