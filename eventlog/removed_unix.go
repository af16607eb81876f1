//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventlog

import (
	"os"
	"syscall"
)

// removed reports whether an open file has no name left, so that what is written to it ends with its last handle.
func removed(file *os.File) bool {
	info, err := file.Stat()
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink == 0
}
