// Package codec turns what the model speaks of into the bytes that are stored, and back.
//
// Four kinds of bytes:
//
//	a fact         Encoded{Type, Schema, Body}: EncodeFact, DecodeFact. In events.db, kept for ever
//	a state row    AppendMemory, AppendBrain and their Decode: in state.db and checkpoints, rebuildable
//	a content      EncodeRecord, EncodePayload and their Decode: in contents.db, erasable
//	a digest       ContentDigest, PayloadDigest, KeyedDigest: what a fact may hold of bytes that can be erased
//
// The types to know: Encoded, Decoder (facts of every schema that was ever released), Upcaster (one step from an
// older schema to the next).
//
// Invariants, cited by the tests:
//
//	L1  Decode(Encode(x)) = x, to the last bit of every float64. An empty list comes back as nil.
//	L2  The same value gives the same bytes on every machine: no map, no pointer, no clock is involved.
//	L3  Decode of any bytes at all returns a value or an error that wraps ErrMalformed or ErrUnsupported. It
//	    never panics and never allocates more than a small multiple of its input.
//	L4  A fact and a state row hold numbers, ids and keyed digests, never a string of a caller.
//	L5  A field that a fold reads is added only together with a new schema number of the facts (a new first byte
//	    of the rows) that hold it, because a reader of the older schema would pass over it in silence. So does a
//	    new value of an enum. Older facts are upcast as they are read; the log is never rewritten.
//
// Bodies of facts are protobuf (eventlog/eventpb, fields listed in docs/formats/facts.md). A state row is
//
//	1  version of the row, 1
//	n  MemoryState or BrainState, protobuf
//
// A content record is (uvarint: base 128, least significant group first, in its shortest form)
//
//	1        version of the record, 1
//	16       salt
//	8        fingerprint, big endian
//	uvarint  bytes of the text, then the text
//	uvarint  bytes of the context, then the context
//	uvarint  number of embeddings, then for each:
//	           uvarint  symbol of the embedder
//	           uvarint  bytes of the vector, then the vector
//
// A payload record is
//
//	1   version of the record, 1
//	16  salt
//	n   payload
//
// Everything here is pure and may be called concurrently. What a Decode returns shares no memory with its input,
// DecodePayload excepted. The package never reads a clock, a disk or a random source: salts are arguments.
package codec
