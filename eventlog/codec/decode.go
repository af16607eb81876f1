package codec

import (
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/model"
)

// Version is a type of fact in one schema, for example {"memory.recalled.v1", 1}.
type Version struct {
	Type   string
	Schema uint32
}

// String returns "memory.recalled.v1 schema 1".
func (v Version) String() string { return fmt.Sprintf("%s schema %d", v.Type, v.Schema) }

// Upcaster is one step from an older version to a later one. Several steps are chained, so that a new schema
// needs one new step whatever came before it.
type Upcaster struct {
	From, To Version
	// Body rewrites an old body as a body of To. It must not keep or change its argument, and answers an error
	// for a body that no encoder of From wrote.
	Body func(old []byte) ([]byte, error)
}

// releasedUpcasters lists every step from a released schema that is no longer written. Never shortened.
func releasedUpcasters() []Upcaster { return nil }

// released reads the facts of every released version; it is never changed.
var released = mustDecoder(releasedUpcasters())

// DecodeFact reads a stored fact of any released schema. The result shares no memory with body.
// Errors: ErrUnsupported for a type or schema that this build does not know; ErrMalformed.
func DecodeFact(typ string, schema uint32, body []byte) (model.Fact, error) {
	return released.Decode(typ, schema, body)
}

// Decoder reads facts of the current schemas and of older ones that its upcasters lead there. Safe for
// concurrent use.
type Decoder struct {
	current map[string]form // by type
	older   map[Version]Upcaster
}

// NewDecoder returns a decoder of the current schemas that knows the older ones in the table too. All faults of
// the table are reported together. Errors: ErrUpcasters.
func NewDecoder(upcasters []Upcaster) (*Decoder, error) {
	d := &Decoder{current: map[string]form{}, older: map[Version]Upcaster{}}
	for _, f := range currentForms() {
		d.current[f.Type] = f
	}
	var faults []error
	for _, u := range upcasters {
		faults = append(faults, d.add(u))
	}
	for _, u := range upcasters {
		faults = append(faults, d.leadsHome(u.From, len(upcasters)))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUpcasters, err)
	}
	return d, nil
}

func mustDecoder(upcasters []Upcaster) *Decoder {
	d, err := NewDecoder(upcasters)
	if err != nil {
		panic(err)
	}
	return d
}

func (d *Decoder) add(u Upcaster) error {
	switch {
	case u.Body == nil:
		return fmt.Errorf("%s: no function", u.From)
	case d.isCurrent(u.From):
		return fmt.Errorf("%s: is current", u.From)
	}
	if _, twice := d.older[u.From]; twice {
		return fmt.Errorf("%s: stands twice", u.From)
	}
	d.older[u.From] = u
	return nil
}

// leadsHome follows the steps from v; a table of n entries needs at most n of them.
func (d *Decoder) leadsHome(v Version, n int) error {
	from := v
	for range n {
		u, ok := d.older[v]
		if !ok {
			break
		}
		v = u.To
	}
	if !d.isCurrent(v) {
		return fmt.Errorf("%s: leads to %s, which is not current", from, v)
	}
	return nil
}

func (d *Decoder) isCurrent(v Version) bool {
	f, ok := d.current[v.Type]
	return ok && f.Schema == v.Schema
}

// Decode is DecodeFact with the decoder's own table.
func (d *Decoder) Decode(typ string, schema uint32, body []byte) (model.Fact, error) {
	f, ok := d.current[typ]
	if !ok || f.Schema != schema {
		return d.decodeOlder(Version{typ, schema}, body)
	}
	got, err := f.decode(body)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", f.Version, err)
	}
	return got, nil
}

// decodeOlder takes one step and goes on; leadsHome saw that the steps end.
func (d *Decoder) decodeOlder(v Version, body []byte) (model.Fact, error) {
	u, ok := d.older[v]
	if !ok {
		return nil, d.refuse(v)
	}
	body, err := u.Body(body)
	if err != nil {
		return nil, fmt.Errorf("upcast %s: %w: %w", v, ErrMalformed, err)
	}
	return d.Decode(u.To.Type, u.To.Schema, body)
}

// refuse says why v cannot be read. Every older schema that was ever written has an upcaster.
func (d *Decoder) refuse(v Version) error {
	f, ok := d.current[v.Type]
	if !ok {
		return fmt.Errorf("fact of unknown type %q (schema %d): %w", v.Type, v.Schema, ErrUnsupported)
	}
	if v.Schema < f.Schema {
		return malformed("fact %s, a schema that was never written", v)
	}
	return fmt.Errorf("fact %s, this build reads up to schema %d: %w", v, f.Schema, ErrUnsupported)
}
