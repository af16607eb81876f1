package eventlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// compactBytesMax is how much is copied in one transaction.
const compactBytesMax = 4 << 20

// Compacter is a Contents that can rewrite itself.
type Compacter interface {
	// Compact rewrites the contents into a new file that holds what is live and nothing else: after it, what
	// was erased is in no file. Other calls wait meanwhile. After an error the old file is in use, unless the
	// error says ErrClosed. Errors: ErrUnavailable, ErrCorrupt, ErrClosed, those of ctx before it starts.
	Compact(ctx context.Context) error
}

var _ Compacter = (*boltContents)(nil)

// Compact implements Compacter.
func (c *boltContents) Compact(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.file.rewrite(); err != nil {
		return fmt.Errorf("compact contents: %w", err)
	}
	return nil
}

// rewrite copies the live pages of a file into a new one and goes on with that.
func (f *boltFile) rewrite() error {
	f.swap.Lock()
	defer f.swap.Unlock()
	if err := f.usable(); err != nil {
		return err
	}
	path := filepath.Join(f.dir, f.name)
	if err := f.copyTo(path + unfinished); err != nil {
		return errors.Join(err, removeIfThere(path+unfinished))
	}
	if err := guard(f.name, f.db.Close); err != nil {
		return f.breakOn(err)
	}
	// From here on the file is closed: whatever happens, open one of the two again.
	err := os.Rename(path+unfinished, path)
	if err == nil {
		err = syncDir(f.dir)
	}
	if again := f.open(path, f.o, mmapBytesOf(f.o)); again != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.closed = true
		return errors.Join(unavailable(err), again, ErrClosed)
	}
	return unavailable(err)
}

func (f *boltFile) copyTo(path string) error {
	if err := removeIfThere(path); err != nil {
		return err
	}
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, NoStatistics: true})
	if err != nil {
		return unavailable(err)
	}
	err = guard(f.name, func() error { return bbolt.Compact(to, f.db, compactBytesMax) })
	return boltError(errors.Join(err, to.Close()), f.name)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return unavailable(err)
	}
	return nil
}
