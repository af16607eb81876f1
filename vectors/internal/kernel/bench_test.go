package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
)

// batch is a usual number of new neighbours of a node.
const batch = 16

// forms are how each kernel is called in benchmarks.
var forms = []struct {
	name  string
	block int
	call  func(k *kernel.Kernels, q *queries, rows kernel.Rows, ids []uint32)
}{
	{"i8", kernel.BlockI8, func(k *kernel.Kernels, q *queries, rows kernel.Rows, ids []uint32) {
		k.DotI8(q.codes, rows, ids, q.ints[:])
	}},
	{"u4", kernel.BlockU4, func(k *kernel.Kernels, q *queries, rows kernel.Rows, ids []uint32) {
		k.DotU4(q.codes, q.bias, rows, ids, q.ints[:])
	}},
	{"f16", kernel.BlockF16, func(k *kernel.Kernels, q *queries, rows kernel.Rows, ids []uint32) {
		k.DotF16(q.floats, rows, ids, q.sums[:])
	}},
	{"f32", kernel.BlockF32, func(k *kernel.Kernels, q *queries, rows kernel.Rows, ids []uint32) {
		k.DotF32(q.floats, rows, ids, q.sums[:])
	}},
}

type queries struct {
	codes  []int8
	bias   int32
	floats []float32
	ints   [64]int32
	sums   [64]float32
}

func newQueries(r *rand.Rand, dim int) *queries {
	q := &queries{codes: make([]int8, kernel.Pad(dim, kernel.BlockU4)), floats: make([]float32, kernel.Pad(dim, kernel.BlockF16))}
	fill(r, q.codes[:dim])
	for i := range dim {
		q.floats[i] = r.Float32()
	}
	q.bias = kernel.BiasU4(q.codes)
	return q
}

// benchRows are n rows of finite numbers in any form, in one piece of memory from alloc.
func benchRows(r *rand.Rand, n, dim, block int, alloc func(int) []byte) kernel.Rows {
	stride := kernel.RowBytes(dim, block)
	memory := alloc(n * stride)
	for i := range memory {
		memory[i] = byte(r.Uint32())
		if i%2 == 1 && block != kernel.BlockI8 && block != kernel.BlockU4 {
			memory[i] = 0x38 | memory[i]&0x81 // no NaN, nothing subnormal, as a half and as a float
		}
	}
	rows := kernel.Rows{Stride: uintptr(stride)}
	for from := 0; from < n; from += kernel.ChunkRows {
		rows.Chunks = append(rows.Chunks, unsafe.Pointer(&memory[from*stride]))
	}
	return rows
}

// Rows that lie in the nearest caches: what the instructions cost.
func BenchmarkGather(b *testing.B) {
	r := newRand(9)
	for _, form := range forms {
		for _, dim := range []int{384, 768} {
			rows := benchRows(r, batch, dim, form.block, func(n int) []byte { return make([]byte, n) })
			q, ids := newQueries(r, dim), make([]uint32, batch)
			for i, j := range r.Perm(batch) {
				ids[i] = uint32(j)
			}
			for _, k := range kernel.All() {
				b.Run(fmt.Sprintf("%s/%d/%s", form.name, dim, k.Name()), func(b *testing.B) {
					for b.Loop() {
						form.call(&k, q, rows, ids)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batch), "ns/row")
				})
			}
		}
	}
}

// Random rows of a block of 100 MB: what memory costs, with and without the prefetch that comes with the filter.
func BenchmarkRandomRows(b *testing.B) {
	r := newRand(10)
	for _, form := range forms {
		for _, dim := range []int{384, 768} {
			n := 100_000_000 / kernel.RowBytes(dim, form.block)
			rows := benchRows(r, n, dim, form.block, hugeBytes(b))
			q, visited, fresh := newQueries(r, dim), make([]uint8, n), make([]uint32, batch)
			links := make([]uint32, 1<<20)
			for i := range links {
				links[i] = r.Uint32N(uint32(n))
			}
			for _, prefetch := range []bool{false, true} {
				k, filter := kernel.Best(), kernel.Portable()
				if prefetch {
					filter = k
				}
				b.Run(fmt.Sprintf("%s/%d/%s/prefetch=%t", form.name, dim, k.Name(), prefetch), func(b *testing.B) {
					count, epoch, at := 0, uint8(0), 0
					for b.Loop() {
						if at += batch; at+batch > len(links) {
							at = 0
						}
						epoch++
						m := filter.FilterPrefetch(links[at:at+batch], visited, epoch, rows, fresh)
						form.call(&k, q, rows, fresh[:m])
						count += m
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(count), "ns/row")
				})
			}
		}
	}
}

func TestKernels_AllocateNothing(t *testing.T) {
	r := newRand(11)
	ids, visited, fresh := []uint32{3, 1, 2, 0, 2}, make([]uint8, 4), make([]uint32, 5)
	q, epoch := newQueries(r, 128), uint8(0)
	for _, form := range forms {
		rows := benchRows(r, 4, 128, form.block, func(n int) []byte { return make([]byte, n) })
		for _, k := range kernel.All() {
			require.Zero(t, testing.AllocsPerRun(100, func() {
				epoch++
				form.call(&k, q, rows, ids[:k.FilterPrefetch(ids, visited, epoch, rows, fresh)])
				k.Prefetch(rows, fresh)
			}), k.Name())
		}
	}
}
