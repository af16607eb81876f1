package snapshots

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Limits of what a checkpoint holds.
const (
	NameBytesMax = 64
	KeyBytesMax  = 64 << 10
	RowBytesMax  = 32 << 20
)

// Meta describes one checkpoint: a whole table as it was after commit Seq.
type Meta struct {
	StoreID       [16]byte // the store whose table it is
	Epoch, Seq    uint64   // last commit contained
	HeadHash      [32]byte // hash of that commit
	Rows          uint64   // number of rows; set by Write
	Digest        [32]byte // SHA-256 of all rows, as doc.go says; set by Write
	Name          string   // [a-z0-9-]{1,64}, or empty for one that Thin may remove
	CreatedMillis int64    // Unix milliseconds, as given to Write
	Path          string   // of the file; set by Write
	Bytes         int64    // size of the file; set by Write
}

// Store is a folder of checkpoints. It is safe for concurrent use by one process; the caller sees to it that one process writes.
type Store struct {
	dir    string
	create func(pattern string) (tempFile, error) // makes a temporary file; replaced by tests of a failing disk
	mu     sync.Mutex                             // held by whatever changes the folder
}

// tempFile is what writing needs of *os.File.
type tempFile interface {
	io.Writer
	Name() string
	Sync() error
	Close() error
}

const (
	fileSuffix  = ".ckpt"
	tempPattern = ".*.tmp"
)

// Open returns the store in dir, which is created with mode 0700 when absent. It removes what a crash left unfinished.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open checkpoints: %w", err)
	}
	create := func(pattern string) (tempFile, error) { return os.CreateTemp(dir, pattern) }
	s := &Store{dir: dir, create: create}
	s.sweep()
	return s, nil
}

// List returns the checkpoints, newest first: by epoch, seq, then name. A file that cannot be read is an
// error of the second result (ErrCorrupt, ErrNewer, or of the file system) and no reason to hide the others. It
// checks header and trailer of each file, not its rows.
func (s *Store) List() ([]Meta, []error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, []error{fmt.Errorf("list checkpoints: %w", err)}
	}
	var metas []Meta
	var errs []error
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != fileSuffix {
			continue
		}
		m, err := readMeta(filepath.Join(s.dir, entry.Name()))
		switch {
		case err == nil:
			metas = append(metas, m)
		case !errors.Is(err, fs.ErrNotExist): // deleted meanwhile
			errs = append(errs, err)
		}
	}
	slices.SortStableFunc(metas, func(a, b Meta) int { return order(b, a) })
	return metas, errs
}

// order compares by age: older first.
func order(a, b Meta) int {
	return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Name, b.Name))
}

// Delete removes one checkpoint, named or not. Errors: ErrNotFound.
func (s *Store) Delete(m Meta) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.remove(m); err != nil {
		return err
	}
	return syncDir(s.dir)
}

// remove unlinks a file of this folder. The caller holds the lock and syncs the folder.
func (s *Store) remove(m Meta) error {
	if !s.owns(m.Path) {
		return fmt.Errorf("%w: %q", ErrNotFound, m.Path)
	}
	err := os.Remove(m.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	if err != nil {
		return fmt.Errorf("delete checkpoint: %w", err)
	}
	return nil
}

// owns says whether path may be a checkpoint of this folder.
func (s *Store) owns(path string) bool {
	return filepath.Dir(path) == filepath.Clean(s.dir) && filepath.Ext(path) == fileSuffix
}
