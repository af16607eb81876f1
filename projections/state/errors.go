package state

import "errors"

var (
	// ErrRebuild says that the file is absent, damaged, foreign, newer, or of another fold. Delete it and fold the log.
	ErrRebuild = errors.New("state table must be rebuilt")
	// ErrClosed says that the table has been closed.
	ErrClosed = errors.New("state table is closed")
	// ErrUnavailable says that the file could not be read or written, for a cause of the operating system.
	ErrUnavailable = errors.New("state table is unavailable")
)
