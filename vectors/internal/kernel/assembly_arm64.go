//go:build arm64 && !noasm

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// assembly returns what this processor runs. NEON is part of every arm64; the products of four codes in one
// instruction (SDOT) are an extension that nearly all have since 2018.
func assembly() []Kernels {
	neon := Kernels{
		name:     "neon",
		i8Rows:   dotRowsNEON,
		i8:       dotI8NEON,
		u4:       dotU4NEON,
		f16:      dotF16NEON,
		f32:      dotF32NEON,
		filter:   filterPrefetchARM64,
		prefetch: prefetchARM64,
	}
	if !cpu.ARM64.HasASIMDDP {
		return []Kernels{neon}
	}
	dot := neon
	dot.name = "neon+dotprod"
	dot.i8Rows = dotRowsSDOT
	dot.i8 = dotI8SDOT
	dot.u4 = dotU4SDOT
	return []Kernels{dot, neon}
}

func dotRowsNEON(query, rows []int8, out []int32) {
	inBatches(query, rows, out, func(r Rows, ids []uint32, out []int32) { dotI8NEON(query, r, ids, out) })
}

func dotRowsSDOT(query, rows []int8, out []int32) {
	inBatches(query, rows, out, func(r Rows, ids []uint32, out []int32) { dotI8SDOT(query, r, ids, out) })
}

// inBatches addresses contiguous rows as the gather kernels do, 64 at a time.
func inBatches(query, rows []int8, out []int32, dot func(Rows, []uint32, []int32)) {
	var ids [64]uint32
	for i := range ids {
		ids[i] = uint32(i)
	}
	for from := 0; from < len(out); from += len(ids) {
		n := min(len(ids), len(out)-from)
		chunk := [1]unsafe.Pointer{unsafe.Pointer(&rows[from*len(query)])}
		dot(Rows{Chunks: chunk[:], Stride: uintptr(len(query))}, ids[:n], out[from:from+n])
	}
}

// The routines below expect what the methods of Kernels check: whole blocks, at least one block and one row, and room
// in out.

//go:noescape
func dotI8NEON(query []int8, rows Rows, ids []uint32, out []int32)

//go:noescape
func dotI8SDOT(query []int8, rows Rows, ids []uint32, out []int32)

//go:noescape
func dotU4NEON(query []int8, bias int32, rows Rows, ids []uint32, out []int32)

//go:noescape
func dotU4SDOT(query []int8, bias int32, rows Rows, ids []uint32, out []int32)

//go:noescape
func dotF16NEON(query []float32, rows Rows, ids []uint32, out []float32)

//go:noescape
func dotF32NEON(query []float32, rows Rows, ids []uint32, out []float32)

//go:noescape
func filterPrefetchARM64(links []uint32, visited []uint8, epoch uint8, rows Rows, out []uint32) int

//go:noescape
func prefetchARM64(rows Rows, ids []uint32)
