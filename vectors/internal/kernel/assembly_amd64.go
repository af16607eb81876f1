//go:build amd64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

// assembly returns what this processor runs. Every processor with AVX2 that was built has F16C, but a virtual machine
// may hide it. Fused multiply-add is not used: the portable twin could not give its bits at a bearable price.
func assembly() []Kernels {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasF16C {
		return nil
	}
	return []Kernels{{
		name:     "avx2",
		i8Rows:   dotRowsFast,
		i8:       dotI8AVX2,
		u4:       dotU4AVX2,
		f16:      dotF16AVX2,
		f32:      dotF32AVX2,
		filter:   filterPrefetchAMD64,
		prefetch: prefetchAMD64,
	}}
}

func dotRowsFast(query, rows []int8, out []int32) {
	dotRowsAVX2(&query[0], &rows[0], &out[0], len(query), len(out))
}

// The routines below expect what the methods of Kernels check: whole blocks, at least one block and one row, and room
// in out.

//go:noescape
func dotI8AVX2(query []int8, rows Rows, ids []uint32, out []int32)

//go:noescape
func dotU4AVX2(query []int8, bias int32, rows Rows, ids []uint32, out []int32)

//go:noescape
func dotF16AVX2(query []float32, rows Rows, ids []uint32, out []float32)

//go:noescape
func dotF32AVX2(query []float32, rows Rows, ids []uint32, out []float32)

//go:noescape
func filterPrefetchAMD64(links []uint32, visited []uint8, epoch uint8, rows Rows, out []uint32) int

//go:noescape
func prefetchAMD64(rows Rows, ids []uint32)
