// Package state keeps the latest fold of every stream of the log: one row a stream, and the index of acknowledged
// requests. It is derived: whatever is wrong with its file, the answer is to delete it and fold the log again.
//
// [Table] is the table, [Row] one fold, [Snapshot] the table as it was after one commit.
//
// Promises:
//
//	T1  The table always shows the folds after one commit, Applied, and never a part of a later one.
//	T2  A flush moves the file from one commit to a later one in one synced transaction.
//	T3  A file that is cut, changed in any byte that counts, foreign, newer, or of another fold is refused at open
//	    with ErrRebuild; it never crashes the process and never gives a wrong row.
//	T4  Equal folds give equal bytes, so equal digests, whether a row comes from memory, the file or a checkpoint.
//
// It never reads the log, holds no string of a caller, and starts no goroutine that outlives a call.
//
// # File
//
// state.db is a bbolt file. Integers in keys and in frames of rows are big endian.
//
//	bucket rows       namespace 4 | family 1 | id 16      ->  row | crc 4
//	bucket requests   namespace 4 | keyed digest 16       ->  seq 8 | crc 4
//	bucket meta       "header"                            ->  magic 8 "mbrnstat" | format 4 | store id 16 | epoch 8 |
//	                                                          applied seq 8 | its hash 32 | rows 8 | requests 8 | crc 4
//
//	row     what 1 (0 nothing, 1 memory, 2 brain) | fault 1 | head seq 8 | fold as package codec writes it
//	        with fault = 1, before the fold: seq 8 | length 1 | reason
//
// A crc is CRC-32C of the key and all that stands before it in the value. The number of rows and requests is in the
// header, so that a page that lost some is noticed. Free pages count for nothing.
package state
