//go:build noasm || !(amd64 || arm64)

package kernel

func accelerated() string { return "portable" }

func dotRows(query, rows []int8, out []int32) { dotRowsPortable(query, rows, out) }
