// Package cold keeps vectors that are rarely needed in immutable files, of which a search reads a few pages.
//
// Seal writes a file from a Source, which may bring the graph of a hot index. Open maps it as a Shard. A search walks the
// graph on small codes in memory and touches only the pages of the vectors that it expands.
//
// Promises:
//
//   - C1: Search returns min(k, matches) hits, best first, ties by lower key, whatever the filter. The similarity of a hit is exact
//     for FormInt8 and for shards with rows of floats, and that of the codes of eight bits otherwise.
//   - C2: a file that is damaged, cut, foreign or newer gives ErrRebuild, at Open or by the first search that touches the
//     damage, or the same answers as before, where nothing that matters is damaged. It never ends the process, also when the file is
//     cut while it is open.
//   - C3: Seal replaces a file whole or not at all, and open shards keep the old one.
//   - C4: the same source gives the same bytes, and the same search the same answer, whatever the number of processors.
//
// The package never changes a file, never normalises what it answers from, and never locks memory.
//
// # How a search goes
//
// In memory are, of each vector, codes of 4 bits a component (or 1), its key, and a few nodes at which searches start. All of
// those are compared with the query; the best enter a pool. Then the best candidates of the pool are expanded: pages that are not there yet are
// asked for four at a time; a block gives the codes of eight bits, by which the vector is ranked, and the links, whose codes in memory
// decide who enters the pool. Vectors lie in the file in an order in which neighbours share pages.
//
// With a filter the exact number of matches decides: few are read all; more are compared by their codes in memory, and by their blocks
// those that may be among the best, given how far codes in memory are from the truth; when a walk is cheaper, it is as
// much wider as matches are rarer, and a scan follows when it has met too few.
//
// # File
//
// Numbers are little-endian. S is dim rounded up to 32, L the number of links in a block (31 or 32; as many as leave the number of blocks in a
// page), N the number of vectors. A node is the place of a vector in the file.
//
//	header, 4,096 bytes                          sections, in this order
//	   0    8  magic "mbrncold"                  entries     E*4    nodes at which searches start
//	   8    2  format version, 1                 navigation  N*W    codes in memory
//	  10    1  form: 1 int8, 2 float32           keys        N*4    by node
//	  11    1  bits of codes in memory: 4, 1     sums        B*4    CRC-32C of every bucket below
//	  12    4  dim                               -- zero to the next page --
//	  16    4  N                                 blocks             rows of S+4+4*L
//	  20    4  E                                 key table          rows of 8
//	  24    4  L                                 floats             rows of 4*dim, or none
//	  28    4  width of a walk
//	  32    4  vectors a scan reads, mean        block, 512 bytes at 384 dimensions
//	  36    1  1 when there are floats              0   S  codes, int8, zero from dim on
//	  37    3  zero                                 S   4  sum of their squares
//	  40    4  bytes of meta                      S+4  4L  links: nodes, 0xffffffff ends them
//	  44    4  recall measured, binary32
//	  48    8  size of the file                  row of navigation, W bytes
//	  56    4  slack, binary32; 4 zero             0      codes of 4 bits: per 64 components 32 bytes (kernel.PackU4), or
//	  64 7*24  sections: offset 8, bytes 8,                of 1 bit: per 64 components 8 bytes, least bit first
//	           CRC-32C 4 (first four), zero 4     W-2   2  |x| / <x, c>, binary16
//	 512  256  meta
//	4092    4  CRC-32C of the bytes above        row of the key table: key 4, node 4; ascending keys
//
// Blocks, key table and floats consist of buckets: a page with as many rows as fit and zeros, or, when a row is larger, as many
// pages as it needs. At open, header, entries, navigation, keys and sums are read and compared with their checksums; a bucket is
// whenever a search touches it.
package cold
