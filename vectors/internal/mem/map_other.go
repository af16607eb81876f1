//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package mem

import (
	"io"
	"os"
)

const (
	adviceRandom = iota
	adviceWillNeed
	adviceDontNeed
)

// mapFile reads the file: this system has no mapping that we know, and faults cannot happen.
func mapFile(file *os.File, size int) ([]byte, error) {
	b := make([]byte, size)
	_, err := io.ReadFull(file, b)
	return b, err
}

func unmapFile([]byte) error { return nil }

func advise([]byte, int) {}
