// Package vectors finds the nearest vectors by cosine. It knows keys and numbers, and nothing of memories.
//
// Embedding is one vector in the form in which its embedder produced it. Index is what a search needs; Flat serves
// it by an exact scan, which is the right answer for the size of most namespaces (below about 10,000 vectors). Auto is that
// until the vectors become many, and then a graph in memory, built and kept by a worker in the background.
//
// Promises:
//
//   - V1: a similarity is exact for the stored form: the same vectors give the same bits on every processor, and in
//     every index. Flat's answers are exact as a whole, and Auto's up to Options.FlatMax vectors; beyond, Auto finds about
//     the part Options.Target of the nearest, and which ones may differ after a rebuild. Codes of
//     eight bits are multiplied as integers; floats are multiplied in float64, where the product of two float32 is
//     exact, and summed in one fixed order.
//   - V2: Search returns min(k, matches) hits, best first, ties by lower key, whatever the filter.
//   - V3: a filter is applied before the search, never to its result.
//   - V4: a file that is damaged in any byte, cut, foreign or newer is refused with ErrRebuild; it is never half loaded,
//     and no number in it is believed before the size of the file has confirmed it.
//   - V5: a file holds no vector whose removal had returned before the save began.
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
//
// # File of a graph
//
// Auto writes it while a graph serves. Numbers are little-endian, and so is the machine that can read it. The first page is
// the header; each section starts at a page, in the order below, with zeros up to the next; the checksums end the file.
//
//	first page, 4,096 bytes                   sections, by rows
//	 0  8  magic "mbrngrph"                   nodes   * stride  codes: dim rounded up to 32, as bytes
//	 8  2  format version, 1                  nodes   * 4       scales, float32
//	10  1  form                               nodes   * 128     links of level 0: 32 nodes, FFFFFFFF ends them
//	11  1  zero                               nodes   * 4       level << 28 | first row in upper
//	12  4  dim                                nodes   * w       floats (form 2 only): dim * 4 rounded up to
//	16  4  namespace                                            32, then 1/norm as float64
//	20  8  seq: last commit contained         nodes   * 8       first key << 32 | 0 none, 1 last, 2+p posting p
//	28 32  SHA-256 of the embedder's id       uppers  * 64      links of a level above 0: 16 nodes
//	60  8  seed of the levels                 posts   * 8       key << 32 | 1 last, 2+p posting p
//	68  4  nodes                              free    * 4       nodes that are free slots: codes, floats and links zero
//	72  4  uppers                             tail    * r       key, then the vector as in a flat index
//	76  4  posts                              blocks  * 4       CRC-32C of the number of a block (8 bytes,
//	80  4  free                                                 from 0) and its bytes: sections are cut
//	84  4  tail                                                 into blocks of 64 KiB, each from its start
//	88  8  entry: node << 8 | level + 1
//	96  4  width of searches
//	100  4  nodes when it was calibrated
//	104  8  visits for each unit of width, float64
//	112  8  recall of the sample, float64
//	120  8  size of the whole file
//	128  4  4,096, in the byte order of the machine that wrote
//	132  4  CRC-32C of the checksums
//	136     zero
//	4092  4  CRC-32C of the 4,092 bytes above
package vectors
