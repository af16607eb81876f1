package codec

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"

	"github.com/membrain-db/membrain/model"
)

// ContentDigest authenticates what a content record says: HMAC-SHA256 keyed with the record's salt over the
// context and the text, each after its length in 8 bytes, big endian; the first 16 bytes of it. The fingerprint
// follows from the text, and embeddings may be replaced, so neither is covered. Erasing the record erases the
// salt, and the digest says nothing any more.
func ContentDigest(r model.Record) [16]byte {
	return keyed(r.Salt[:], func(h hash.Hash) {
		writePart(h, r.Context)
		writePart(h, r.Text)
	})
}

// PayloadDigest authenticates a payload as ContentDigest does a text: over its length and its bytes.
func PayloadDigest(salt [16]byte, payload []byte) [16]byte {
	return keyed(salt[:], func(h hash.Hash) {
		writeLength(h, len(payload))
		h.Write(payload) // a hash never answers an error
	})
}

// KeyedDigest stands in for strings of a caller (request ids, bodies) where they may not be stored: HMAC-SHA256
// keyed with the store's secret over the parts, each after its length in 8 bytes, big endian; the first 16 bytes.
// Other parts, or the same bytes split otherwise, give another digest.
func KeyedDigest(secret [32]byte, parts ...string) [16]byte {
	return keyed(secret[:], func(h hash.Hash) {
		for _, part := range parts {
			writePart(h, part)
		}
	})
}

func keyed(key []byte, write func(hash.Hash)) [16]byte {
	h := hmac.New(sha256.New, key)
	write(h)
	var sum [sha256.Size]byte
	return [16]byte(h.Sum(sum[:0]))
}

func writePart(h hash.Hash, part string) {
	writeLength(h, len(part))
	_, _ = io.WriteString(h, part) // a hash never answers an error
}

func writeLength(h hash.Hash, n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:]) // a hash never answers an error
}
