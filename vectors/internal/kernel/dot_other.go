//go:build !amd64 || noasm

package kernel

func accelerated() bool { return false }

func dotRows(query, rows []int8, out []int32) { dotRowsPortable(query, rows, out) }
