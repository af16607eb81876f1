package projections

import (
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/eventlog"
)

// Errors of reading.
var (
	// ErrNotFound: there is no such namespace, memory or record.
	ErrNotFound = errors.New("projections: not found")
	// ErrQuarantined: the stream holds a fact that could not be folded; its state is not known. See QuarantinedError.
	ErrQuarantined = errors.New("projections: stream is quarantined")
	// ErrClosed: the projections have been closed.
	ErrClosed = errors.New("projections: closed")
	// ErrUnavailable: a derived file cannot be read and could not be rebuilt.
	ErrUnavailable = errors.New("projections: unavailable")
	// ErrCursor: a list cursor is not one that List gave out.
	ErrCursor = errors.New("projections: not a cursor")
)

// QuarantinedError tells what is wrong with a stream. It is ErrQuarantined.
type QuarantinedError struct{ Quarantined }

// Quarantined is a stream that is out of service because of one fact.
type Quarantined struct {
	Stream eventlog.Stream
	Seq    eventlog.Seq // commit that holds the fact
	Reason string
}

func (e *QuarantinedError) Error() string {
	return fmt.Sprintf("%v: %s, at commit %d: %s", ErrQuarantined, e.Stream, e.Seq, e.Reason)
}

// Unwrap returns ErrQuarantined.
func (e *QuarantinedError) Unwrap() error { return ErrQuarantined }
