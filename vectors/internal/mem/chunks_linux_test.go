package mem_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/mem"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Large chunks begin where a huge page does and are marked for huge pages ("hg" among the flags of their mapping);
// small ones are neither rounded up nor marked, since one byte of a huge page takes all of it.
func TestChunks_AreMarkedForHugePages(t *testing.T) {
	large, small := newChunks(t, 384, mem.ChunkRows), newChunks(t, 4, mem.ChunkRows)
	require.NoError(t, large.Grow(1))
	require.NoError(t, small.Grow(1))
	require.EqualValues(t, 24<<20, large.MappedBytes())
	require.EqualValues(t, 256<<10, small.MappedBytes())
	start := uintptr(large.Row(0))
	require.Zero(t, start%(2<<20))
	if !marks(t) {
		t.Skip("this system does not mark mappings for huge pages, or does not show it")
	}
	require.Contains(t, flagsOf(t, start), "hg")
	require.NotContains(t, flagsOf(t, uintptr(small.Row(0))), "hg")
}

// marks says whether the mark shows on a mapping of the test's own.
func marks(t *testing.T) bool {
	b, err := unix.Mmap(-1, 0, 4<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	defer func() { require.NoError(t, unix.Munmap(b)) }()
	return unix.Madvise(b, unix.MADV_HUGEPAGE) == nil && slices.Contains(flagsOf(t, uintptr(unsafe.Pointer(&b[0]))), "hg")
}

// flagsOf returns the flags of the mapping that holds an address.
func flagsOf(t *testing.T, address uintptr) []string {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil
	}
	defer func() { require.NoError(t, file.Close()) }()
	inside := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			inside = from <= address && address < to
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && inside {
			return strings.Fields(flags)
		}
	}
	return nil
}

func TestChunks_SystemWithoutMemory(t *testing.T) {
	// 2^16 rows of 1 MiB are 64 GiB a chunk of address space; 2^47 bytes are all there is.
	c := newChunks(t, 1<<20, 1<<32-1)
	var err error
	for rows := mem.ChunkRows; err == nil && rows < 1<<28; rows += 64 * mem.ChunkRows {
		err = c.Grow(rows)
	}
	if err == nil {
		t.Skip("this system has more address space than the test asks for")
	}
	require.NotErrorIs(t, err, mem.ErrRowsMax)
	require.ErrorContains(t, err, "rows of 1048576 bytes")
	require.Equal(t, make([]byte, 1<<20), c.Bytes(uint32(c.Rows()-1)), "rows before still serve")
}
