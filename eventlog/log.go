package eventlog

import (
	"context"
	"fmt"
	"iter"
)

// Seq numbers commits from 1, without gaps. 0 means "before the first".
type Seq uint64

// Ordinal is the number of a namespace in this store, from 1; its name lives in contents.
type Ordinal uint32

// Family is the kind of entity a stream belongs to.
type Family uint8

// Families are stored; never renumber.
const (
	FamilyStore    Family = 1 // the store itself: one stream, ordinal 0, zero ID
	FamilyBrain    Family = 2 // a namespace: one stream, zero ID
	FamilyMemory   Family = 3
	FamilyEngram   Family = 4
	FamilyConflict Family = 5
	FamilyRun      Family = 6 // work of several steps: import, re-embedding, consolidation
)

// Stream names one ordered list of facts. IDs repeat across namespaces; a Stream does not.
type Stream struct {
	Namespace Ordinal
	Family    Family
	ID        [16]byte
}

// String returns "3/memory/0192…", for errors and logs.
func (s Stream) String() string { return fmt.Sprintf("%d/%d/%x", s.Namespace, s.Family, s.ID) }

// SameCommit as a Fact's Prev says: the stream's previous fact stands earlier in this very commit.
// The writer replaces it by the commit's own Seq.
const SameCommit = ^Seq(0)

// Fact is one thing that happened in one stream. Body is opaque here; the codec knows it.
type Fact struct {
	Stream  Stream
	Version uint64 // of the stream, after this fact; from 1, no gaps
	Prev    Seq    // commit that holds the stream's previous fact; 0 for the first
	Type    string // stored name, such as "memory.encoded.v1"; at most 64 bytes
	Schema  uint32 // schema version of Body, from 1
	Body    []byte
}

// Commit is the unit of append: all of its facts are durable together or not at all.
type Commit struct {
	Seq           Seq      // assigned by Append
	PrevHash      [32]byte // assigned by Append: hash of the commit before; zero for the first
	Namespace     Ordinal
	Tick          uint64   // interaction tick of the namespace after this commit
	TimeMillis    int64    // Unix milliseconds, never less than the commit before of that namespace
	RequestDigest [16]byte // keyed digest of (verb, agent, request id); zero when none
	Agent         uint64   // symbol of the acting agent in the namespace; 0 for nobody in particular
	Door          string   // which door wrote: "cli", "api", "mcp", "http", "import", ...; never caller text
	Verb          string   // "encode", "recall", ...; never caller text
	ContentHigh   uint64   // highest content number of the namespace that this or an earlier commit names
	SymbolHigh    uint64   // highest symbol number of the namespace that this or an earlier commit names
	Facts         []Fact
}

// Record is a commit as stored, with the hash that the next commit chains to.
type Record struct {
	Commit
	Hash [32]byte
	Size int // stored bytes
}

// Head is the end of the log.
type Head struct {
	Seq  Seq
	Hash [32]byte
}

// Log is an append-only list of commits. Implementations are safe for concurrent use.
type Log interface {
	// StoreID identifies this store for ever; Epoch grows with every restore from a backup.
	StoreID() [16]byte
	Epoch() uint64
	// Head returns the last durable commit.
	Head() Head
	// Append adds commits atomically and durably after expected, assigning Seq, PrevHash and Prev==SameCommit.
	// Errors: ErrStaleHead when expected is not the head; ErrUnavailable (disk full, read-only, I/O), whose
	// outcome is unknown until Head has been read again with Reload; ErrCorrupt; ErrClosed.
	Append(ctx context.Context, expected Seq, commits []*Commit) (Head, error)
	// Reload re-reads the head from disk after an append of unknown outcome.
	Reload() (Head, error)
	// At returns one commit. Errors: ErrNotFound, ErrCorrupt.
	At(seq Seq) (Record, error)
	// Scan yields commits from seq (1 when 0) to the head as of the call, in order, verifying CRC and
	// chain. It reads in chunks, so a slow consumer never holds a read transaction for long.
	Scan(ctx context.Context, from Seq) iter.Seq2[Record, error]
	Close() error
}

// Content is one immutable content record: bytes that may one day have to be erased.
type Content struct {
	Number uint64 // per namespace, from 1, allocated by the brain
	Body   []byte // opaque; over BlobBytesMin it is kept as a file under blobs/
}

// Symbol is an interned string of a namespace.
type Symbol struct {
	Number uint64 // per namespace, from 1, allocated by the brain
	Text   string
}

// Contents holds everything that erasure must be able to reach. Safe for concurrent use.
// Ordinal 0 belongs to the store: its symbols are the namespace names, symbol number = the namespace's Ordinal.
type Contents interface {
	// Put writes contents and symbols durably. Writing the same number again replaces it (a failed
	// commit frees its numbers). Errors: ErrUnavailable, ErrTooLarge, ErrClosed.
	Put(ctx context.Context, batch []ContentBatch) error
	// Get returns one content's bytes. Errors: ErrNotFound, ErrErased (with when and why), ErrCorrupt.
	Get(ns Ordinal, number uint64) ([]byte, error)
	// Scan yields the contents of a namespace with number >= from, in order, in chunks.
	Scan(ctx context.Context, ns Ordinal, from uint64) iter.Seq2[Content, error]
	// Symbols yields the symbols of a namespace in order of number; an erased one has Text "".
	Symbols(ctx context.Context, ns Ordinal) iter.Seq2[Symbol, error]
	// Sweep removes contents and symbols above the given numbers: leftovers of commits that never happened.
	Sweep(ns Ordinal, contentHigh, symbolHigh uint64) (removed int, err error)
	// Secret returns the store's 32-byte key for keyed digests, made at creation.
	Secret() [32]byte
	Close() error
}

// ContentBatch is what one commit needs written before it.
type ContentBatch struct {
	Namespace Ordinal
	Contents  []Content
	Symbols   []Symbol
}

// BlobBytesMin is the size from which a content is kept as a file of its own.
const BlobBytesMin = 64 << 10
