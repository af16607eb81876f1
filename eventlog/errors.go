package eventlog

import (
	"errors"
	"fmt"
	"time"
)

// Errors of opening a store.
var (
	// ErrLocked: another process holds the data directory. See LockedError.
	ErrLocked = errors.New("data directory is held by another process")
	// ErrUnsupportedVersion: a newer membrain wrote this. Nothing has been written.
	ErrUnsupportedVersion = errors.New("written by a newer version")
)

// Errors of writing.
var (
	// ErrStaleHead: the head is not the one that the append expected. Nothing has been written.
	ErrStaleHead = errors.New("head has moved")
	// ErrUnavailable: disk full, read-only or an I/O error. The outcome of an append is unknown until Reload.
	ErrUnavailable = errors.New("store is unavailable")
	// ErrBusy: a bounded queue is full; nothing has been queued. Try again later.
	ErrBusy = errors.New("queue is full")
	// ErrTooLarge: over CommitBytesMax, ContentBytesMax or another bound. Nothing has been written.
	ErrTooLarge = errors.New("too large")
)

// Errors of reading.
var (
	ErrNotFound = errors.New("not found")
	// ErrErased: the content was there and has been erased on purpose. See ErasedError.
	ErrErased = errors.New("erased")
)

// Errors of any time.
var (
	// ErrCorrupt: bytes are not what was written. See CorruptError.
	ErrCorrupt = errors.New("damaged")
	ErrClosed  = errors.New("store is closed")
)

// LockedError tells who holds a data directory. It is ErrLocked.
type LockedError struct {
	Dir     string
	PID     int       // 0 when the holder has not written it yet
	Started time.Time // when the holder took the lock; zero when unknown
	Socket  string    // address on which the holder listens; "" when it does not
}

func (e *LockedError) Error() string {
	holder := "a process that has not named itself yet"
	if e.PID != 0 {
		holder = fmt.Sprintf("process %d", e.PID)
	}
	if e.Socket == "" {
		return fmt.Sprintf("%s: %s holds the data directory and listens on no socket", e.Dir, holder)
	}
	return fmt.Sprintf("%s: %s holds the data directory and listens on %s", e.Dir, holder, e.Socket)
}

// Unwrap returns ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// CorruptError tells what is damaged and how that was noticed. It is ErrCorrupt.
type CorruptError struct {
	File string // name inside the data directory, such as "events.db"; "memory" for the in-memory store
	Seq  Seq    // commit concerned; 0 when it is not about one
	What string // what was looked at: "checksum", "chain", "page 7", "content 3/12"
	Want string
	Got  string
}

func (e *CorruptError) Error() string {
	where := e.File
	if e.Seq != 0 {
		where = fmt.Sprintf("%s: commit %d", e.File, e.Seq)
	}
	return fmt.Sprintf("%s: damaged %s: want %s, got %s", where, e.What, e.Want, e.Got)
}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// ErasedError tells when and why a content was erased. It is ErrErased.
type ErasedError struct {
	Namespace  Ordinal
	Number     uint64
	TimeMillis int64 // Unix milliseconds
	Reason     uint8 // reason code as given to Erase
}

func (e *ErasedError) Error() string {
	at := time.UnixMilli(e.TimeMillis).UTC().Format(time.RFC3339)
	return fmt.Sprintf("content %d/%d was erased at %s for reason %d", e.Namespace, e.Number, at, e.Reason)
}

// Unwrap returns ErrErased.
func (e *ErasedError) Unwrap() error { return ErrErased }
