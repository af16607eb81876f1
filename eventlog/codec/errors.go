package codec

import (
	"errors"
	"fmt"
)

// Errors of decoding.
var (
	// ErrUnsupported: a fact, row or record of a type or version that this build does not know. The bytes may
	// be sound; a newer membrain reads them.
	ErrUnsupported = errors.New("written by a newer membrain; upgrade to read it")
	// ErrMalformed: the bytes are not what an encoder of that type and version writes.
	ErrMalformed = errors.New("malformed")
)

// Errors of encoding and of building a Decoder.
var (
	// ErrUnknownFact: EncodeFact was given nil, a pointer, or a fact that has no stored name.
	ErrUnknownFact = errors.New("fact has no stored form")
	// ErrUpcasters: the table of upcasters does not lead every entry to a current schema.
	ErrUpcasters = errors.New("table of upcasters")
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// otherVersion refuses a row or record by its first byte. 0 was never written; over want is a newer build's.
func otherVersion(what string, got, want byte) error {
	if got == 0 {
		return malformed("%s version 0", what)
	}
	return fmt.Errorf("%s version %d, this build reads %d: %w", what, got, want, ErrUnsupported)
}
