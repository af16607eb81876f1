package mem

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"unsafe"
)

// File is a file whose bytes are in the address space, for reading. The file stays open until Close, so deleting or
// replacing it under its name changes nothing. Safe for concurrent use, Close excepted. The zero value is not usable;
// see OpenFile.
type File struct {
	file  *os.File
	bytes []byte
}

// OpenFile maps a whole file, which must have exactly size bytes; a negative size takes it as it is. The caller checks
// what the bytes mean. Errors: ErrSize, fs.ErrNotExist and the system's.
func OpenFile(path string, size int64) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("map a file: %w", err)
	}
	f, err := mapped(file, size)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("map %s: %w", path, err), file.Close())
	}
	return f, nil
}

func mapped(file *os.File, size int64) (*File, error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case size >= 0 && info.Size() != size:
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrSize, info.Size(), size)
	case int64(int(info.Size())) != info.Size():
		return nil, fmt.Errorf("%w: %d bytes, more than the address space", ErrSize, info.Size())
	}
	f := &File{file: file}
	if info.Size() > 0 {
		f.bytes, err = mapFile(file, int(info.Size()))
	}
	return f, err
}

// Bytes returns all of the file, valid until Close. Reading it may fault: see Guard. Writing to it always does.
func (f *File) Bytes() []byte { return f.bytes }

// Len returns the size of the file when it was mapped.
func (f *File) Len() int { return len(f.bytes) }

// CheckSize says whether the file still has the size it was mapped with. Errors: ErrSize.
func (f *File) CheckSize() error {
	info, err := f.file.Stat()
	if err != nil {
		return fmt.Errorf("check a mapped file: %w", err)
	}
	if info.Size() != int64(len(f.bytes)) {
		return fmt.Errorf("%w: %d bytes, was %d", ErrSize, info.Size(), len(f.bytes))
	}
	return nil
}

// AdviseRandom tells the system not to read ahead in [from, from+n). It is advice; so are the two below. A range that
// leaves the file is cut, and a system without such advice ignores it.
func (f *File) AdviseRandom(from, n int) { advise(f.pages(from, n), adviceRandom) }

// AdviseWillNeed starts to read [from, from+n) into memory and does not wait for it.
func (f *File) AdviseWillNeed(from, n int) { advise(f.pages(from, n), adviceWillNeed) }

// AdviseDontNeed lets go of this process's view of [from, from+n); the next access finds it in the page cache or reads it.
func (f *File) AdviseDontNeed(from, n int) { advise(f.pages(from, n), adviceDontNeed) }

// pages widens a range to whole pages inside the file.
func (f *File) pages(from, n int) []byte {
	from = max(from, 0)
	if n <= 0 || from >= len(f.bytes) {
		return nil
	}
	to := min(len(f.bytes)-from, n) + from
	from -= from % os.Getpagesize()
	return f.bytes[from:to]
}

// Guard runs read, which reads Bytes, and turns a fault inside them into an error that wraps ErrFault. Any other panic
// goes on. read runs in the caller's goroutine and must not start another that reads (the request to survive a fault is
// per goroutine). It costs some tens of nanoseconds, so guard a whole search, not each row. Assembly is guarded as well.
func (f *File) Guard(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			offset, ok := f.faultOffset(cause)
			if !ok {
				panic(cause)
			}
			err = fmt.Errorf("%w: offset %d of %d", ErrFault, offset, len(f.bytes))
		}
	}()
	return read()
}

// faultOffset returns where in the file a panic's faulting address lies, and false when it lies elsewhere.
func (f *File) faultOffset(cause any) (offset uintptr, ok bool) {
	fault, ok := cause.(interface{ Addr() uintptr })
	if !ok || len(f.bytes) == 0 {
		return 0, false
	}
	offset = fault.Addr() - uintptr(unsafe.Pointer(unsafe.SliceData(f.bytes)))
	return offset, offset < uintptr(len(f.bytes))
}

// Close unmaps and closes the file. Nothing may read Bytes any more.
func (f *File) Close() error {
	var err error
	if len(f.bytes) > 0 {
		err = unmapFile(f.bytes)
	}
	f.bytes = nil
	if err = errors.Join(err, f.file.Close()); err != nil {
		return fmt.Errorf("close a mapped file: %w", err)
	}
	return nil
}
