// Package fingerprints finds the memories of one namespace whose text has a given fingerprint.
//
// [Index] maps fingerprints to live ordinals and back. A fingerprint is a hint of a duplicate, never an identity (IDN-3).
//
// Promises: a file that is cut, changed in any byte, foreign or newer is refused with ErrRebuild; a file holds fingerprints, so it
// is rewritten after an erasure like every other index. Not safe for concurrent use: its owner has the lock.
//
// # File
//
// Integers are little endian. Entries stand in order of ordinals.
//
//	magic 8 "mbrnfpnt" | version 2 | zero 2 | namespace 4 | store id 16 | epoch 8 | seq 8 | entries 8 | crc 4
//	entry: ordinal 4 | fingerprint 8
//	crc of all entries 4
//
// The first crc (CRC-32C) is of the 56 bytes before it.
package fingerprints
