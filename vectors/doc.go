// Package vectors finds the nearest vectors by cosine. It knows keys and numbers, and nothing of memories.
//
// Embedding is one vector in the form in which its embedder produced it. Index is what a search needs; Flat serves
// it by an exact scan, which is the right answer for the size of most namespaces (below about 10,000 vectors).
//
// Promises:
//
//   - V1: an answer is exact for the stored form: the same vectors give the same bits on every processor. Codes of
//     eight bits are multiplied as integers; floats are multiplied in float64, where the product of two float32 is
//     exact, and summed in one fixed order.
//   - V2: Search returns min(k, matches) hits, best first, ties by lower key, whatever the filter.
//   - V3: a filter is applied before the search, never to its result.
//   - V4: a file that is damaged in any byte, cut, foreign or newer is refused with ErrRebuild; it is never half loaded,
//     and no number in it is believed before the size of the file has confirmed it.
//
// The package never normalises or re-quantises what it stores, never calls an embedder, and keeps no log of its own: the
// file of an index is a checkpoint, and its owner adds what came after the sequence number in its header.
//
// # File of a flat index
//
// Numbers are little-endian. A file is one header and as many blocks as the count asks for: each has 1,024 rows, the
// last one what is left. Nothing follows.
//
//	header, 88 bytes                          block of n rows
//	 0  8  magic "mbrnflat"                    n*4      keys
//	 8  2  format version, 1                   n*dim    codes (form 1, int8) or
//	10  1  form of the rows                    n*dim*4  floats (form 2, IEEE 754 binary32)
//	11  1  zero                                4        CRC-32C of the number of the block (8 bytes,
//	12  4  dim                                          from 0) and all bytes above
//	16  4  namespace
//	20  8  seq: last commit contained
//	28 32  SHA-256 of the embedder's id
//	60  8  count of rows
//	68  8  size of the whole file
//	76  8  zero
//	84  4  CRC-32C of the 84 bytes above
//
// Norms are not stored; they follow from the rows.
package vectors
