package mem

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"
)

// ChunkRows is the number of rows in a chunk: a row id is chunk<<16 | place in the chunk.
const ChunkRows = 1 << chunkShift

const chunkShift = 16

// Chunks is a table of rows of one size outside the reach of the garbage collector. One goroutine at a time grows it;
// others may read and write rows meanwhile, as long as they learnt of a row after Grow had made it (by an atomic
// load, a lock or a channel). The zero value is not usable; see NewChunks.
type Chunks struct {
	stride  int
	rowsMax int
	table   []unsafe.Pointer // address of each chunk; of its final length from the start, nil where none is yet
	maps    []region
	rows    atomic.Int64
	mapped  atomic.Int64
}

// NewChunks returns an empty table of rows of stride bytes (1 to 1 MiB), at most rowsMax of them (1 to 2^32-1). It
// takes 8 bytes for each possible chunk and no memory for rows. It panics on other numbers: they come from code.
func NewChunks(stride, rowsMax int) *Chunks {
	if stride < 1 || stride > 1<<20 || rowsMax < 1 || uint64(rowsMax) > math.MaxUint32 {
		panic(fmt.Sprintf("mem: table of %d rows of %d bytes", rowsMax, stride))
	}
	return &Chunks{
		stride:  stride,
		rowsMax: rowsMax,
		table:   make([]unsafe.Pointer, (rowsMax+ChunkRows-1)/ChunkRows),
	}
}

// Grow makes rows 0 to rows-1 usable; new ones are zero. It never shrinks and never moves a row. On an error, rows
// that were usable still are. Errors: ErrRowsMax, or the system's when it has no memory.
func (c *Chunks) Grow(rows int) error {
	if rows > c.rowsMax {
		return fmt.Errorf("grow to %d rows, at most %d: %w", rows, c.rowsMax, ErrRowsMax)
	}
	for len(c.maps)*ChunkRows < rows {
		r, err := allocate(c.stride * ChunkRows)
		if err != nil {
			return fmt.Errorf("grow to %d rows of %d bytes: %w", rows, c.stride, err)
		}
		c.table[len(c.maps)] = r.address()
		c.maps = append(c.maps, r)
		c.mapped.Add(int64(len(r.bytes)))
	}
	if int64(rows) > c.rows.Load() {
		c.rows.Store(int64(rows))
	}
	return nil
}

// Row returns the address of row id, stride bytes long, valid until Free. It panics when no chunk can have the id; an id
// from Rows on that lies inside a chunk is memory that the next Grow hands out.
func (c *Chunks) Row(id uint32) unsafe.Pointer {
	chunk := c.table[id>>chunkShift]
	if chunk == nil {
		panic("mem: row of a chunk that does not exist")
	}
	return unsafe.Add(chunk, int(id&(ChunkRows-1))*c.stride)
}

// Bytes returns row id as a slice of the stride's length, valid until Free.
func (c *Chunks) Bytes(id uint32) []byte {
	return unsafe.Slice((*byte)(c.Row(id)), c.stride)
}

// RowOf returns row id as numbers of type T, as many as fit; T holds no pointers. The stride must keep rows aligned for T,
// which the race detector's build checks.
func RowOf[T int8 | uint8 | uint16 | int32 | uint32 | uint64 | float32](c *Chunks, id uint32) []T {
	var number T
	return unsafe.Slice((*T)(c.Row(id)), c.stride/int(unsafe.Sizeof(number)))
}

// Table returns the addresses of the chunks, nil where there is none yet. Its length never changes. The caller does
// not write to it, and does not read it after Free.
func (c *Chunks) Table() []unsafe.Pointer { return c.table }

// Stride returns the bytes from row to row.
func (c *Chunks) Stride() int { return c.stride }

// Rows returns how many rows are usable. Safe beside Grow.
func (c *Chunks) Rows() int { return int(c.rows.Load()) }

// RowsMax returns how many rows there can ever be.
func (c *Chunks) RowsMax() int { return c.rowsMax }

// MappedBytes returns the address space of all chunks; pages that were never touched take no memory. Safe beside Grow.
func (c *Chunks) MappedBytes() int64 { return c.mapped.Load() }

// Free gives all memory back. No row may be in use and none may be asked for afterwards, other than after a new Grow.
// Free of an empty or freed table does nothing.
func (c *Chunks) Free() error {
	var first error
	for _, r := range c.maps {
		if err := release(r); err != nil && first == nil {
			first = fmt.Errorf("free a chunk: %w", err)
		}
	}
	clear(c.table) // a stale address must not look like a pointer once the heap grows over it
	c.maps = nil
	c.rows.Store(0)
	c.mapped.Store(0)
	return first
}

// region is one chunk's memory.
type region struct{ bytes []byte }

func (r region) address() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(r.bytes)) }
