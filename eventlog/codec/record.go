package codec

import (
	"encoding/binary"

	"github.com/membrain-db/membrain/model"
)

// recordVersion is the first byte of a content or payload record. Contents are truth: an older version stays
// readable for ever.
const recordVersion = 1

const (
	saltBytes        = 16
	payloadHead      = 1 + saltBytes
	recordHead       = 1 + saltBytes + 8
	embeddedBytesMin = 2 // a symbol and the length of an empty vector
)

// EncodeRecord returns the stored form of a content record, laid out as doc.go draws it.
func EncodeRecord(r model.Record) []byte {
	size := recordHead + 3*binary.MaxVarintLen64 + len(r.Text) + len(r.Context)
	for i := range r.Embeddings {
		size += 2*binary.MaxVarintLen64 + len(r.Embeddings[i].Vector)
	}
	b := append(make([]byte, 0, size), recordVersion)
	b = append(b, r.Salt[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.Fingerprint))
	b = append(binary.AppendUvarint(b, uint64(len(r.Text))), r.Text...)
	b = append(binary.AppendUvarint(b, uint64(len(r.Context))), r.Context...)
	b = binary.AppendUvarint(b, uint64(len(r.Embeddings)))
	for i := range r.Embeddings {
		e := &r.Embeddings[i]
		b = binary.AppendUvarint(b, uint64(e.Embedder))
		b = append(binary.AppendUvarint(b, uint64(len(e.Vector))), e.Vector...)
	}
	return b
}

// DecodeRecord reads a content record. The result shares no memory with b, and EncodeRecord of it gives b again.
// Errors: ErrUnsupported for a newer version; ErrMalformed.
func DecodeRecord(b []byte) (model.Record, error) {
	if err := checkRecordHead("content record", b, recordHead); err != nil {
		return model.Record{}, err
	}
	r := model.Record{
		Salt:        [saltBytes]byte(b[1:]),
		Fingerprint: model.Fingerprint(binary.BigEndian.Uint64(b[payloadHead:])),
	}
	c := cursor{rest: b[recordHead:]}
	r.Text = string(c.bytes("text"))
	r.Context = string(c.bytes("context"))
	r.Embeddings = c.embeddings()
	if len(c.rest) > 0 {
		c.fail("%d bytes after the end", len(c.rest))
	}
	if c.err != nil {
		return model.Record{}, c.err
	}
	return r, nil
}

// EncodePayload returns the stored form of a payload.
func EncodePayload(salt [16]byte, payload []byte) []byte {
	b := append(make([]byte, 0, payloadHead+len(payload)), recordVersion)
	b = append(b, salt[:]...)
	return append(b, payload...)
}

// DecodePayload reads a payload record. payload is a part of b, not a copy: payloads may have 64 MiB.
// Errors: ErrUnsupported for a newer version; ErrMalformed.
func DecodePayload(b []byte) (salt [16]byte, payload []byte, err error) {
	if err := checkRecordHead("payload record", b, payloadHead); err != nil {
		return salt, nil, err
	}
	return [saltBytes]byte(b[1:]), b[payloadHead:], nil
}

func checkRecordHead(what string, b []byte, head int) error {
	if len(b) > 0 && b[0] != recordVersion {
		return otherVersion(what, b[0], recordVersion)
	}
	if len(b) < head {
		return malformed("%s of %d bytes, its head has %d", what, len(b), head)
	}
	return nil
}

// cursor reads a content record from front to back; after a fault it reads nothing more.
type cursor struct {
	checker
	rest []byte
}

// uvarint reads a number in its shortest form, so that a record has one form only.
func (c *cursor) uvarint(field string) uint64 {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 || (n > 1 && c.rest[n-1] == 0) {
		c.fail("%s: no number of shortest form", field)
		c.rest = nil
		return 0
	}
	c.rest = c.rest[n:]
	return v
}

// bytes reads a length and as many bytes; they are a part of the input.
func (c *cursor) bytes(field string) []byte {
	n := c.uvarint(field)
	if n > uint64(len(c.rest)) {
		c.fail("%s of %d bytes where %d are left", field, n, len(c.rest))
		c.rest = nil
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) embeddings() []model.Embedded {
	n := c.uvarint("embeddings")
	if n > uint64(len(c.rest)/embeddedBytesMin) {
		c.fail("%d embeddings where %d bytes are left", n, len(c.rest))
		c.rest = nil
		return nil
	}
	if n == 0 {
		return nil
	}
	list := make([]model.Embedded, n)
	for i := range list {
		list[i].Embedder = model.Symbol(c.uvarint("embedder"))
		list[i].Vector = append([]byte(nil), c.bytes("vector")...)
	}
	return list
}
