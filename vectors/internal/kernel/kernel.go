package kernel

// block is the number of codes in one register of the widest kernel.
const block = 32

// Stride returns the smallest multiple of 32 that holds dim codes: the distance from row to row.
func Stride(dim int) int { return (dim + block - 1) / block * block }

// Name says which kernel DotRows runs: "avx2", "neon+dotprod", "neon" or "portable".
func Name() string { return accelerated() }

// DotRows sets out[i] to the dot product of query and row i, where row i is rows[i*len(query):(i+1)*len(query)]. It
// fills all of out. len(query) is a multiple of 32, at most 131,072, and rows has room for len(out) rows; DotRows
// panics otherwise. No code is -128. It keeps none of its arguments.
func DotRows(query, rows []int8, out []int32) {
	stride := len(query)
	if stride%block != 0 || len(rows) < len(out)*stride {
		panic("kernel: rows do not fit the query")
	}
	if stride == 0 {
		clear(out)
		return
	}
	if len(out) > 0 {
		dotRows(query, rows, out)
	}
}

// dotRowsPortable is the twin that defines the answer.
func dotRowsPortable(query, rows []int8, out []int32) {
	stride := len(query)
	for i := range out {
		out[i] = dotPortable(query, rows[i*stride:(i+1)*stride])
	}
}

// dotPortable multiplies two slices of one length, which is a multiple of 8.
func dotPortable(a, b []int8) int32 {
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		s0 += int32(a[0])*int32(b[0]) + int32(a[4])*int32(b[4])
		s1 += int32(a[1])*int32(b[1]) + int32(a[5])*int32(b[5])
		s2 += int32(a[2])*int32(b[2]) + int32(a[6])*int32(b[6])
		s3 += int32(a[3])*int32(b[3]) + int32(a[7])*int32(b[7])
		a, b = a[8:], b[8:]
	}
	return s0 + s1 + s2 + s3
}

// SquareSum returns the sum of the squares of codes, of any length.
func SquareSum(codes []int8) int64 {
	var sum int64
	for _, c := range codes {
		sum += int64(c) * int64(c)
	}
	return sum
}

// DotFloat returns the dot product of two slices of one length, summed in four interleaved lanes. It panics
// when b is shorter than a.
func DotFloat(a, b []float32) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float64(a[0]) * float64(b[0])
		s1 += float64(a[1]) * float64(b[1])
		s2 += float64(a[2]) * float64(b[2])
		s3 += float64(a[3]) * float64(b[3])
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += float64(x) * float64(b[i])
	}
	return (s0 + s1) + (s2 + s3)
}
