package lexical

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SaveFile replaces the file at path with the present state: temporary file, sync, rename, sync of
// the folder. The temporary name is path + ".tmp", so that what a crash leaves is overwritten by
// the next save. Saves of one index follow each other. The folder must exist.
func (x *Index) SaveFile(path string, h Header) error {
	x.saving.Lock()
	defer x.saving.Unlock()
	temporary := path + ".tmp"
	if err := x.writeFile(temporary, h); err != nil {
		return errors.Join(err, ignoreAbsent(os.Remove(temporary)))
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(fmt.Errorf("save lexical index: %w", err), ignoreAbsent(os.Remove(temporary)))
	}
	return syncFolder(filepath.Dir(path))
}

func (x *Index) writeFile(path string, h Header) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("save lexical index: %w", err)
	}
	err = x.Save(f, h)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// syncFolder makes a rename in the folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync folder of lexical index: %w", err)
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// LoadFile reads what SaveFile wrote. Errors: [ErrRebuild] as for [Load], and also when there is no
// file (then errors.Is fs.ErrNotExist holds too); else those of the file system.
func LoadFile(path string) (*Index, Header, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Header{}, fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	if err != nil {
		return nil, Header{}, fmt.Errorf("read lexical index: %w", err)
	}
	x, h, err := decode(data)
	if err != nil {
		return nil, Header{}, fmt.Errorf("%s: %w", path, err)
	}
	return x, h, nil
}
