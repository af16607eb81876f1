//go:build arm64 && !noasm

package kernel

import "golang.org/x/sys/cpu"

func accelerated() string {
	if cpu.ARM64.HasASIMDDP {
		return "neon+dotprod"
	}
	return "neon"
}

func dotRows(query, rows []int8, out []int32) {
	if cpu.ARM64.HasASIMDDP {
		dotRowsSDOT(query, rows, out)
		return
	}
	dotRowsNEON(query, rows, out)
}
