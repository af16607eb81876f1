// Package projections folds the log into everything that reads need, and keeps it so: the state table, filters, lexical and vector
// index, sessions, fingerprints. All of it can be deleted and comes back equal (AUT-1).
//
// [Projections] are those of one store: Open makes them, Apply moves them on, Digest sums them up. A [Space] is one namespace, a [View]
// a namespace at one commit. An ordinal is the number of a memory's present content, in 32 bits; gaps are normal.
//
// Promises:
//
//	J1  When Apply returns, every read shows its commits. A View shows one commit of its namespace for as long as it lasts.
//	J2  A fact that cannot be folded quarantines its own stream, which then answers ErrQuarantined and is in no index;
//	    everything else goes on. The quarantine is part of the fold: it survives restart and rebuild.
//	J3  Live, reopened, rebuilt, checkpoint plus tail, and replayed tables of one log have one digest, and give the same answers.
//	J4  A derived file that is missing, cut, changed in any byte that counts, foreign, or ahead of the log is made anew and
//	    reported; it never crashes the process and never changes an answer.
//	J5  What a viewer may not see is in none of its matches (GOV-2).
//	J6  Vectors of two embedders are never in one index.
//
// It never appends to the log, decides nothing about memories, asks no embedder, and reads no clock but for the creation time of a
// checkpoint. The only goroutine that outlives a call is the one that writes derived files: Open starts it, Close stops it. Locks are
// taken in the order closing, applying, saving, then the lock of one space; the table and the indexes have locks of their own below.
//
// # Files
//
// Below the data directory, all of them rebuildable:
//
//	state.db                        the state table: package state
//	state.db.rebuild                a state table in the making; removed at open
//	index/OWNER                     which store and epoch the files beside it belong to, one line of text
//	index/lexical/NAMESPACE.lex     package lexical
//	index/vectors/NAMESPACE.vec     package vectors; its embedder id is "store id/epoch/symbol/name"
//	index/fingerprints/NAMESPACE.fp package fingerprints
//	checkpoints/                    package snapshots; the first row is "format" -> the number of the way of folding, then come the
//	                                requests ('q' and the key of package state) and the rows ('r' and the key)
package projections
