package cold

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/membrain-db/membrain/vectors/internal/mem"
)

// Codes in memory: of each vector a few bits a component, and a factor f = |x| / <x, c> of two bytes (binary16), where c is
// what the bits stand for. <q, c> * f estimates |q| times the cosine of q and x without bias: Gao and Long, RaBitQ,
// SIGMOD 2024, equation 18 without the rotation.
const (
	navBitsFine   = 4
	navBitsCoarse = 1
	factorBytes   = 2
)

// navBytes returns the size of a row.
func navBytes(dim, navBits int) int {
	if navBits == navBitsFine {
		return kernel.RowBytes(dim, kernel.BlockU4) + factorBytes
	}
	return (dim+63)/64*8 + factorBytes
}

// navigation is the codes in memory.
type navigation struct {
	dim     int
	bits    int
	kernels kernel.Kernels
	chunks  *mem.Chunks
	rows    kernel.Rows
}

func newNavigation(dim, navBits, n int) (*navigation, error) {
	v := &navigation{dim: dim, bits: navBits, kernels: kernel.Best()}
	v.chunks = mem.NewChunks(navBytes(dim, navBits), max(1, n))
	if err := v.chunks.Grow(n); err != nil {
		return nil, err
	}
	v.rows = kernel.Rows{Chunks: v.chunks.Table(), Stride: uintptr(v.chunks.Stride())}
	return v, nil
}

// navQuery is a query as the codes in memory meet it.
type navQuery struct {
	codes  []int8 // padded to kernel.BlockU4
	bias   int32
	planes [4][]uint64 // bit p of component i: one-bit codes are compared with a query of four bits
	sum    int32
	unit   float64 // 1 / length of what the codes are multiplied with
}

// prepare sets q up for codes, which are zero from dim on and padded to kernel.BlockU4.
func (v *navigation) prepare(q *navQuery, codes []int8) {
	q.codes = codes
	if v.bits == navBitsFine {
		q.bias = kernel.BiasU4(codes)
		q.unit = 1 / math.Sqrt(float64(kernel.SquareSum(codes)))
		return
	}
	q.split(codes[:v.dim])
}

// split writes the components as odd numbers from -15 to 15, two a step, in four planes of bits.
func (q *navQuery) split(codes []int8) {
	largest := 1
	for _, c := range codes {
		largest = max(largest, int(c), -int(c))
	}
	words := (len(codes) + 63) / 64
	for p := range q.planes {
		q.planes[p] = resized(q.planes[p], words)
		clear(q.planes[p])
	}
	q.sum = 0
	square := int64(0)
	for i, c := range codes {
		u := uint64((int(c)+largest)*15+largest) / uint64(2*largest) // rounded
		odd := 2*int32(u) - 15
		q.sum += odd
		square += int64(odd) * int64(odd)
		for p := range q.planes {
			q.planes[p][i/64] |= (u >> p & 1) << (i % 64)
		}
	}
	q.unit = 1 / math.Sqrt(float64(square))
}

// scores sets out[i] to an estimate of the cosine with the query.
func (v *navigation) scores(q *navQuery, ids []uint32, dots []int32, out []float32) {
	if len(ids) == 0 {
		return
	}
	if v.bits == navBitsFine {
		v.kernels.DotU4(q.codes, q.bias, v.rows, ids, dots)
	} else {
		v.coarseDots(q, ids, dots)
	}
	factorAt := v.chunks.Stride() - factorBytes
	for i, id := range ids {
		factor := *(*[factorBytes]byte)(unsafe.Add(v.chunks.Row(id), factorAt))
		out[i] = float32(float64(dots[i]) * (q.unit * float64(kernel.F16ToFloat32(binary.LittleEndian.Uint16(factor[:])))))
	}
}

// coarseDots multiplies the query's odd numbers with signs: a bit b stands for 2b-1, so the sum is twice the sum over set
// bits less the sum over all.
func (v *navigation) coarseDots(q *navQuery, ids []uint32, dots []int32) {
	for i, id := range ids {
		row := v.chunks.Bytes(id)
		var set, p0, p1, p2, p3 int
		for w := range q.planes[0] {
			b := binary.LittleEndian.Uint64(row[8*w:])
			set += bits.OnesCount64(b)
			p0 += bits.OnesCount64(b & q.planes[0][w])
			p1 += bits.OnesCount64(b & q.planes[1][w])
			p2 += bits.OnesCount64(b & q.planes[2][w])
			p3 += bits.OnesCount64(b & q.planes[3][w])
		}
		dots[i] = int32(4*(p0+2*p1+4*p2+8*p3)-30*set) - q.sum
	}
}

// encoder makes rows of codes in memory.
type encoder struct {
	bits  int
	trial []int8
	best  []int8
}

// encode writes the row of codes, which have a direction, to dst.
func (e *encoder) encode(dst []byte, codes []int8) {
	body, factor := dst[:len(dst)-factorBytes], dst[len(dst)-factorBytes:]
	var f float64
	if e.bits == navBitsFine {
		f = e.fine(body, codes)
	} else {
		f = coarse(body, codes)
	}
	binary.LittleEndian.PutUint16(factor, kernel.F16FromFloat32(float32(f)))
}

// shares are the parts of the largest component that become the largest code: cutting off a few large components leaves
// finer steps for the many small ones.
var shares = [...]float64{1, 0.85, 0.7, 0.55, 0.42, 0.32}

// fine picks the step whose codes point most nearly where the vector points.
func (e *encoder) fine(body []byte, codes []int8) float64 {
	largest := 0
	for _, c := range codes {
		largest = max(largest, int(c), -int(c))
	}
	e.trial, e.best = resized(e.trial, len(codes)), resized(e.best, len(codes))
	bestCosine, factor := -1.0, 0.0
	length := math.Sqrt(float64(kernel.SquareSum(codes)))
	for _, share := range shares {
		inverse := 7 / (share * float64(largest))
		var cross, square int64
		for i, c := range codes {
			t := int8(min(max(math.RoundToEven(float64(c)*inverse), -8), 7))
			e.trial[i] = t
			cross += int64(t) * int64(c)
			square += int64(t) * int64(t)
		}
		if cosine := float64(cross) / math.Sqrt(float64(square)); cosine > bestCosine {
			bestCosine, factor = cosine, length/float64(cross)
			e.trial, e.best = e.best, e.trial
		}
	}
	kernel.PackU4(body, e.best)
	return factor
}

func coarse(body []byte, codes []int8) float64 {
	clear(body)
	sum := int64(0)
	for i, c := range codes {
		if c >= 0 {
			body[i/8] |= 1 << (i % 8)
			sum += int64(c)
		} else {
			sum -= int64(c)
		}
	}
	return math.Sqrt(float64(kernel.SquareSum(codes))) / float64(sum)
}

// resized returns s with n elements of any content.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
