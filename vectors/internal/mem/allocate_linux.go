package mem

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page on the systems we know, and the least of what is worth one.
const hugePage = 2 << 20

// allocate maps size zero bytes, rounded up to whole pages; from 2 MiB on to whole huge pages, aligned and marked for
// them. The mark is advice: a system without huge pages gives small ones.
func allocate(size int) (region, error) {
	if size < hugePage {
		size = roundUp(size, os.Getpagesize())
		p, err := mapAnonymous(size)
		if err != nil {
			return region{}, err
		}
		return regionAt(p, size), nil
	}
	size = roundUp(size, hugePage)
	p, err := mapAnonymous(size + hugePage)
	if err != nil {
		return region{}, err
	}
	head := roundUp(int(uintptr(p)), hugePage) - int(uintptr(p))
	r := regionAt(unsafe.Add(p, head), size)
	unmap(p, head)
	unmap(unsafe.Add(p, head+size), hugePage-head)
	_ = unix.Madvise(r.bytes, unix.MADV_HUGEPAGE) // advice
	return r, nil
}

func mapAnonymous(size int) (unsafe.Pointer, error) {
	return unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
}

// unmap gives back what lies around an aligned piece. A failure keeps address space that was never touched, no more.
func unmap(p unsafe.Pointer, size int) {
	if size > 0 {
		_ = unix.MunmapPtr(p, uintptr(size))
	}
}

func regionAt(p unsafe.Pointer, size int) region {
	return region{unsafe.Slice((*byte)(p), size)}
}

func release(r region) error {
	return unix.MunmapPtr(r.address(), uintptr(len(r.bytes)))
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
