// Package lexical finds memories by their words: BM25 over one namespace, in memory, rebuilt from
// the log when its file is gone.
//
// The types to know: [Index] holds the postings of one namespace; [Query] and [Hit] are a search
// and its answers; [Doc] is one content version under its dense ordinal.
//
// It promises:
//
//	L1  A document is found from the moment Add returns, and never after Remove or Purge returns.
//	L2  n, sumLen and every df count the same documents: the live ones. They change together.
//	L3  Scores are sums of integers. A live index, a rebuilt one and a loaded one with the tail
//	    replayed give the same hits and scores, bit for bit, with or without pruning.
//	L4  A published posting list is only ever appended to. Whatever else changes one replaces it,
//	    so a save may read the lists that it copied while the writer goes on.
//	L5  After Purge no word that only purged documents held is in the dictionary, in a cache of
//	    this package, or in a file saved afterwards.
//	L6  Statistics never cross namespaces: an Index knows one.
//
// It never parses a query (AND, quotes and colons are text), starts a goroutine, reads a clock, or
// knows what a memory is. Ordinals are dense: memory grows by about a byte for each one up to the
// highest. A content version is immutable: the same ordinal always comes with the same text.
// Freed Go strings may linger in this process's heap until it is reused.
//
// # File
//
// One file for a namespace, written to a temporary name, synced and renamed. Integers are little
// endian, v is an unsigned varint, and each section ends with the crc32c of its bytes.
//
//	magic 4 "MLEX" | version 2 | analyser length 1 | analyser | namespace 4 | seq 8 |
//	terms 4 | postings 8 | length of section A 8, B 8, C 8 | crc 4
//	A documents  one byte an ordinal: length bucket (6 bits, 0 absent) | live << 7         | crc 4
//	B terms      ascending: v bytes shared with the one before, v rest, rest, v postings   | crc 4
//	C postings   in term order: v (distance to the one before << 1 | f), f = 1: code 1     | crc 4
//
// The code byte is (min(tf,4)-1) << 6 | length bucket, and left out when the word stands once.
// A file that is damaged, foreign, newer, or of another analyser gives [ErrRebuild].
package lexical
