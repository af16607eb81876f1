package kernel

import "slices"

// Sentinel ends a list of links that does not fill its slots.
const Sentinel = 0xFFFFFFFF

// Kernels is one implementation of every routine: assembly for an instruction set, or portable Go. All
// implementations give the same bits for the same finite input. An index chooses once, when it is made, and keeps the
// value; it is immutable and safe for concurrent use. The zero value is not usable; see Best.
type Kernels struct {
	name     string
	i8Rows   func(query, rows []int8, out []int32)
	i8       func(query []int8, rows Rows, ids []uint32, out []int32)
	u4       func(query []int8, bias int32, rows Rows, ids []uint32, out []int32)
	f16      func(query []float32, rows Rows, ids []uint32, out []float32)
	f32      func(query []float32, rows Rows, ids []uint32, out []float32)
	filter   func(links []uint32, visited []uint8, epoch uint8, rows Rows, out []uint32) int
	prefetch func(rows Rows, ids []uint32)
}

// Best returns the fastest kernels that this build has and this processor runs.
func Best() Kernels { return All()[0] }

// All returns every set of kernels that this build has and this processor runs, fastest first. The last is portable
// Go, which defines the answers.
func All() []Kernels { return append(assembly(), Portable()) }

// Named returns the kernels of that name, and false when this build or processor lacks them.
func Named(name string) (Kernels, bool) {
	all := All()
	i := slices.IndexFunc(all, func(k Kernels) bool { return k.name == name })
	if i < 0 {
		return Kernels{}, false
	}
	return all[i], true
}

// Portable returns the kernels in Go.
func Portable() Kernels {
	return Kernels{
		name:     "portable",
		i8Rows:   dotRowsPortable,
		i8:       dotI8Portable,
		u4:       dotU4Portable,
		f16:      dotF16Portable,
		f32:      dotF32Portable,
		filter:   filterPortable,
		prefetch: func(Rows, []uint32) {},
	}
}

// Name returns "avx2", "neon+dotprod", "neon" or "portable".
func (k *Kernels) Name() string { return k.name }

// DotI8Rows is DotRows with these kernels: rows one after the other.
func (k *Kernels) DotI8Rows(query, rows []int8, out []int32) {
	stride := len(query)
	requireBlocks(stride, BlockI8)
	if len(rows) < len(out)*stride {
		panic("kernel: rows do not fit the query")
	}
	if stride == 0 {
		clear(out)
		return
	}
	if len(out) > 0 {
		k.i8Rows(query, rows, out)
	}
}

// DotI8 sets out[i] to the dot product of query and row ids[i]: len(query) codes of one byte, a multiple of BlockI8 from
// 32 to 131,072, none of them -128. out has room for len(ids) sums; DotI8 panics otherwise. ids may repeat.
func (k *Kernels) DotI8(query []int8, rows Rows, ids []uint32, out []int32) {
	if requireGather(len(query), BlockI8, rows, len(ids), len(out)) {
		k.i8(query, rows, ids, out[:len(ids)])
	}
}

// DotU4 sets out[i] to the sum of query[j] * (code j of row ids[i] - 8), where codes are of four bits, packed as PackU4
// does. bias is BiasU4(query), computed once a query. len(query) is a multiple of BlockU4 from 64 to 131,072, with no
// -128. out has room for len(ids) sums; DotU4 panics otherwise.
func (k *Kernels) DotU4(query []int8, bias int32, rows Rows, ids []uint32, out []int32) {
	if requireGather(len(query), BlockU4, rows, len(ids), len(out)) {
		k.u4(query, bias, rows, ids, out[:len(ids)])
	}
}

// DotF16 sets out[i] to the dot product of query and row ids[i] of IEEE 754 binary16 numbers, in the order that the
// package comment gives. len(query) is a positive multiple of BlockF16; out has room for len(ids); DotF16 panics otherwise.
// Numbers are finite.
func (k *Kernels) DotF16(query []float32, rows Rows, ids []uint32, out []float32) {
	if requireGather(len(query), BlockF16, rows, len(ids), len(out)) {
		k.f16(query, rows, ids, out[:len(ids)])
	}
}

// DotF32 is DotF16 for rows of binary32 numbers; len(query) is a positive multiple of BlockF32.
func (k *Kernels) DotF32(query []float32, rows Rows, ids []uint32, out []float32) {
	if requireGather(len(query), BlockF32, rows, len(ids), len(out)) {
		k.f32(query, rows, ids, out[:len(ids)])
	}
}

// FilterPrefetch copies to out, in order, those links whose byte in visited is not epoch, sets it to epoch, and asks the
// processor to bring the lines of [row, row+Stride) of each near, at most the first 1,024 bytes (portable kernels do
// not). It returns how many there are. links ends at its first Sentinel or its end. A link at or beyond len(visited) is left out: a writer added it
// after the search had sized visited. out has room for len(links); FilterPrefetch panics otherwise.
//
// links may be changed by a writer meanwhile: each is read once, atomically.
func (k *Kernels) FilterPrefetch(links []uint32, visited []uint8, epoch uint8, rows Rows, out []uint32) int {
	if len(out) < len(links) {
		panic("kernel: no room for all links")
	}
	if len(links) == 0 || len(visited) == 0 {
		return 0
	}
	return k.filter(links, visited, epoch, rows, out)
}

// Prefetch asks the processor to bring the lines of [row, row+Stride) of the rows near, at most the first 1,024 bytes.
// The portable kernels do nothing.
func (k *Kernels) Prefetch(rows Rows, ids []uint32) {
	if len(ids) > 0 {
		k.prefetch(rows, ids)
	}
}

// requireGather says whether there is anything to do, and panics when arguments do not fit each other.
func requireGather(components, block int, rows Rows, ids, out int) bool {
	requireBlocks(components, block)
	if components == 0 {
		panic("kernel: the query is empty")
	}
	if out < ids {
		panic("kernel: no room for all sums")
	}
	if rows.Stride < uintptr(components/block*blockBytes) {
		panic("kernel: rows do not fit the query")
	}
	return ids > 0
}

func requireBlocks(components, block int) {
	if components%block != 0 {
		panic("kernel: the query is not padded to whole blocks")
	}
}
