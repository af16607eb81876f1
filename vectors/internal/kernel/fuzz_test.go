package kernel_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
)

// FuzzGather takes the bytes for queries and rows of every form, and demands the portable answer of all kernels.
func FuzzGather(f *testing.F) {
	f.Add([]byte("some bytes of a query and of rows"), uint16(100), uint8(5))
	f.Add([]byte{0x81, 0x7f, 0xff, 0x00, 0x80}, uint16(64), uint8(9))
	f.Fuzz(func(t *testing.T, b []byte, dim uint16, n uint8) {
		if len(b) == 0 {
			return
		}
		d := 1 + int(dim)%1600
		at := func(i int) byte { return b[i%len(b)] }
		code := func(i int) int8 { return max(-127, int8(at(i))) }
		finite := func(i int) float32 { // products of two stay finite, and so do sums
			bits := uint32(at(i))<<24 | uint32(at(i+1))<<16 | uint32(at(i+2))<<8 | uint32(at(i+3))
			return math.Float32frombits(bits &^ (1 << 30))
		}
		ints := make([]int8, kernel.Pad(d, kernel.BlockU4))
		floats := make([]float32, kernel.Pad(d, kernel.BlockF16))
		for i := range d {
			ints[i], floats[i] = code(i), finite(i+7)
		}
		r := newRand(uint64(dim))
		tables := map[int]table{}
		for _, block := range []int{kernel.BlockI8, kernel.BlockU4, kernel.BlockF16, kernel.BlockF32} {
			tables[block] = newTable(r, 9, d, block, 0, func(row []byte, i int) { fuzzRow(row, i, d, block, code, finite) })
		}
		ids := tables[kernel.BlockI8].choose(r, int(n%70))
		var want gathered
		for i, k := range []kernel.Kernels{kernel.Portable(), kernel.Best()} {
			got := gather(k, d, ints, floats, tables, ids)
			if i == 0 {
				want = got
			}
			require.Equal(t, want, got, k.Name())
		}
	})
}

func fuzzRow(row []byte, i, dim, block int, code func(int) int8, finite func(int) float32) {
	for j := range dim {
		switch from := i*dim + j; block {
		case kernel.BlockI8:
			row[j] = byte(code(from))
		case kernel.BlockF16:
			binary.LittleEndian.PutUint16(row[2*j:], kernel.F16FromFloat32(finite(from)))
		case kernel.BlockF32:
			binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(finite(from)))
		}
	}
	if block == kernel.BlockU4 {
		codes := make([]int8, dim)
		for j := range codes {
			codes[j] = code(i*dim+j)>>4&15 - 8
		}
		kernel.PackU4(row, codes)
	}
}

// gathered is what one set of kernels answered; floats by their bits.
type gathered struct {
	i8, u4   []int32
	f16, f32 []uint32
}

func gather(k kernel.Kernels, dim int, ints []int8, floats []float32, tables map[int]table, ids []uint32) (g gathered) {
	n := len(ids)
	g.i8, g.u4 = make([]int32, n), make([]int32, n)
	halves, whole := make([]float32, n), make([]float32, n)
	k.DotI8(ints[:kernel.Pad(dim, kernel.BlockI8)], tables[kernel.BlockI8].rows, ids, g.i8)
	k.DotU4(ints, kernel.BiasU4(ints), tables[kernel.BlockU4].rows, ids, g.u4)
	k.DotF16(floats, tables[kernel.BlockF16].rows, ids, halves)
	k.DotF32(floats[:kernel.Pad(dim, kernel.BlockF32)], tables[kernel.BlockF32].rows, ids, whole)
	for i := range ids {
		g.f16 = append(g.f16, math.Float32bits(halves[i]))
		g.f32 = append(g.f32, math.Float32bits(whole[i]))
	}
	return g
}
