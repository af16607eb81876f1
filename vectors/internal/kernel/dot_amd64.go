//go:build amd64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

func accelerated() string {
	if cpu.X86.HasAVX2 {
		return "avx2"
	}
	return "portable"
}

func dotRows(query, rows []int8, out []int32) {
	if !cpu.X86.HasAVX2 {
		dotRowsPortable(query, rows, out)
		return
	}
	dotRowsAVX2(&query[0], &rows[0], &out[0], len(query), len(out))
}

// dotRowsAVX2 reads stride codes of query and n*stride of rows, and writes n sums. stride is a positive
// multiple of 32; n is positive.
//
//go:noescape
func dotRowsAVX2(query, rows *int8, out *int32, stride, n int)
