package codec

import (
	"math"
	"unsafe"

	"github.com/membrain-db/membrain/model"
)

// checker reads stored fields and keeps the first fault that it meets, so that a decoder can read on and ask once.
type checker struct{ err error }

func (c *checker) fail(format string, args ...any) {
	if c.err == nil {
		c.err = malformed(format, args...)
	}
}

// enum narrows a stored number to an enum of the model.
func enum[E ~uint8](c *checker, field string, v uint32) E {
	if v > math.MaxUint8 {
		c.fail("%s is %d, over 255", field, v)
	}
	return E(v)
}

// id reads 16 bytes; none at all is the zero id.
func (c *checker) id(field string, b []byte) (id [16]byte) {
	if len(b) != 0 && len(b) != len(id) {
		c.fail("%s has %d bytes, not 16", field, len(b))
		return id
	}
	copy(id[:], b)
	return id
}

// ids reads ids that are laid end to end; none gives nil.
func (c *checker) ids(field string, b []byte) []model.MemoryID {
	if len(b) == 0 {
		return nil
	}
	if len(b)%16 != 0 {
		c.fail("%s has %d bytes, not a multiple of 16", field, len(b))
		return nil
	}
	list := make([]model.MemoryID, len(b)/16)
	copy(idBytes(list), b)
	return list
}

// columns reports whether the columns of a list have n entries each.
func (c *checker) columns(field string, n int, lengths ...int) bool {
	for _, got := range lengths {
		if got != n {
			c.fail("%s: columns of %d and %d entries", field, n, got)
			return false
		}
	}
	return true
}

// three reads exactly three floats.
func (c *checker) three(field string, bits []uint64) (f [3]float64) {
	if len(bits) != len(f) {
		c.fail("%s has %d values, not 3", field, len(bits))
		return f
	}
	for i, b := range bits {
		f[i] = float(b)
	}
	return f
}

// bits and float name the two directions of a stored float64.
func bits(f float64) uint64  { return math.Float64bits(f) }
func float(b uint64) float64 { return math.Float64frombits(b) }

// idBytes views ids as the bytes that they are; the view lives as long as the list. nil for none.
func idBytes(list []model.MemoryID) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice(&list[0][0], len(list)*16)
}

// someBytes views an id; the zero id is stored as absent.
func someBytes(id *[16]byte) []byte {
	if *id == [16]byte{} {
		return nil
	}
	return id[:]
}
