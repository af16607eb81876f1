// Package snapshots keeps checkpoints: copies of a whole table of keys and rows as it was after one commit, compressed
// and checked. It knows nothing of what the rows mean.
//
// Store is a folder of them, Meta describes one.
//
// Promises:
//
//   - S1: a file under a final name is whole: it was written under a temporary one, synced, renamed, and the folder
//     synced. A full disk or a crash leaves what was there before.
//   - S2: a row that Read hands over is a row that was written. Every block's checksum is verified before any of its rows
//     is handed over, and Read reports success only when all rows, their number and their SHA-256 have been seen.
//   - S3: a cut file and one with any byte changed give ErrCorrupt with file and offset, never wrong rows, a crash or a hang.
//     No number in a file is believed beyond the limits below or the size of the file.
//   - S4: Thin never removes a named checkpoint nor the newest.
//
// The package never repairs a file, never reads the clock, and holds no truth: losing every checkpoint costs time only.
//
// # Files
//
// A folder of mode 0700 with one file per checkpoint, EPOCH-SEQ.ckpt or EPOCH-SEQ.NAME.ckpt with both numbers in decimal,
// padded with zeros (10 and 20 digits). The name is for people; the header counts. Temporary files are
// .*.tmp; those that a crash left are removed by Open.
//
// Numbers are little-endian, checksums CRC-32C. A file is preamble, header, blocks, trailer, and nothing after.
//
//	preamble, 16 bytes                          header, 144 bytes (format version 1)
//	 0  8  magic "mbrnckpt"                       0 16  store id
//	 8  2  format version, 1                     16  8  epoch
//	10  2  bytes of the header, 144              24  8  seq
//	12  4  checksum of the 12 bytes above        32 32  hash of commit seq
//	                                             64  8  created, Unix milliseconds
//	block, 17 bytes and payload                  72  1  bytes of the name; 0: unnamed
//	 0  1  'B'                                   73 64  name, padded with zeros
//	 1  4  bytes of the payload                 137  3  zero
//	 5  4  bytes of the rows, uncompressed      140  4  checksum of preamble and header above
//	 9  4  number of rows, at least 1
//	13  4  checksum, see below                  trailer, 61 bytes
//	17  n  payload: one zstd frame                0  1  'T'
//	                                              1  8  number of rows
//	                                              9  8  number of blocks
//	                                             17  8  bytes of the rows, uncompressed
//	                                             25 32  SHA-256 of the rows as they stand in the frames
//	                                             57  4  checksum of the header's checksum and all above
//
//	row, in a frame                              25 32  SHA-256 of the rows as they stand in the frames
//	    v  bytes of the key, uvarint             57  4  checksum of the header's checksum and all above
//	       key
//	    v  bytes of the row, uvarint
//	       row
//
// A block's checksum covers the header's checksum (4 bytes), the number of the block from 0 (8 bytes), its first 13 bytes
// and the payload, so a block of another file or place is not accepted. Keys rise strictly over the whole
// file. A block ends with the row that brings it to 1 MiB; a key has at most 64 KiB and a row at most 32 MiB.
package snapshots
