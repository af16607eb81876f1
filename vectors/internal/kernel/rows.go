package kernel

import "unsafe"

// ChunkRows is the number of rows in a chunk: a row id is chunk<<16 | place in the chunk.
const ChunkRows = 1 << chunkShift

const chunkShift = 16

// Components in one block of 32 bytes, by form. Queries are padded to whole blocks; see Pad.
const (
	BlockI8  = 32
	BlockU4  = 64
	BlockF16 = 16
	BlockF32 = 8

	blockBytes = 32
)

// fetchBytes bounds what is prefetched of one row: 16 lines. From there on the processor has seen where a kernel is
// going, and more lines of many rows would push each other out of the first cache: rows of 1.5 and 3 kB took up to a tenth
// longer without the bound, rows of 768 bytes and less are not touched by it.
//
//nolint:unused // assembly names it
const fetchBytes = 1024

// Pad returns the smallest multiple of block that holds dim components.
func Pad(dim, block int) int { return (dim + block - 1) / block * block }

// RowBytes returns how many bytes a kernel reads of one row: whole blocks of 32 bytes.
func RowBytes(dim, block int) int { return Pad(dim, block) / block * blockBytes }

// Rows says where rows lie: row id starts at Chunks[id>>16] + (id&0xffff)*Stride, at any alignment. Kernels read
// RowBytes of it and never more, so padding (components from dim up to the whole block) must be there; it counts
// nothing as long as the query is zero there, but by contract it is zero as well, for f16 and f32 because 0 * NaN is
// NaN. What lies between RowBytes and Stride is the owner's.
//
// Chunks may have nil entries for chunks that do not exist yet; an id in one of them, or beyond Chunks, is a broken
// invariant of the caller: the assembly does not look. An owner that grows beside readers allocates Chunks once, at its
// final length, and sets an entry before any id in it can be seen.
type Rows struct {
	Chunks []unsafe.Pointer
	Stride uintptr // bytes, at least RowBytes
}

// at returns the address of one row. It panics when id lies beyond Chunks.
func (r Rows) at(id uint32) unsafe.Pointer {
	return unsafe.Add(r.Chunks[id>>chunkShift], uintptr(id&(ChunkRows-1))*r.Stride)
}

// rowOf returns the n numbers of a row.
func rowOf[T any](r Rows, id uint32, n int) []T {
	return unsafe.Slice((*T)(r.at(id)), n)
}
