package hot

import (
	"math"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// Vector is a direction in one of two forms: exactly one slice is in use, the one the graph was made for. Its numbers
// are finite, not all of them zero, and no code is -128: the caller has checked. The slices are only read.
type Vector struct {
	Int8  []int8
	Float []float32
}

// quantise writes the codes of v to dst, one byte a component, scaled so that the largest is 127, and returns the factor
// that turns a code into a component of the vector of length 1. norm is the length of v.
func quantise(dst []int8, v []float32, norm float64) float32 {
	largest := float64(0)
	for _, x := range v {
		largest = max(largest, math.Abs(float64(x)))
	}
	step := largest / 127
	for i, x := range v {
		dst[i] = int8(math.Round(float64(x) / step))
	}
	return float32(step / norm)
}

// normInt8 and normFloat give the norm as the flat index does, so that similarities have the same bits.
func normInt8(v []int8) float64     { return math.Sqrt(float64(kernel.SquareSum(v))) }
func normFloat(v []float32) float64 { return math.Sqrt(kernel.DotFloat(v, v)) }

// cosine scales a dot product, in the flat index's order of multiplications.
func cosine(dot, inverseA, inverseB float64) float32 {
	return float32(dot * (inverseA * inverseB))
}

// order maps a similarity to a number that rises as it falls: sorted ascending, the best come first.
func order(similarity float32) uint32 {
	b := math.Float32bits(similarity + 0) // -0 becomes 0
	return ^(b ^ (uint32(int32(b)>>31) | 1<<31))
}

// unorder is the inverse of order.
func unorder(o uint32) float32 {
	b := ^o
	return math.Float32frombits(b ^ (uint32(int32(^b)>>31) | 1<<31))
}

func dotFloat(a, b []float32) float64 { return kernel.DotFloat(a, b) }

func inverseRoot(square int32) float64 { return 1 / math.Sqrt(float64(square)) }

var nan = float32(math.NaN())
