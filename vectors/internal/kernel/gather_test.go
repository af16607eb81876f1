package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
)

// table is rows of one form in a few chunks, at an odd address when misaligned, with garbage between them.
type table struct {
	rows   kernel.Rows
	places []uint32 // ids in use
	block  int
	dim    int
}

const rowsPerChunk = 7

// newTable makes n rows of dim components, whose bytes write makes; padding stays zero.
func newTable(r *rand.Rand, n, dim, block, misaligned int, write func(row []byte, i int)) table {
	bytes := kernel.RowBytes(dim, block)
	stride := bytes + 3*misaligned
	t := table{rows: kernel.Rows{Stride: uintptr(stride)}, block: block, dim: dim}
	for i := range n {
		if i%rowsPerChunk == 0 {
			buffer := make([]byte, misaligned+rowsPerChunk*stride)
			for j := range buffer {
				buffer[j] = byte(r.Uint32())
			}
			t.rows.Chunks = append(t.rows.Chunks, unsafe.Pointer(&buffer[misaligned]))
		}
		id := uint32(i/rowsPerChunk<<16 | i%rowsPerChunk)
		row := t.row(id)
		clear(row)
		write(row, i)
		t.places = append(t.places, id)
	}
	return t
}

func (t table) row(id uint32) []byte {
	start := unsafe.Add(t.rows.Chunks[id>>16], int(id&0xffff)*int(t.rows.Stride))
	return unsafe.Slice((*byte)(start), kernel.RowBytes(t.dim, t.block))
}

// choose returns n ids, some of them more than once, out of order.
func (t table) choose(r *rand.Rand, n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = t.places[r.IntN(len(t.places))]
	}
	return ids
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// eachShape calls run with every dimension and count of rows.
func eachShape(run func(dim, n, misaligned int)) {
	for _, dim := range dims() {
		for n := range 18 {
			if dim < 2000 || n == 5 {
				run(dim, n, n%3)
			}
		}
	}
}

// guarded returns n numbers and a check that the one after them was not written to.
func guarded[T int32 | float32 | uint32](t *testing.T, n int) (out []T, check func()) {
	all := make([]T, n+1)
	all[n] = 12345
	return all[:n:n], func() { require.EqualValues(t, 12345, all[n], "wrote past the end") }
}

func TestDotI8_EqualsTheOracle(t *testing.T) {
	r := newRand(1)
	for _, k := range kernel.All() {
		eachShape(func(dim, n, misaligned int) {
			query := unaligned(kernel.Pad(dim, kernel.BlockI8), misaligned)
			fill(r, query[:dim])
			table := newTable(r, 20, dim, kernel.BlockI8, misaligned, func(row []byte, _ int) { fill(r, int8s(row)[:dim]) })
			ids := table.choose(r, n)
			out, check := guarded[int32](t, n)
			k.DotI8(query, table.rows, ids, out)
			check()
			for i, id := range ids {
				require.Equal(t, oracle(query, int8s(table.row(id))), out[i], "%s: dim %d, row %d of %d", k.Name(), dim, i, n)
			}
		})
	}
}

// The largest sums of two products just fit 16 bits: nothing may saturate.
func TestDotI8_Extremes(t *testing.T) {
	values := []int8{127, -127, 127, -127, 1, 0, -1}
	for _, k := range kernel.All() {
		for _, dim := range []int{1, 31, 32, 33, 384, 1536, 131072} {
			for _, q := range []int8{-127, 127, 1, 0} {
				query := make([]int8, kernel.Pad(dim, kernel.BlockI8))
				set(query[:dim], q)
				table := newTable(newRand(2), len(values), dim, kernel.BlockI8, 1, func(row []byte, i int) { set(int8s(row)[:dim], values[i]) })
				out := make([]int32, len(values))
				k.DotI8(query, table.rows, table.places, out)
				for i, v := range values {
					require.EqualValues(t, dim*int(q)*int(v), out[i], "%s: dim %d, %d times %d", k.Name(), dim, q, v)
				}
			}
		}
	}
}

func TestDotI8Rows_EqualsDotRows(t *testing.T) {
	r := newRand(3)
	for _, k := range kernel.All() {
		eachShape(func(dim, n, _ int) {
			query := make([]int8, kernel.Stride(dim))
			rows := make([]int8, n*len(query))
			fill(r, query)
			fill(r, rows)
			want, got := make([]int32, n), make([]int32, n)
			kernel.DotRows(query, rows, want)
			k.DotI8Rows(query, rows, got)
			require.Equal(t, want, got, "%s: dim %d, %d rows", k.Name(), dim, n)
		})
	}
}

func TestPackU4_Layout(t *testing.T) {
	codes := make([]int8, 66)
	for i := range codes {
		codes[i] = int8(i%16) - 8
	}
	codes[32], codes[65] = 7, -8
	row := make([]byte, kernel.RowBytes(66, kernel.BlockU4))
	require.Len(t, row, 64)
	kernel.PackU4(row, codes)
	require.EqualValues(t, 0xf0, row[0], "number 0 is -8, number 32 is 7")
	require.EqualValues(t, 0x11, row[1], "numbers 1 and 33 are -7")
	require.EqualValues(t, 0x80, row[32], "number 64 is -8, number 96 is padding, which is 0")
	require.EqualValues(t, 0x80, row[33], "number 65 is -8")
	require.EqualValues(t, 0x88, row[34])
	got := make([]int8, 66)
	kernel.UnpackU4(got, row)
	require.Equal(t, codes, got)
	require.Panics(t, func() { kernel.PackU4(row[:63], codes) })
}

func TestDotU4_EqualsTheOracle(t *testing.T) {
	r := newRand(4)
	for _, k := range kernel.All() {
		eachShape(func(dim, n, misaligned int) {
			query := unaligned(kernel.Pad(dim, kernel.BlockU4), misaligned)
			fill(r, query[:dim])
			codes := make([][]int8, 20)
			table := newTable(r, len(codes), dim, kernel.BlockU4, misaligned, func(row []byte, i int) {
				codes[i] = make([]int8, dim)
				for j := range codes[i] {
					codes[i][j] = int8(r.IntN(16) - 8)
				}
				kernel.PackU4(row, codes[i])
			})
			ids := table.choose(r, n)
			out, check := guarded[int32](t, n)
			k.DotU4(query, kernel.BiasU4(query), table.rows, ids, out)
			check()
			for i, id := range ids {
				want := oracle(query[:dim], codes[id>>16*rowsPerChunk+id&0xffff])
				require.Equal(t, want, out[i], "%s: dim %d, row %d of %d", k.Name(), dim, i, n)
			}
		})
	}
}

func TestDotU4_Extremes(t *testing.T) {
	for _, k := range kernel.All() {
		for _, dim := range []int{1, 64, 384, 131072} {
			for _, q := range []int8{-127, 127, 0} {
				query := make([]int8, kernel.Pad(dim, kernel.BlockU4))
				set(query[:dim], q)
				codes := make([]int8, dim)
				table := newTable(newRand(5), 16, dim, kernel.BlockU4, 1, func(row []byte, i int) {
					set(codes, int8(i-8))
					kernel.PackU4(row, codes)
				})
				out := make([]int32, 16)
				k.DotU4(query, kernel.BiasU4(query), table.rows, table.places, out)
				for i := range out {
					require.EqualValues(t, dim*int(q)*(i-8), out[i], "%s: dim %d, %d times %d", k.Name(), dim, q, i-8)
				}
			}
		}
	}
}

// floatOracle says the order again: eight lanes, then halves of the lanes onto each other.
func floatOracle(query, row []float32) float32 {
	var lane [8]float32
	for i := range query {
		product := query[i] * row[i]
		lane[i%8] = float32(lane[i%8] + float32(product))
	}
	for width := 4; width > 0; width /= 2 {
		for l := range width {
			lane[l] += lane[l+width]
		}
	}
	return lane[0]
}

// unit is a random number over many binades, some of them subnormal as a half.
func number(r *rand.Rand) float32 {
	return float32(math.Ldexp(r.Float64()*2-1, -r.IntN(20)))
}

func TestDotF32_EqualsTheOracleBitForBit(t *testing.T) {
	r := newRand(6)
	for _, k := range kernel.All() {
		eachShape(func(dim, n, misaligned int) {
			query := make([]float32, kernel.Pad(dim, kernel.BlockF32))
			for i := range query[:dim] {
				query[i] = number(r) * 1e10
			}
			// Rows keep their alignment: Go has no float at an odd address.
			table := newTable(r, 20, dim, kernel.BlockF32, misaligned*4, func(row []byte, _ int) {
				for j := range dim {
					binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(number(r)))
				}
			})
			ids := table.choose(r, n)
			out, check := guarded[float32](t, n)
			k.DotF32(query, table.rows, ids, out)
			check()
			for i, id := range ids {
				row := make([]float32, len(query))
				for j := range row {
					row[j] = math.Float32frombits(binary.LittleEndian.Uint32(table.row(id)[4*j:]))
				}
				requireSameBits(t, floatOracle(query, row), out[i], "%s: dim %d, row %d of %d", k.Name(), dim, i, n)
			}
		})
	}
}

func TestDotF16_EqualsTheOracleBitForBit(t *testing.T) {
	r := newRand(7)
	for _, k := range kernel.All() {
		eachShape(func(dim, n, misaligned int) {
			query := make([]float32, kernel.Pad(dim, kernel.BlockF16))
			for i := range query[:dim] {
				query[i] = number(r)
			}
			table := newTable(r, 20, dim, kernel.BlockF16, misaligned*2, func(row []byte, _ int) {
				for j := range dim {
					binary.LittleEndian.PutUint16(row[2*j:], kernel.F16FromFloat32(number(r)))
				}
			})
			ids := table.choose(r, n)
			out, check := guarded[float32](t, n)
			k.DotF16(query, table.rows, ids, out)
			check()
			for i, id := range ids {
				row := make([]float32, len(query))
				for j := range row {
					row[j] = float32(halfOracle(binary.LittleEndian.Uint16(table.row(id)[2*j:])))
				}
				requireSameBits(t, floatOracle(query, row), out[i], "%s: dim %d, row %d of %d", k.Name(), dim, i, n)
			}
		})
	}
}

func requireSameBits(t *testing.T, want, got float32, message string, args ...any) {
	t.Helper()
	if math.Float32bits(want) != math.Float32bits(got) {
		require.Failf(t, "other bits", "want %v, got %v: %s", want, got, fmt.Sprintf(message, args...))
	}
}

func TestGather_RefusesWhatDoesNotFit(t *testing.T) {
	rows := kernel.Rows{Chunks: []unsafe.Pointer{unsafe.Pointer(new([64]byte))}, Stride: 32}
	ids := []uint32{0}
	for _, k := range kernel.All() {
		require.Panics(t, func() { k.DotI8(make([]int8, 33), rows, ids, make([]int32, 1)) }, "not whole blocks")
		require.Panics(t, func() { k.DotI8(nil, rows, ids, make([]int32, 1)) }, "no components")
		require.Panics(t, func() { k.DotI8(make([]int8, 64), rows, ids, make([]int32, 1)) }, "rows too short")
		require.Panics(t, func() { k.DotI8(make([]int8, 32), rows, ids, nil) }, "no room")
		require.Panics(t, func() { k.DotI8Rows(make([]int8, 32), make([]int8, 63), make([]int32, 2)) })
		require.Panics(t, func() { k.DotU4(make([]int8, 32), 0, rows, ids, make([]int32, 1)) })
		require.Panics(t, func() { k.DotF16(make([]float32, 8), rows, ids, make([]float32, 1)) })
		require.Panics(t, func() { k.DotF32(make([]float32, 16), rows, ids, make([]float32, 1)) })
		require.Panics(t, func() { k.FilterPrefetch(ids, make([]uint8, 1), 1, rows, nil) })
		require.NotPanics(t, func() {
			k.DotI8(make([]int8, 32), kernel.Rows{Stride: 32}, nil, nil)
			k.Prefetch(rows, nil)
		})
	}
}

func int8s(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

func set(v []int8, x int8) {
	for i := range v {
		v[i] = x
	}
}
