//go:build linux || darwin || freebsd || netbsd || openbsd

package mem_test

import (
	"os"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/membrain-db/membrain/vectors/internal/mem"
	"github.com/stretchr/testify/require"
)

// cut makes a mapped file of four pages one page long.
func cut(t *testing.T) (f *mem.File, page int) {
	page = os.Getpagesize()
	path, _ := write(t, 4*page)
	f = open(t, path, int64(4*page))
	require.NoError(t, os.Truncate(path, int64(page)))
	require.ErrorIs(t, f.CheckSize(), mem.ErrSize)
	return f, page
}

func TestGuard_TurnsAFaultIntoAnError(t *testing.T) {
	f, page := cut(t)
	sum := 0
	for range 3 { // the process survives more than once
		err := f.Guard(func() error {
			for i := 0; i < f.Len(); i += 64 {
				sum += int(f.Bytes()[i])
			}
			return nil
		})
		require.ErrorIs(t, err, mem.ErrFault)
		require.ErrorContains(t, err, "offset ")
	}
	require.NoError(t, f.Guard(func() error { sum += int(f.Bytes()[page-1]); return nil }), "what is left still serves")
	require.NotZero(t, sum)
}

// Assembly faults as Go does.
func TestGuard_CoversKernels(t *testing.T) {
	f, page := cut(t)
	out := make([]int32, 5)
	for _, k := range kernel.All() {
		ids := []uint32{0, 1, 2, 3, 4}
		rows := kernel.Rows{Chunks: []unsafe.Pointer{unsafe.Pointer(&f.Bytes()[0])}, Stride: uintptr(page / 2)}
		err := f.Guard(func() error { k.DotI8(make([]int8, 384), rows, ids, out); return nil })
		require.ErrorIs(t, err, mem.ErrFault, k.Name())
		k.Prefetch(rows, ids) // a hint never faults
		require.NoError(t, f.Guard(func() error { k.DotI8(make([]int8, 384), rows, ids[:2], out); return nil }))
	}
}

func TestGuard_LeavesTheSettingAsItWas(t *testing.T) {
	f, _ := cut(t)
	path, _ := write(t, 2)
	inner := open(t, path, 2)
	err := f.Guard(func() error {
		if err := inner.Guard(func() error { return nil }); err != nil {
			return err
		}
		return touch(f) // would end the process if the inner guard had switched the outer one off
	})
	require.ErrorIs(t, err, mem.ErrFault)
}

// touch reads all of a file.
func touch(f *mem.File) error {
	sum := 0
	for _, b := range f.Bytes() {
		sum += int(b)
	}
	if sum == 0 {
		return os.ErrInvalid
	}
	return nil
}
