package eventlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	// mmapBytes is address space, not memory: a file that outgrows its mapping has to wait for every reader.
	mmapBytes = 16 << (30 * (strconv.IntSize / 64)) // meaningful on 64-bit systems only
	// allocBytes is by how much a file grows at a time. The grown part is a hole until it is written.
	allocBytes = 64 << 20
)

// boltFile is one bbolt file of which every access goes through the guard.
//
// B1: after a panic that may have left bbolt's own locks or free list in doubt the file is broken: every later
// call answers with that first error, and Close does not wait for locks that nobody will release.
type boltFile struct {
	dir  string
	name string // inside dir
	o    Options

	swap sync.RWMutex // held for reading by everything that uses db or file, for writing by rewrite
	db   *bbolt.DB
	file *os.File // bbolt's own handle, for read-ahead and for closing a broken file

	mu     sync.Mutex
	broken error
	closed bool
}

// openBoltFile opens an existing file. Errors: ErrCorrupt, ErrUnavailable, ErrLocked.
func openBoltFile(dir, name string, o Options) (*boltFile, error) {
	f := &boltFile{dir: dir, name: name, o: o}
	err := f.open(filepath.Join(dir, name), o, mmapBytesOf(o))
	if errors.Is(err, syscall.ENOMEM) {
		err = f.open(filepath.Join(dir, name), o, 0) // a limit on address space; slower, not wrong
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

func mmapBytesOf(o Options) int {
	switch {
	case o.MmapBytes != 0:
		return o.MmapBytes
	case runtime.GOOS == "windows" || strconv.IntSize < 64: // Windows would make the file that long
		return 0
	}
	return mmapBytes
}

func (f *boltFile) open(path string, o Options, mmap int) error {
	err := guard(f.name, func() (err error) {
		f.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:         lockTimeout(o),
			FreelistType:    bbolt.FreelistMapType,
			InitialMmapSize: mmap,
			NoStatistics:    true,
			OpenFile: func(path string, flag int, mode os.FileMode) (*os.File, error) {
				file, err := os.OpenFile(path, flag&^os.O_CREATE, mode)
				if errors.Is(err, os.ErrNotExist) { // makeStore makes what may be made
					return nil, &CorruptError{File: f.name, What: "file", Want: "present", Got: "missing"}
				}
				if err != nil {
					return nil, err
				}
				f.file = file
				meta, err := preflight(file, f.name, o.Salvage)
				if err == nil {
					err = inFile(checkPages(file, meta, limitsAtOpen()), f.name, 0)
				}
				if err != nil {
					return nil, errors.Join(err, file.Close())
				}
				return file, nil
			},
		})
		return err
	})
	if err != nil {
		if f.file != nil {
			_ = f.file.Close() // after a panic nobody else would; otherwise it is closed already
		}
		return fmt.Errorf("open %s: %w", f.name, boltError(err, f.name))
	}
	f.db.AllocSize = allocBytes
	if o.AllocBytes != 0 {
		f.db.AllocSize = o.AllocBytes
	}
	return nil
}

// view runs fn in a read transaction. fn must copy what it keeps.
func (f *boltFile) view(fn func(*bbolt.Tx) error) error { return f.transact(false, fn) }

// update runs fn in a write transaction and commits it durably. After an ErrUnavailable the outcome is unknown.
func (f *boltFile) update(fn func(*bbolt.Tx) error) error { return f.transact(true, fn) }

func (f *boltFile) transact(writable bool, fn func(*bbolt.Tx) error) error {
	f.swap.RLock()
	defer f.swap.RUnlock()
	if err := f.usable(); err != nil {
		return err
	}
	if writable && removed(f.file) {
		return unavailable(fmt.Errorf("%s was removed while it was open", filepath.Join(f.dir, f.name)))
	}
	var tx *bbolt.Tx
	err := guard(f.name, func() (err error) {
		tx, err = f.db.Begin(writable)
		return err
	})
	if err != nil {
		return f.breakOn(err) // a panic here may hold a lock for ever
	}
	err = guard(f.name, func() error { return fn(tx) })
	if err == nil && writable {
		if err = guard(f.name, tx.Commit); err == nil {
			return nil
		}
		err = f.breakOn(err)
	}
	if undo := guard(f.name, tx.Rollback); undo != nil && !errors.Is(undo, bolterrors.ErrTxClosed) {
		return errors.Join(err, f.breakOn(undo))
	}
	return boltError(err, f.name)
}

func (f *boltFile) usable() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return ErrClosed
	}
	return f.broken
}

// breakOn makes the file broken when err is a panic of bbolt itself (B1), and returns err with its class.
func (f *boltFile) breakOn(err error) error {
	err = boltError(err, f.name)
	if errors.Is(err, ErrCorrupt) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.broken == nil {
			f.broken = err
		}
	}
	return err
}

func (f *boltFile) close() error {
	f.swap.RLock()
	defer f.swap.RUnlock()
	f.mu.Lock()
	closed, broken := f.closed, f.broken
	f.closed = true
	f.mu.Unlock()
	switch {
	case closed:
		return nil
	case broken != nil:
		return f.file.Close() // frees the file's lock; the mapping is left, see B1
	}
	return guard(f.name, f.db.Close)
}

// boltError gives err one of this package's classes. Errors that have one keep it.
func boltError(err error, name string) error {
	switch {
	case err == nil, errors.Is(err, ErrCorrupt), errors.Is(err, ErrUnavailable), errors.Is(err, ErrClosed),
		errors.Is(err, ErrNotFound), errors.Is(err, ErrErased), errors.Is(err, ErrTooLarge), errors.Is(err, ErrStaleHead),
		errors.Is(err, ErrUnsupportedVersion), errors.Is(err, errMoved), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen), errors.Is(err, bolterrors.ErrTxClosed):
		return ErrClosed
	case errors.Is(err, bolterrors.ErrTimeout):
		return &LockedError{Dir: name}
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return &CorruptError{File: name, What: "meta pages", Want: "a valid one", Got: err.Error()}
	}
	return unavailable(err)
}

// unavailable wraps an error of the operating system as ErrUnavailable, keeping the cause.
func unavailable(err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

func lockTimeout(o Options) time.Duration {
	if o.LockTimeout == 0 {
		return time.Second
	}
	return o.LockTimeout
}
