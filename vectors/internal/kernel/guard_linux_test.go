package kernel_test

import (
	"math"
	"os"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// fenced returns n numbers between pages that must not be touched: the first begins where a page does, or the last
// ends where one does.
func fenced[T any](t *testing.T, n int, atEnd bool) []T {
	var one T
	page := os.Getpagesize()
	size := n * int(unsafe.Sizeof(one))
	inner := (size + page - 1) / page * page
	b, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(b)) })
	require.NoError(t, unix.Mprotect(b[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(b[page+inner:], unix.PROT_NONE))
	start := page
	if atEnd {
		start += inner - size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[start])), n)
}

// No kernel touches a byte outside of the query, the padded rows, the ids and the sums: a fault would end the test.
func TestKernels_StayInsideTheirArguments(t *testing.T) {
	dims := []int{1, 8, 31, 32, 33, 64, 65, 100, 384, 768}
	for _, k := range kernel.All() {
		for _, atEnd := range []bool{false, true} {
			for _, dim := range dims {
				for n := 1; n <= 9; n += 2 - n%2 {
					fencedGather(t, k, dim, n, atEnd)
				}
			}
		}
	}
}

func fencedGather(t *testing.T, k kernel.Kernels, dim, n int, atEnd bool) {
	ids := fenced[uint32](t, n, atEnd)
	for i := range ids {
		ids[i] = uint32(n - 1 - i)
	}
	tableOf := func(block int) kernel.Rows {
		stride := kernel.RowBytes(dim, block)
		memory := fenced[byte](t, n*stride, atEnd)
		return kernel.Rows{Chunks: []unsafe.Pointer{unsafe.Pointer(&memory[0])}, Stride: uintptr(stride)}
	}
	ints, floats := fenced[int32](t, n, atEnd), fenced[float32](t, n, atEnd)
	set(unsafe.Slice((*int8)(unsafe.Pointer(&ints[0])), 4*n), 1)

	query := fenced[int8](t, kernel.Pad(dim, kernel.BlockI8), atEnd)
	set(query, 1)
	rows := tableOf(kernel.BlockI8)
	k.DotI8(query, rows, ids, ints)
	require.Equal(t, make([]int32, n), ints)
	k.DotI8Rows(query, unsafe.Slice((*int8)(rows.Chunks[0]), n*len(query)), ints)
	require.Equal(t, make([]int32, n), ints)

	query = fenced[int8](t, kernel.Pad(dim, kernel.BlockU4), atEnd)
	set(query, 1)
	k.DotU4(query, 3, tableOf(kernel.BlockU4), ids, ints)
	for _, x := range ints {
		require.EqualValues(t, -3, x)
	}

	for i := range floats {
		floats[i] = float32(math.NaN())
	}
	k.DotF16(fenced[float32](t, kernel.Pad(dim, kernel.BlockF16), atEnd), tableOf(kernel.BlockF16), ids, floats)
	require.Equal(t, make([]float32, n), floats)
	k.DotF32(fenced[float32](t, kernel.Pad(dim, kernel.BlockF32), atEnd), tableOf(kernel.BlockF32), ids, floats)
	require.Equal(t, make([]float32, n), floats)

	k.Prefetch(rows, ids)
	out := fenced[uint32](t, n, atEnd)
	require.Equal(t, n, k.FilterPrefetch(ids, fenced[uint8](t, n, atEnd), 1, rows, out))
	require.Equal(t, ids, out)
}
