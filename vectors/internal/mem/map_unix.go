//go:build linux || darwin || freebsd || netbsd || openbsd

package mem

import (
	"os"

	"golang.org/x/sys/unix"
)

const (
	adviceRandom   = unix.MADV_RANDOM
	adviceWillNeed = unix.MADV_WILLNEED
	adviceDontNeed = unix.MADV_DONTNEED
)

func mapFile(file *os.File, size int) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
}

func unmapFile(b []byte) error { return unix.Munmap(b) }

func advise(b []byte, advice int) {
	if len(b) > 0 {
		_ = unix.Madvise(b, advice) // advice
	}
}
