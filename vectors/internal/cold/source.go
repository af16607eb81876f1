package cold

import (
	"fmt"
	"math"
)

// Form is the number format of the vectors. It is stored; never renumber. The values are those of vectors.Form.
type Form uint8

// The values of Form.
const (
	FormInt8    Form = 1 // one byte a dimension, -127 to 127, any scale: only the direction counts
	FormFloat32 Form = 2 // IEEE 754 binary32, finite
)

// Row is one vector: the slice of its form, and only that.
type Row struct {
	Int8    []int8
	Float32 []float32
}

// Source is what a shard is made of. Seal calls it from one goroutine, in any order and several times for a row; what it
// answers must not change meanwhile. Returned slices are only read, and not after the next call.
type Source interface {
	Len() int         // number of vectors, 0 to VectorsMax
	Dim() int         // components of each, 1 to DimMax
	Form() Form       // of every row
	Key(i int) uint32 // no key stands twice
	Row(i int) Row    // with a direction; no NaN, no infinity, no code of -128
	// Links returns the neighbours of vector i in the lowest level of a graph, at least its own nearest ones. When it is
	// empty for every i, Seal builds a graph.
	Links(i int) []uint32
}

// Bounds of a shard.
const (
	DimMax     = 16384
	VectorsMax = 1 << 26
	MetaMax    = 256 // bytes
)

// Options say how to seal. The zero value is sane.
type Options struct {
	// Recall is the share of the 10 nearest vectors that a search finds on average, in (0, 1); 0 means 0.98. Seal measures
	// how wide a search must be for it, on vectors of the source with noise.
	Recall float64
	// ResidentBytesMax, when it is positive, bounds the memory of an open shard: when codes of four bits would exceed it,
	// codes of one bit are used. Those are not checked against it: below them there is nothing.
	ResidentBytesMax int64
	// Exact keeps the rows of FormFloat32 beside their codes, so that the similarities of hits are exact. FormInt8 is
	// always exact.
	Exact bool
	// Meta is stored for the owner, at most MetaMax bytes.
	Meta []byte
}

// Info describes a shard that has been sealed.
type Info struct {
	Vectors       int
	FileBytes     int64
	ResidentBytes int64   // memory of the open shard
	NavBits       int     // bits a component of the codes in memory: 4 or 1
	Width         int     // how many candidates a walk keeps; 65,536 when the source's graph is no good, and searches are scans
	Rescore       int     // how many candidates of a scan are compared by their blocks, on average
	Recall        float64 // share of the 10 nearest of 128 noisy vectors that Width finds; 1 when there are none
}

// recallDefault is what Options.Recall's zero value means.
const recallDefault = 0.98

func (o Options) check() error {
	if !(o.Recall >= 0 && o.Recall < 1) || len(o.Meta) > MetaMax {
		return fmt.Errorf("%w: recall %v of [0, 1), %d bytes of meta of at most %d", ErrSource, o.Recall, len(o.Meta), MetaMax)
	}
	return nil
}

func (o Options) recall() float64 {
	if o.Recall == 0 {
		return recallDefault
	}
	return o.Recall
}

// direction writes the codes of a row to dst, which has room for dim of them and is zero beyond, and says whether the row
// is one. Codes of eight bits are taken as they are; floats are scaled so that the largest becomes 127.
func (r Row) direction(form Form, dim int, dst []int8) bool {
	if form == FormInt8 {
		return len(r.Int8) == dim && len(r.Float32) == 0 && copyCodes(dst, r.Int8)
	}
	return len(r.Float32) == dim && len(r.Int8) == 0 && scaleFloats(dst, r.Float32)
}

func copyCodes(dst, codes []int8) bool {
	some := false
	for i, c := range codes {
		if c == math.MinInt8 {
			return false
		}
		some = some || c != 0
		dst[i] = c
	}
	return some
}

func scaleFloats(dst []int8, x []float32) bool {
	largest := float32(0)
	for _, v := range x {
		if !(v >= -math.MaxFloat32 && v <= math.MaxFloat32) {
			return false
		}
		largest = max(largest, v, -v)
	}
	if largest == 0 {
		return false
	}
	scale := 127 / float64(largest)
	for i, v := range x {
		dst[i] = int8(math.RoundToEven(float64(v) * scale))
	}
	return true
}
