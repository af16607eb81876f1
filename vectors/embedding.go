package vectors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Form is the number format an embedder answers in. It is stored; never renumber.
type Form uint8

// The values of Form.
const (
	FormInt8    Form = 1 // one byte a dimension, -127 to 127, any scale: only the direction counts
	FormFloat32 Form = 2 // four bytes a dimension, IEEE 754, finite
)

// String returns "int8" or "float32".
func (f Form) String() string {
	switch f {
	case FormInt8:
		return "int8"
	case FormFloat32:
		return "float32"
	}
	return fmt.Sprintf("form %d", uint8(f))
}

// EmbeddingDimMax bounds the dimensions of an embedding; the widest public models have 8,192.
const EmbeddingDimMax = 16384

// Errors of embeddings. Both come wrapped with the value that was met and the values allowed.
var (
	// ErrEmbeddingInvalid says that an embedding cannot be indexed: its form, dimension or a number in it.
	ErrEmbeddingInvalid = errors.New("invalid embedding")
	// ErrEmbeddingBytes says that stored bytes are not an embedding: cut, of an unknown form, or not as AppendBinary writes.
	ErrEmbeddingBytes = errors.New("not an embedding")
)

// Embedding is the direction an embedder gave to a text, in the embedder's own number format. It is authoritative:
// it is stored as answered, and quantised codes and graphs are derived from it without asking the embedder again.
// Exactly one of Int8 and Float32 is in use, as Form says. The zero value is no embedding (Validate refuses it).
// The slices belong to whoever made the value; readers never write to them, so it may be shared between goroutines.
type Embedding struct {
	Form    Form
	Int8    []int8
	Float32 []float32
}

// Dim returns the number of dimensions; 0 for an unknown form.
func (e Embedding) Dim() int {
	switch e.Form {
	case FormInt8:
		return len(e.Int8)
	case FormFloat32:
		return len(e.Float32)
	}
	return 0
}

// Validate says whether e can be indexed beside vectors of dim dimensions: a known form, only that form's slice
// in use, exactly dim numbers (1 to EmbeddingDimMax), none of them NaN, infinite or -128, and not all of them zero.
// Errors: ErrEmbeddingInvalid, naming value and allowed values.
func (e Embedding) Validate(dim int) error {
	if e.Form != FormInt8 && e.Form != FormFloat32 {
		return fmt.Errorf("%w: %v, allowed are int8 (1) and float32 (2)", ErrEmbeddingInvalid, e.Form)
	}
	if len(e.Int8) > 0 && len(e.Float32) > 0 {
		return fmt.Errorf("%w: %d int8 and %d float32 numbers, allowed is one form", ErrEmbeddingInvalid, len(e.Int8), len(e.Float32))
	}
	if dim < 1 || dim > EmbeddingDimMax {
		return fmt.Errorf("%w: dimension %d asked for, allowed are 1 to %d", ErrEmbeddingInvalid, dim, EmbeddingDimMax)
	}
	if e.Dim() != dim {
		return fmt.Errorf("%w: %d dimensions, allowed are exactly %d", ErrEmbeddingInvalid, e.Dim(), dim)
	}
	if e.Form == FormInt8 {
		return validateInt8(e.Int8)
	}
	return validateFloat32(e.Float32)
}

func validateInt8(v []int8) error {
	zero := true
	for i, x := range v {
		if x == math.MinInt8 {
			return fmt.Errorf("%w: %d at dimension %d, allowed are -127 to 127", ErrEmbeddingInvalid, x, i)
		}
		zero = zero && x == 0
	}
	return refuseZero(zero, len(v))
}

func validateFloat32(v []float32) error {
	zero := true
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("%w: %v at dimension %d, allowed are finite numbers", ErrEmbeddingInvalid, x, i)
		}
		zero = zero && x == 0
	}
	return refuseZero(zero, len(v))
}

func refuseZero(zero bool, dim int) error {
	if zero {
		return fmt.Errorf("%w: all %d numbers are 0, allowed is any vector with a direction", ErrEmbeddingInvalid, dim)
	}
	return nil
}

// AppendBinary appends the stored form of e to dst and returns the longer slice:
//
//	form 1 B | dim uvarint | dim x 1 B (int8) or dim x 4 B (float32, little-endian bits)
//
// Every bit of every number survives, also NaN payloads and -0. An unknown form is written with dim 0.
func (e Embedding) AppendBinary(dst []byte) []byte {
	dst = append(dst, byte(e.Form))
	dst = binary.AppendUvarint(dst, uint64(e.Dim()))
	switch e.Form {
	case FormInt8:
		for _, x := range e.Int8 {
			dst = append(dst, byte(x))
		}
	case FormFloat32:
		for _, x := range e.Float32 {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
		}
	}
	return dst
}

// ParseEmbedding reads one embedding that AppendBinary wrote from the front of b and returns it with the bytes after it.
// The numbers are copied. It checks the shape only; call Validate before indexing. Allocation is bounded by len(b).
// Errors: ErrEmbeddingBytes.
func ParseEmbedding(b []byte) (e Embedding, rest []byte, err error) {
	form, dim, body, err := parseEmbeddingHead(b)
	if err != nil {
		return Embedding{}, nil, err
	}
	if form == FormInt8 {
		v := make([]int8, dim)
		for i := range v {
			v[i] = int8(body[i])
		}
		return Embedding{Form: form, Int8: v}, body[dim:], nil
	}
	v := make([]float32, dim)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
	}
	return Embedding{Form: form, Float32: v}, body[4*dim:], nil
}

// parseEmbeddingHead returns a body of at least dim numbers of the form. Only the shortest uvarint is accepted, so
// that an embedding has one stored form.
func parseEmbeddingHead(b []byte) (form Form, dim int, body []byte, err error) {
	if len(b) < 2 {
		return 0, 0, nil, fmt.Errorf("%w: %d bytes, want at least 2", ErrEmbeddingBytes, len(b))
	}
	width := 0
	switch form = Form(b[0]); form {
	case FormInt8:
		width = 1
	case FormFloat32:
		width = 4
	default:
		return 0, 0, nil, fmt.Errorf("%w: %v, want int8 (1) or float32 (2)", ErrEmbeddingBytes, form)
	}
	d, n := binary.Uvarint(b[1:])
	if n <= 0 || n > 1 && b[n] == 0 || d < 1 || d > EmbeddingDimMax {
		return 0, 0, nil, fmt.Errorf("%w: dimension bytes % x, want a shortest uvarint from 1 to %d", ErrEmbeddingBytes, b[1:min(len(b), 4)], EmbeddingDimMax)
	}
	dim, body = int(d), b[1+n:]
	if len(body) < dim*width {
		return 0, 0, nil, fmt.Errorf("%w: %d bytes of numbers, want %d", ErrEmbeddingBytes, len(body), dim*width)
	}
	return form, dim, body, nil
}

// Cosine returns the cosine of the angle between a and b, from -1 to 1: 0 when they are at right angles, differ in
// dimension or one of them has no direction. It gives the same bits on every machine: int8 pairs add up in integers,
// all others in float64 from the first dimension to the last without fused multiply-add. Pure.
func Cosine(a, b Embedding) float32 {
	if a.Dim() != b.Dim() {
		return 0
	}
	if a.Form == FormInt8 && b.Form == FormInt8 {
		return cosineInt8(a.Int8, b.Int8)
	}
	return cosineFloat(a, b)
}

func cosineInt8(a, b []int8) float32 {
	var ab, aa, bb int64
	for i, x := range a {
		ab += int64(x) * int64(b[i])
		aa += int64(x) * int64(x)
		bb += int64(b[i]) * int64(b[i])
	}
	return cosineOf(float64(ab), float64(aa), float64(bb))
}

func cosineFloat(a, b Embedding) float32 {
	var ab, aa, bb float64
	for i := range a.Dim() {
		x, y := a.at(i), b.at(i)
		ab += float64(x * y) // the conversion forbids fusing, which arm64 would do and amd64 not
		aa += float64(x * x)
		bb += float64(y * y)
	}
	return cosineOf(ab, aa, bb)
}

// cosineOf takes the roots one by one, so that the product of two squared lengths cannot overflow.
func cosineOf(ab, aa, bb float64) float32 {
	if aa == 0 || bb == 0 {
		return 0
	}
	c := ab / float64(math.Sqrt(aa)*math.Sqrt(bb))
	return float32(min(max(c, -1), 1))
}

func (e Embedding) at(i int) float64 {
	if e.Form == FormInt8 {
		return float64(e.Int8[i])
	}
	return float64(e.Float32[i])
}
