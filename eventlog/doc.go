// Package eventlog is the durable truth of a store: an append-only, hash-chained log of commits, and beside it the
// contents, which hold everything that may one day have to be erased.
//
// # Types to know
//
// Log and Contents are the two halves. OpenBolt gives both on disk, NewMemory both in memory with faults on demand.
// Writer is how commits get in: many callers submit, one goroutine gathers what is there, syncs once, and answers
// in order. Walk follows one stream back, Writer.Subscribe follows the log forward, Verify checks all of it.
//
// # Promises
//
//   - A commit is durable as a whole or not there. Append returns, and Done is called without an error, only when
//     it is synced. Commits are numbered from 1 without a gap.
//   - Bytes are never changed: commit n carries the hash of commit n-1, and every record, content, symbol, blob and
//     header carries a CRC32C.
//   - Damage is answered by ErrCorrupt with file, commit, want and got: never by a crash, a hang or other data. That
//     holds for reading; what a damaged file still answers is what was written. A file is never repaired in silence.
//   - After an error of an append its outcome is unknown, and nothing is appended until Reload has read the head.
//   - No read transaction stays open while a consumer thinks: scans copy chunks of at most 10,000 commits, 4 MiB
//     or 50 ms.
//
// It never looks into the body of a fact, never rewrites a commit, deletes nothing but what Sweep and Erase are
// told to, and opens no network connection.
//
// # Files
//
//	lock          advisory lock; JSON {"pid","started","socket"} of the holder, empty when nobody holds it
//	events.db     bbolt: commits, header. The truth
//	contents.db   bbolt: contents, symbols, header with the secret. Erasable
//	blobs/NS-N    contents of 64 KiB and more
//	*.new         unfinished; removed at open
//
// Modes are 0600 and 0700. contents.db is made before events.db, and each gets its name only when it is complete; so
// an empty or a missing one is damage. Integers are little-endian, but keys big-endian, so that they sort.
//
// events.db, bucket "commits": key seq u64, value a record. The bucket's sequence is the last seq.
//
//	offset  bytes
//	0       1      record format: 1
//	1       n      envelope: protobuf StoredCommit (eventpb/commit.proto), with the previous commit's hash
//	1+n     32     hash: SHA-256 of previous hash (32 zero bytes in commit 1), format byte and envelope
//	33+n    4      CRC32C of all before
//
// contents.db, buckets "contents" and "symbols": key namespace u32, number u64; value a cell. The bucket's sequence
// is how many cells there are.
//
//	0       1      kind: 1 inline, 2 blob, 3 erased
//	1       n      inline: the body; blob: size u64, CRC32C of the body u32; erased: Unix milliseconds i64, reason u8
//	1+n     4      CRC32C of key and all before
//
// blobs/NS-N:
//
//	0       4      "MBLB"
//	4       4      blob format: 1
//	8       4      namespace
//	12      8      number
//	20      8      size of the body, n
//	28      4      CRC32C of the body
//	32      4      CRC32C of all before
//	36      n      body
//
// Bucket "meta", key "header", of either file:
//
//	0       8      "MBEVENTS" or "MBCONTNT"
//	8       4      format of the data directory: 1; a higher one is refused and nothing written
//	12      4      shard: 0
//	16      16     store id, the same in both files
//	32      8      epoch, from 1 (events.db decides)
//	40      8      creation time, Unix milliseconds
//	48      32     secret for keyed digests (contents.db; zero in events.db)
//	80      4      CRC32C of all before
//
// # Trusting bbolt
//
// bbolt checks its meta pages and trusts the rest. So at open, by plain reads: both meta pages must be whole, the
// file as long as they say, and the links between pages a tree that shares nothing with the free list (pages.go).
// Every access then runs behind one guard (guard.go), which turns panics and memory faults into ErrCorrupt.
package eventlog
