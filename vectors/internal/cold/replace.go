package cold

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// replaceFile puts what write produces in place of path, whole or not at all: it writes a temporary file beside it, syncs it,
// renames it and syncs the directory. What a process that was killed left behind goes first.
func replaceFile(path string, write func(*os.File) error) (err error) {
	dir, pattern := filepath.Dir(path), "."+filepath.Base(path)+".*.tmp"
	if err := removeAll(filepath.Join(dir, pattern)); err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if err = errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}

// removeAll removes the files of a pattern.
func removeAll(pattern string) error {
	old, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// syncDir makes a rename durable. Windows cannot open a directory for it and needs no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
