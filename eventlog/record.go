package eventlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/membrain-db/membrain/eventlog/eventpb"
)

// CommitBytesMax is the greatest size of a stored commit. A larger one is refused with ErrTooLarge.
const CommitBytesMax = 64 << 20

// TypeBytesMax is the greatest length of a fact's stored type name.
const TypeBytesMax = 64

// recordFormat is the first byte of every stored commit. Formats are added, never changed.
const recordFormat = 1

const (
	hashBytes      = sha256.Size
	crcBytes       = 4
	trailerBytes   = hashBytes + crcBytes
	recordFrame    = 1 + trailerBytes // what stands around the envelope
	recordBytesMax = CommitBytesMax + recordFrame
)

func crc32c(parts ...[]byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli) // the standard library keeps it; this is a lookup
	var sum uint32
	for _, part := range parts {
		sum = crc32.Update(sum, table, part)
	}
	return sum
}

// EncodeRecord returns the stored bytes of c as commit seq after the commit whose hash is prev, and the hash that
// the next commit chains to. c.Seq and c.PrevHash are ignored and nothing of c is changed; its slices are not
// kept. Errors: ErrTooLarge; a plain error for a fact that cannot be stored.
func EncodeRecord(c *Commit, seq Seq, prev [32]byte) (stored []byte, hash [32]byte, err error) {
	envelope, err := toEnvelope(c, seq, prev)
	if err != nil {
		return nil, hash, err
	}
	size := envelope.SizeVT()
	if size > CommitBytesMax {
		return nil, hash, fmt.Errorf("commit %d of %d bytes, at most %d: %w", seq, size, CommitBytesMax, ErrTooLarge)
	}
	stored = make([]byte, recordFrame+size)
	stored[0] = recordFormat
	if _, err := envelope.MarshalToSizedBufferVT(stored[1 : 1+size]); err != nil {
		return nil, hash, fmt.Errorf("encode commit %d: %w", seq, err)
	}
	hash = chainHash(prev, stored[:1+size])
	copy(stored[1+size:], hash[:])
	binary.LittleEndian.PutUint32(stored[1+size+hashBytes:], crc32c(stored[:1+size+hashBytes]))
	return stored, hash, nil
}

// DecodeRecord reads what EncodeRecord wrote and checks its format, CRC and hash. The record shares no memory
// with stored. Safe for any input. Errors: ErrCorrupt; ErrUnsupportedVersion for a newer format.
func DecodeRecord(stored []byte) (Record, error) {
	envelope, hash, err := openRecord(stored)
	if err != nil {
		return Record{}, err
	}
	commit, err := fromEnvelope(envelope)
	if err != nil {
		return Record{}, err
	}
	if want := chainHash(commit.PrevHash, stored[:len(stored)-trailerBytes]); want != hash {
		return Record{}, damaged("hash", hexOf(want[:]), hexOf(hash[:]))
	}
	return Record{Commit: commit, Hash: hash, Size: len(stored)}, nil
}

// openRecord checks the frame and returns the envelope and the stored hash, which is not checked yet.
func openRecord(stored []byte) (*eventpb.StoredCommit, [32]byte, error) {
	var hash [32]byte
	if len(stored) < recordFrame {
		return nil, hash, damaged("length", fmt.Sprintf("at least %d bytes", recordFrame), fmt.Sprint(len(stored)))
	}
	body, sum := stored[:len(stored)-crcBytes], binary.LittleEndian.Uint32(stored[len(stored)-crcBytes:])
	if want := crc32c(body); want != sum {
		return nil, hash, damaged("checksum", fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", sum))
	}
	// After the checksum: a flipped format byte is damage, not a newer version.
	if stored[0] != recordFormat {
		return nil, hash, fmt.Errorf("record format %d, this version reads up to %d: %w", stored[0], recordFormat, ErrUnsupportedVersion)
	}
	copy(hash[:], body[len(body)-hashBytes:])
	envelope := new(eventpb.StoredCommit)
	if err := envelope.UnmarshalVT(body[1 : len(body)-hashBytes]); err != nil {
		return nil, hash, damaged("envelope", "protobuf", err.Error())
	}
	return envelope, hash, nil
}

func chainHash(prev [32]byte, body []byte) (hash [32]byte) {
	digest := sha256.New()
	digest.Write(prev[:])
	digest.Write(body)
	digest.Sum(hash[:0])
	return hash
}

// storedBytes returns the size that c, whose Seq and PrevHash are assigned, has when stored.
func storedBytes(c *Commit) int {
	envelope, err := toEnvelope(c, c.Seq, c.PrevHash)
	if err != nil {
		return 0
	}
	return recordFrame + envelope.SizeVT()
}

func storableCommit(c *Commit, seq Seq) error {
	for i := range c.Facts {
		if err := storable(&c.Facts[i], seq); err != nil {
			return fmt.Errorf("fact %d of %s: %w", i, c.Facts[i].Stream, err)
		}
	}
	return nil
}

func toEnvelope(c *Commit, seq Seq, prev [32]byte) (*eventpb.StoredCommit, error) {
	envelope := &eventpb.StoredCommit{
		Seq: uint64(seq), Namespace: uint32(c.Namespace), Tick: c.Tick, TimeMillis: c.TimeMillis,
		PrevHash: absentWhenZero(prev[:]), RequestDigest: absentWhenZero(c.RequestDigest[:]),
		Agent: c.Agent, Door: c.Door, Verb: c.Verb, ContentHigh: c.ContentHigh, SymbolHigh: c.SymbolHigh,
	}
	if err := storableCommit(c, seq); err != nil {
		return nil, err
	}
	facts := make([]eventpb.StoredFact, len(c.Facts))
	envelope.Facts = make([]*eventpb.StoredFact, len(c.Facts))
	backs := make([]uint64, len(c.Facts))
	for i := range c.Facts {
		fact := &c.Facts[i]
		stored := &facts[i]
		envelope.Facts[i] = stored
		if fact.Stream.Namespace != c.Namespace {
			stored.ForeignNamespace = uint64(fact.Stream.Namespace) + 1
		}
		stored.Family, stored.Id = uint32(fact.Stream.Family), absentWhenZero(fact.Stream.ID[:])
		stored.Version, stored.Schema, stored.Body = fact.Version, fact.Schema, fact.Body
		if fact.Prev != 0 {
			backs[i] = back(fact.Prev, seq)
			stored.Back = &backs[i]
		}
		stored.Type = internType(envelope, fact.Type)
	}
	return envelope, nil
}

func storable(fact *Fact, seq Seq) error {
	switch {
	case len(fact.Type) > TypeBytesMax:
		return fmt.Errorf("type name of %d bytes, at most %d: %w", len(fact.Type), TypeBytesMax, ErrTooLarge)
	case fact.Prev != SameCommit && fact.Prev > seq:
		return fmt.Errorf("previous fact in commit %d, after %d", fact.Prev, seq)
	}
	return nil
}

func back(prev, seq Seq) uint64 {
	if prev == SameCommit {
		return 0
	}
	return uint64(seq - prev)
}

// internType returns the index of name among the commit's type names. Commits have few, so a scan will do.
func internType(envelope *eventpb.StoredCommit, name string) uint32 {
	at := slices.Index(envelope.Types, name)
	if at < 0 {
		at = len(envelope.Types)
		envelope.Types = append(envelope.Types, name)
	}
	return uint32(at)
}

func absentWhenZero(b []byte) []byte {
	if len(bytes.TrimLeft(b, "\x00")) == 0 {
		return nil
	}
	return b
}

func fromEnvelope(e *eventpb.StoredCommit) (Commit, error) {
	c := Commit{
		Seq: Seq(e.Seq), Namespace: Ordinal(e.Namespace), Tick: e.Tick, TimeMillis: e.TimeMillis,
		Agent: e.Agent, Door: e.Door, Verb: e.Verb, ContentHigh: e.ContentHigh, SymbolHigh: e.SymbolHigh,
	}
	if err := fill(c.PrevHash[:], e.PrevHash, "previous hash"); err != nil {
		return Commit{}, err
	}
	if err := fill(c.RequestDigest[:], e.RequestDigest, "request digest"); err != nil {
		return Commit{}, err
	}
	if len(e.Facts) > 0 {
		c.Facts = make([]Fact, len(e.Facts))
	}
	for i, stored := range e.Facts {
		if err := fromStoredFact(&c.Facts[i], stored, e); err != nil {
			return Commit{}, err
		}
	}
	return c, nil
}

func fromStoredFact(fact *Fact, stored *eventpb.StoredFact, e *eventpb.StoredCommit) error {
	fact.Stream.Namespace = Ordinal(e.Namespace)
	if stored.ForeignNamespace != 0 {
		if stored.ForeignNamespace > 1<<32 {
			return damaged("namespace", "32 bits", fmt.Sprint(stored.ForeignNamespace))
		}
		fact.Stream.Namespace = Ordinal(stored.ForeignNamespace - 1)
	}
	if stored.Family > 255 {
		return damaged("family", "8 bits", fmt.Sprint(stored.Family))
	}
	fact.Stream.Family = Family(stored.Family)
	if err := fill(fact.Stream.ID[:], stored.Id, "stream id"); err != nil {
		return err
	}
	if stored.Back != nil {
		if *stored.Back >= e.Seq {
			return damaged("link to the previous fact", fmt.Sprintf("below %d", e.Seq), fmt.Sprint(*stored.Back))
		}
		fact.Prev = Seq(e.Seq - *stored.Back)
	}
	if int64(stored.Type) >= int64(len(e.Types)) {
		return damaged("type index", fmt.Sprintf("below %d", len(e.Types)), fmt.Sprint(stored.Type))
	}
	fact.Type = e.Types[stored.Type]
	fact.Version, fact.Schema, fact.Body = stored.Version, stored.Schema, stored.Body
	return nil
}

// fill copies stored into whole, where absent means all zero.
func fill(whole, stored []byte, what string) error {
	if len(stored) != 0 && len(stored) != len(whole) {
		return damaged(what, fmt.Sprintf("%d bytes", len(whole)), fmt.Sprint(len(stored)))
	}
	copy(whole, stored)
	return nil
}

// damaged is a CorruptError whose file and seq the caller fills in with inFile.
func damaged(what, want, got string) error {
	return &CorruptError{What: what, Want: want, Got: got}
}

func hexOf(b []byte) string { return fmt.Sprintf("%x", b) }
