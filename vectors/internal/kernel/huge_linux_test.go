package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// hugeBytes allocates as indexes do: outside the heap, on huge pages where there are some.
func hugeBytes(b *testing.B) func(int) []byte {
	return func(n int) []byte {
		memory, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		require.NoError(b, err)
		_ = unix.Madvise(memory, unix.MADV_HUGEPAGE) // advice
		b.Cleanup(func() { require.NoError(b, unix.Munmap(memory)) })
		return memory
	}
}
