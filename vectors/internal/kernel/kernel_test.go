package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
)

// dims are all that the tests try: every tail, and what models answer in.
func dims() []int {
	var out []int
	for d := 1; d <= 70; d++ {
		out = append(out, d)
	}
	return append(out, 100, 384, 512, 768, 1536, 16384)
}

// oracle multiplies in 64 bits, one pair at a time.
func oracle(a, b []int8) int32 {
	var sum int64
	for i := range a {
		sum += int64(a[i]) * int64(b[i])
	}
	return int32(sum)
}

func fill(r *rand.Rand, v []int8) {
	for i := range v {
		v[i] = int8(r.IntN(255) - 127)
	}
}

// unaligned returns a zeroed slice of n codes that starts at an odd address and ends with its allocation.
func unaligned(n, offset int) []int8 {
	return make([]int8, n+offset)[offset:]
}

func requireDots(t *testing.T, query, rows []int8, n int) {
	t.Helper()
	stride := len(query)
	const guard = 0x5a5a5a5a
	out := slices.Repeat([]int32{guard}, n+1)
	kernel.DotRows(query, rows, out[:n])
	for i := range n {
		want := oracle(query, rows[i*stride:(i+1)*stride])
		require.Equal(t, want, out[i], "row %d of %d, stride %d, kernel %s", i, n, stride, kernel.Name())
		require.Equal(t, want, kernel.DotPortable(query, rows[i*stride:(i+1)*stride]))
	}
	require.EqualValues(t, guard, out[n], "wrote past the end")
}

func TestDotRows_EqualsTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range dims() {
		stride := kernel.Stride(dim)
		require.True(t, stride >= dim && stride < dim+32 && stride%32 == 0)
		for n := range 18 {
			offset := n % 7
			query, rows := unaligned(stride, offset), unaligned(n*stride, offset/2)
			fill(r, query[:dim])
			for i := range n {
				fill(r, rows[i*stride:i*stride+dim])
			}
			requireDots(t, query, rows, n)
		}
	}
}

// The largest sums of two products just fit 16 bits: nothing may saturate.
func TestDotRows_Extremes(t *testing.T) {
	for _, dim := range []int{1, 31, 32, 33, 384, 1536, 16384, 131072} {
		stride := kernel.Stride(dim)
		for _, q := range []int8{-127, 127, 1, 0} {
			query := append(slices.Repeat([]int8{q}, dim), make([]int8, stride-dim)...)
			var rows []int8
			for _, v := range []int8{127, -127, 127, -127, 127, 0, -1} {
				rows = append(rows, slices.Repeat([]int8{v}, dim)...)
				rows = append(rows, make([]int8, stride-dim)...)
			}
			requireDots(t, query, rows, 7)
		}
	}
}

func TestDotRows_RefusesWhatDoesNotFit(t *testing.T) {
	require.Panics(t, func() { kernel.DotRows(make([]int8, 33), make([]int8, 99), make([]int32, 1)) })
	require.Panics(t, func() { kernel.DotRows(make([]int8, 32), make([]int8, 63), make([]int32, 2)) })
	out := []int32{7, 7}
	kernel.DotRows(nil, nil, out)
	require.Equal(t, []int32{0, 0}, out)
	kernel.DotRows(make([]int8, 32), nil, nil)
}

// Where the assembly exists and the machine can run it, it must be what runs; the lane under noasm says so, too.
func TestBest_IsAssemblyWhereThereIsSome(t *testing.T) {
	best, last := kernel.Best(), kernel.All()[len(kernel.All())-1]
	require.Equal(t, kernel.Name(), best.Name())
	require.Equal(t, "portable", last.Name())
	if kernel.NoAssembly {
		require.Equal(t, "portable", best.Name())
		return
	}
	switch b, _ := os.ReadFile("/proc/cpuinfo"); runtime.GOARCH {
	case "arm64":
		require.Contains(t, best.Name(), "neon")
	case "amd64":
		if flags := strings.Fields(string(b)); slices.Contains(flags, "avx2") && slices.Contains(flags, "f16c") {
			require.Equal(t, "avx2", best.Name())
		}
	}
}

func TestNamed_FindsWhatRuns(t *testing.T) {
	for _, k := range kernel.All() {
		got, ok := kernel.Named(k.Name())
		require.True(t, ok)
		require.Equal(t, k.Name(), got.Name())
	}
	_, ok := kernel.Named("mmx")
	require.False(t, ok)
}

func TestSquareSum_IsExact(t *testing.T) {
	require.EqualValues(t, 0, kernel.SquareSum(nil))
	require.EqualValues(t, 127*127*3+1, kernel.SquareSum([]int8{127, -127, 1, 0, 127}))
	require.EqualValues(t, 127*127*200_000, kernel.SquareSum(slices.Repeat([]int8{-127}, 200_000)))
}

// The order of the sum is part of the answer: four lanes, the rest into the first, lanes in pairs.
func TestDotFloat_SumsInItsOwnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for dim := range 71 {
		a, b := make([]float32, dim), make([]float32, dim+1)
		for i := range a {
			a[i], b[i] = float32(r.NormFloat64()), float32(r.NormFloat64()*1e10)
		}
		var lanes [4]float64
		for i := range a {
			lane := i % 4
			if i >= dim/4*4 {
				lane = 0
			}
			product := float64(a[i]) * float64(b[i])
			lanes[lane] += product
		}
		want := (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
		require.Equal(t, math.Float64bits(want), math.Float64bits(kernel.DotFloat(a, b)), "dim %d", dim)
	}
	require.Panics(t, func() { kernel.DotFloat(make([]float32, 2), make([]float32, 1)) })
}

func FuzzDotRows(f *testing.F) {
	f.Add([]byte("some codes of a query and of a few rows, long enough for two of them at the least stride"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, blocks uint8) {
		stride := 32 * (1 + int(blocks%50))
		codes := make([]int8, len(b))
		for i, x := range b {
			codes[i] = max(-127, int8(x))
		}
		if n := len(codes)/stride - 1; n >= 0 {
			requireDots(t, codes[:stride], codes[stride:], n)
		}
	})
}

func BenchmarkDotRows(b *testing.B) {
	for _, dim := range []int{256, 384, 768} {
		stride, n := kernel.Stride(dim), 256
		query, rows, out := make([]int8, stride), make([]int8, n*stride), make([]int32, n)
		r := rand.New(rand.NewPCG(5, 6))
		fill(r, query)
		fill(r, rows)
		b.Run(fmt.Sprintf("%s/%d", kernel.Name(), dim), func(b *testing.B) {
			for b.Loop() {
				kernel.DotRows(query, rows, out)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		})
		b.Run(fmt.Sprintf("baseline/%d", dim), func(b *testing.B) {
			for b.Loop() {
				for i := range n {
					out[i] = kernel.DotPortable(query, rows[i*stride:(i+1)*stride])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		})
	}
}
