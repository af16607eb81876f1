package kernel_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
)

// halfOracle is the definition of binary16, in float64.
func halfOracle(h uint16) float64 {
	sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&1023)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

func TestF16ToFloat32_AllHalves(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		want, got := halfOracle(h), float64(kernel.F16ToFloat32(h))
		if math.IsNaN(want) {
			require.True(t, math.IsNaN(got), "%04x", h)
			continue
		}
		require.True(t, want == got && math.Signbit(want) == math.Signbit(got), "%04x: want %v, got %v", h, want, got)
	}
}

func TestF16FromFloat32_AllHalvesComeBack(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		back := kernel.F16FromFloat32(kernel.F16ToFloat32(h))
		if math.IsNaN(halfOracle(h)) {
			require.Equal(t, h|0x200, back, "a NaN keeps sign and payload and becomes quiet")
			continue
		}
		require.Equal(t, h, back)
	}
}

// Between two neighbouring halves everything below the middle goes down, everything above goes up, and the middle
// goes to the even one. Rounding is monotonic, so the middle and its two neighbours decide.
func TestF16FromFloat32_RoundsToNearestEven(t *testing.T) {
	for h := uint16(0); h < 0x7c00; h++ {
		below, above := halfOracle(h), halfOracle(h+1)
		if h+1 == 0x7c00 {
			above = 65536 // what would come next, and is infinity
		}
		middle := float32((below + above) / 2)
		require.EqualValues(t, (below+above)/2, middle, "the middle is a float32")
		even := h + h&1
		inf := float32(math.Inf(1))
		for _, sign := range []uint16{0, 0x8000} {
			s := float32(1 - 2*int(sign>>15))
			require.Equal(t, sign|even, kernel.F16FromFloat32(s*middle), "middle of %04x and the next", h)
			require.Equal(t, sign|h, kernel.F16FromFloat32(s*math.Nextafter32(middle, 0)), "below the middle of %04x", h)
			require.Equal(t, sign|(h+1), kernel.F16FromFloat32(s*math.Nextafter32(middle, inf)), "above the middle of %04x", h)
		}
	}
	for _, x := range []float32{65536, 1e30, math.MaxFloat32, float32(math.Inf(1))} {
		require.EqualValues(t, 0x7c00, kernel.F16FromFloat32(x))
		require.EqualValues(t, 0xfc00, kernel.F16FromFloat32(-x))
	}
	require.EqualValues(t, 0, kernel.F16FromFloat32(math.SmallestNonzeroFloat32))
	require.EqualValues(t, 0x8000, kernel.F16FromFloat32(float32(math.Copysign(0, -1))))
}

// What the processor makes of every finite half.
func TestDotF16_ReadsAllHalves(t *testing.T) {
	query := make([]float32, kernel.BlockF16)
	for _, k := range kernel.All() {
		row := new([kernel.BlockF16]uint16)
		rows := kernel.Rows{Chunks: []unsafe.Pointer{unsafe.Pointer(row)}, Stride: 32}
		out := make([]float32, 1)
		for i := range 1 << 16 {
			if i&0x7c00 == 0x7c00 {
				continue
			}
			place := i % len(row)
			row[place], query[place] = uint16(i), 1
			k.DotF16(query, rows, []uint32{0}, out)
			require.EqualValues(t, halfOracle(uint16(i)), out[0], "%s: %04x", k.Name(), i)
			row[place], query[place] = 0, 0
		}
	}
}

func TestF16Row_CountsWhatOverflows(t *testing.T) {
	dst := make([]uint16, 4)
	require.Equal(t, 2, kernel.F16Row(dst, []float32{1, 65520, -65520, 65519}))
	require.Equal(t, []uint16{0x3c00, 0x7c00, 0xfc00, 0x7bff}, dst)
	require.Panics(t, func() { kernel.F16Row(dst[:1:1], []float32{1, 2}) })
}
