package snapshots

import (
	"errors"
	"fmt"
)

// Errors of writing.
var (
	// ErrName: a name is not of the form [a-z0-9-]{1,64}.
	ErrName = errors.New("snapshots: name must be 1 to 64 of a-z, 0-9 and -")
	// ErrExists: another checkpoint bears that name.
	ErrExists = errors.New("snapshots: name is taken")
	// ErrOrder: a key is not greater than the key before it.
	ErrOrder = errors.New("snapshots: keys out of order")
	// ErrTooLarge: a key is over KeyBytesMax or a row over RowBytesMax.
	ErrTooLarge = errors.New("snapshots: key or row too large")
)

// Errors of reading.
var (
	// ErrNotFound: the checkpoint is not in this store.
	ErrNotFound = errors.New("snapshots: no such checkpoint")
	// ErrCorrupt: the file is not, byte for byte, what was written. It always comes in a *CorruptError.
	ErrCorrupt = errors.New("snapshots: corrupt checkpoint")
	// ErrNewer: a newer program wrote the file. Read it with that program, or delete it and let one be written again.
	ErrNewer = errors.New("snapshots: checkpoint of a newer format")
)

// CorruptError says where a file is damaged. It wraps ErrCorrupt.
type CorruptError struct {
	Path   string
	Offset int64  // of the header, block or trailer in which the damage shows
	What   string // what is wrong, with the value met and the value wanted
}

// Error names file, offset and damage.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%v: %s at offset %d: %s", ErrCorrupt, e.Path, e.Offset, e.What)
}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }
