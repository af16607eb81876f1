package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/membrain-db/membrain/eventlog"
	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

var (
	rowsBucket     = []byte("rows")
	requestsBucket = []byte("requests")
	metaBucket     = []byte("meta")
	headerKey      = []byte("header")
)

// Sizes of the file. The mapping is address space; the file grows by holes.
const (
	mmapBytes  = 1 << 30
	allocBytes = 4 << 20
)

// file is the table's bbolt file, every access of which is guarded.
//
// F1: after a panic out of bbolt the file is broken: every later call answers ErrRebuild, and its locks are left alone.
type file struct {
	db      *bbolt.DB
	handle  *os.File
	applied eventlog.Head // of the last flush; changed by write only

	mu     sync.Mutex
	broken error
}

// Create makes an empty table in a new file; what was there is deleted. Errors: ErrUnavailable.
func Create(path string, id Identity) (*Table, error) {
	if err := Delete(path); err != nil {
		return nil, err
	}
	f, err := openFile(path, os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	err = f.update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{rowsBucket, requestsBucket, metaBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return putAll(tx, metaBucket, []cell{{headerKey, seal(headerKey, header{Identity: id}.append(nil))}})
	})
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return &Table{id: id, file: f, dirty: newOverlay()}, nil
}

// Delete removes the file of a table, when there is one. Errors: ErrUnavailable.
func Delete(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}

// Open opens the table of one store after verifying every byte of its file that counts. Errors: ErrRebuild (T3); ErrUnavailable.
func Open(path string, want Identity) (*Table, error) {
	h, err := verifyFile(path, want)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	f, err := openFile(path, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", filepath.Base(path), err)
	}
	f.applied = h.applied
	return &Table{id: want, file: f, applied: h.applied, rows: h.rows, requests: h.requests, dirty: newOverlay()}, nil
}

// verifyFile reads the file and returns its header.
func verifyFile(path string, want Identity) (header, error) {
	in, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return header{}, fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	if err != nil {
		return header{}, unavailable(err)
	}
	defer in.Close() // read only: nothing to lose
	info, err := in.Stat()
	if err != nil {
		return header{}, unavailable(err)
	}
	v := verifier{}
	if err := walkFile(in, info.Size(), v.visit); err != nil {
		return header{}, fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	return v.header, v.compare(want)
}

// verifier counts what a file holds.
type verifier struct {
	header         header
	rows, requests uint64
}

func (v *verifier) visit(bucket, key, sealed []byte) error {
	value, err := unseal(key, sealed)
	if err != nil {
		return fmt.Errorf("%s: %w", bucket, err)
	}
	switch string(bucket) {
	case string(rowsBucket):
		v.rows++
		_, err = ParseKey(key)
	case string(requestsBucket):
		v.requests++
		if _, err = parseRequestKey(key); err == nil {
			_, err = parseSeq(value)
		}
	case string(metaBucket):
		if string(key) == string(headerKey) {
			v.header, err = parseHeader(value)
		}
	default:
		err = errors.New("unknown bucket")
	}
	return err
}

func (v *verifier) compare(want Identity) error {
	switch {
	case v.header.Identity != want:
		return fmt.Errorf("%w: of store %x, epoch %d, format %d; want %x, %d, %d", ErrRebuild,
			v.header.StoreID, v.header.Epoch, v.header.Format, want.StoreID, want.Epoch, want.Format)
	case v.header.rows != v.rows || v.header.requests != v.requests:
		return fmt.Errorf("%w: %d rows and %d requests, want %d and %d", ErrRebuild, v.rows, v.requests, v.header.rows, v.header.requests)
	}
	return nil
}

func openFile(path string, flags int) (*file, error) {
	f := &file{}
	err := guard(func() (err error) {
		f.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:         -1, // the data directory has a lock of its own; a second holder here is an error at once
			FreelistType:    bbolt.FreelistMapType,
			InitialMmapSize: mmapBytes,
			NoStatistics:    true,
			OpenFile: func(path string, flag int, mode os.FileMode) (*os.File, error) {
				handle, err := os.OpenFile(path, flag&^os.O_CREATE|flags, mode)
				f.handle = handle
				return handle, err
			},
		})
		return err
	})
	if err != nil {
		if f.handle != nil {
			_ = f.handle.Close() // after a panic nobody else would; otherwise it is closed already
		}
		return nil, classify(err)
	}
	f.db.AllocSize = allocBytes
	return f, nil
}

// guard runs fn and turns a panic or a memory fault into ErrRebuild. fn must not call code of a consumer.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v", ErrRebuild, cause)
		}
	}()
	return fn()
}

func (f *file) update(fn func(*bbolt.Tx) error) error { return f.transact(true, fn) }
func (f *file) view(fn func(*bbolt.Tx) error) error   { return f.transact(false, fn) }

func (f *file) transact(writable bool, fn func(*bbolt.Tx) error) error {
	tx, err := f.begin(writable)
	if err != nil {
		return err
	}
	err = guard(func() error { return fn(tx) })
	if err == nil && writable {
		if err = guard(tx.Commit); err == nil {
			return nil
		}
	}
	return errors.Join(f.note(err), f.end(tx))
}

func (f *file) begin(writable bool) (tx *bbolt.Tx, err error) {
	f.mu.Lock()
	broken := f.broken
	f.mu.Unlock()
	if broken != nil {
		return nil, broken
	}
	err = guard(func() (err error) {
		tx, err = f.db.Begin(writable)
		return err
	})
	return tx, f.note(err)
}

func (f *file) end(tx *bbolt.Tx) error {
	err := guard(tx.Rollback)
	if errors.Is(err, bolterrors.ErrTxClosed) {
		return nil
	}
	return f.note(err)
}

// note classifies an error, and marks the file as broken when it speaks of damage (F1).
func (f *file) note(err error) error {
	err = classify(err)
	if errors.Is(err, ErrRebuild) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.broken == nil {
			f.broken = err
		}
	}
	return err
}

func (f *file) row(s eventlog.Stream) (row *Row, ok bool, err error) {
	key := AppendKey(make([]byte, 0, keyBytes), s)
	err = f.view(func(tx *bbolt.Tx) error {
		value, err := lookUp(tx, rowsBucket, key)
		if value == nil || err != nil {
			return err
		}
		ok = true
		if row, err = ParseRow(value); err != nil {
			return fmt.Errorf("%w: row of %s: %w", ErrRebuild, s, err)
		}
		return nil
	})
	return row, ok && err == nil, err
}

func (f *file) request(k requestKey) (seq eventlog.Seq, ok bool, err error) {
	key := appendRequestKey(make([]byte, 0, requestKeyBytes), k)
	err = f.view(func(tx *bbolt.Tx) error {
		value, err := lookUp(tx, requestsBucket, key)
		if value == nil || err != nil {
			return err
		}
		ok = true
		seq, err = parseSeq(value)
		return err
	})
	return seq, ok && err == nil, err
}

// lookUp returns the value of a key without its checksum; nil when there is none.
func lookUp(tx *bbolt.Tx, bucket, key []byte) ([]byte, error) {
	b := tx.Bucket(bucket)
	if b == nil {
		return nil, fmt.Errorf("%w: bucket %s is gone", ErrRebuild, bucket)
	}
	sealed := b.Get(key)
	if sealed == nil {
		return nil, nil
	}
	value, err := unseal(key, sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	return value, nil
}

func (f *file) size() int64 {
	info, err := f.handle.Stat()
	if err != nil {
		return 0 // a figure for people
	}
	return info.Size()
}

func (f *file) close() error {
	f.mu.Lock()
	broken := f.broken
	f.mu.Unlock()
	if broken != nil {
		return f.handle.Close() // bbolt's locks may be held for ever; the mapping is left
	}
	return guard(f.db.Close)
}

func classify(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrRebuild), errors.Is(err, ErrUnavailable), errors.Is(err, ErrClosed):
		return err
	case errors.Is(err, bolterrors.ErrDatabaseNotOpen):
		return ErrClosed
	case errors.Is(err, bolterrors.ErrInvalid), errors.Is(err, bolterrors.ErrVersionMismatch), errors.Is(err, bolterrors.ErrChecksum):
		return fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	return unavailable(err)
}

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }
