package model

import (
	"encoding/hex"
	"strconv"

	"github.com/google/uuid"
)

// MemoryID is a UUID, unique within its namespace, for example 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55.
// The zero value means "none". Engrams, conflicts, families and chains have ids of the same form.
type MemoryID [16]byte

// String returns the canonical text form; "" for the zero id.
func (id MemoryID) String() string {
	if id.Zero() {
		return ""
	}
	return uuid.UUID(id).String()
}

// Zero reports whether the id is "none".
func (id MemoryID) Zero() bool { return id == MemoryID{} }

// MarshalText implements encoding.TextMarshaler.
func (id MemoryID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler; it accepts what ParseMemoryID accepts, and "" for none.
func (id *MemoryID) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*id = MemoryID{}
		return nil
	}
	got, err := ParseMemoryID("id", string(b))
	*id = got
	return err
}

// ParseMemoryID reads the 36-character form of a UUID; field names the request field in the error.
func ParseMemoryID(field, s string) (MemoryID, error) {
	u, err := uuid.Parse(s)
	if err != nil || len(s) != 36 || u == uuid.Nil {
		return MemoryID{}, Invalid(field, s, "a UUID such as 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55")
	}
	return MemoryID(u), nil
}

// Tick counts interactions of one namespace; it is the only clock of decay, windows and recency.
type Tick uint64

// Since returns the ticks from earlier to t, never negative.
func (t Tick) Since(earlier Tick) uint64 {
	if earlier >= t {
		return 0
	}
	return uint64(t - earlier)
}

// Millis is Unix time in milliseconds, UTC; 0 means "never". It is for people and audit, never for formulas.
type Millis int64

// Symbol stands for an interned string of a namespace; 0 means "absent".
type Symbol uint64

// ContentNumber names one immutable content record of a namespace; 0 means "none". It is also the ordinal
// under which the projections index that content version.
type ContentNumber uint64

// Handle returns the public form, "content/17"; "" for none.
func (n ContentNumber) Handle() string {
	if n == 0 {
		return ""
	}
	return "content/" + strconv.FormatUint(uint64(n), 10)
}

// Fingerprint is the 64-bit duplicate-family hint of a text. It authorises nothing.
type Fingerprint uint64

// String returns 16 hex digits.
func (f Fingerprint) String() string {
	b := make([]byte, 8)
	for i := range b {
		b[i] = byte(f >> (56 - 8*i))
	}
	return hex.EncodeToString(b)
}

// MarshalText implements encoding.TextMarshaler.
func (f Fingerprint) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Fingerprint) UnmarshalText(b []byte) error {
	raw, err := hex.DecodeString(string(b))
	if err != nil || len(raw) != 8 {
		return Invalid("fingerprint", string(b), "16 hex digits")
	}
	*f = 0
	for _, c := range raw {
		*f = *f<<8 | Fingerprint(c)
	}
	return nil
}
