package vectors

import (
	"math"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// chunkRows is the number of vectors in a full chunk. A chunk grows in place up to it, so adding a vector never copies
// more than one chunk.
const chunkRows = 1024

// chunk is a structure of arrays: row i is keys[i], inverse[i] and stride components of one of the two tables.
type chunk struct {
	stride  int       // components from one row to the next, at least dim; what is over is zero
	keys    []uint32  // len is the number of rows
	inverse []float64 // 1 / norm of the row
	codes   []int8    // FormInt8
	floats  []float32 // FormFloat32
}

func newChunk(dim int, form Form) *chunk { return &chunk{stride: strideOf(dim, form)} }

// strideOf returns the distance of rows: codes are padded to whole registers, so that kernels have no tail.
func strideOf(dim int, form Form) int {
	if form == FormInt8 {
		return kernel.Stride(dim)
	}
	return dim
}

func (c *chunk) rows() int { return len(c.keys) }

// put writes row i, which is one of the rows or the one after the last.
func (c *chunk) put(i int, key uint32, e Embedding) {
	if i == c.rows() {
		c.grow(e.Form)
	}
	c.keys[i] = key
	c.inverse[i] = inverseNorm(e)
	if e.Form == FormInt8 {
		copy(c.codes[i*c.stride:], e.Int8)
	} else {
		copy(c.floats[i*c.stride:], e.Float32)
	}
}

// grow adds one row, doubling capacity up to chunkRows. What lies between length and capacity is always zero, and so
// is the new row's padding.
func (c *chunk) grow(form Form) {
	n := c.rows() + 1
	if n > cap(c.keys) {
		c.reserve(min(chunkRows, max(16, 2*c.rows())), form)
	}
	c.keys = c.keys[:n]
	c.inverse = c.inverse[:n]
	if form == FormInt8 {
		c.codes = c.codes[:n*c.stride]
	} else {
		c.floats = c.floats[:n*c.stride]
	}
}

// reserve makes room for exactly rows rows.
func (c *chunk) reserve(rows int, form Form) {
	c.keys = resized(c.keys, rows)
	c.inverse = resized(c.inverse, rows)
	if form == FormInt8 {
		c.codes = resized(c.codes, rows*c.stride)
	} else {
		c.floats = resized(c.floats, rows*c.stride)
	}
}

// resized returns a copy of s with the given capacity.
func resized[T any](s []T, capacity int) []T {
	return append(make([]T, 0, capacity), s...)
}

// move copies row j of from over row i.
func (c *chunk) move(i int, from *chunk, j int) {
	c.keys[i] = from.keys[j]
	c.inverse[i] = from.inverse[j]
	copy(row(c.codes, i, c.stride), row(from.codes, j, c.stride))
	copy(row(c.floats, i, c.stride), row(from.floats, j, c.stride))
}

// truncate keeps the first n rows and wipes the others, so that a removed vector does not linger in memory.
func (c *chunk) truncate(n int) {
	c.keys, c.inverse = c.keys[:n], c.inverse[:n]
	c.codes = wiped(c.codes, n*c.stride)
	c.floats = wiped(c.floats, n*c.stride)
}

func wiped[T any](s []T, n int) []T {
	if s == nil {
		return nil
	}
	clear(s[n:])
	return s[:n]
}

func (c *chunk) memoryBytes() int64 {
	return int64(cap(c.keys))*4 + int64(cap(c.inverse))*8 + int64(cap(c.codes)) + int64(cap(c.floats))*4
}

// row returns row i of a table, or nothing of the table that the form does not use.
func row[T any](table []T, i, stride int) []T {
	if table == nil {
		return nil
	}
	return table[i*stride : (i+1)*stride]
}

// inverseNorm returns 1/|e| of a valid vector: positive and finite, since the square of no float32 leaves float64.
func inverseNorm(e Embedding) float64 {
	if e.Form == FormInt8 {
		return 1 / math.Sqrt(float64(kernel.SquareSum(e.Int8)))
	}
	return 1 / math.Sqrt(kernel.DotFloat(e.Float32, e.Float32))
}
