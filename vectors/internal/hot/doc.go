// Package hot is a graph of vectors in memory that can be searched while it changes: a hierarchical navigable small
// world (Malkov and Yashunin, arXiv 1603.09320) over codes of eight bits, with deletes that are repaired.
//
// Graph is the type to know. A node is one distinct vector; the keys of equal vectors share it (see Bind). A Vector is a
// query or what Insert stores. Search plans, walks the graph or scans, and scores what it found exactly.
//
// # Who may call what
//
// Readers (Search, Similarity, Has, Len and the like): any number, at any time, without a lock; they never wait.
// The writer of links (Insert, Consolidate, Calibrate, Drop): one goroutine at a time. The writer of keys (Bind,
// Unbind): one goroutine at a time, which may be another one than the writer of links, and beside it.
//
// # Invariants
//
//   - H1: a new node has its codes, then its links on all levels, before anything leads to it; then it may become the
//     entry; only then do others link to it, level 0 first. What a reader can reach is therefore whole.
//   - H2: a list of links ends at its first sentinel or its end. A reader may see old and new links mixed, never half of one.
//   - H3: a node without keys is dead (or not yet bound): it leads the way and is never an answer.
//   - H4: a slot, a list above level 0 or a posting is used again only after nothing links to it and every reader that
//     started before that has ended.
//   - H5: no list has a link to its own node, two equal links, or a link to a node that is not on the list's level.
//   - H6: after a step of Insert or Consolidate, every node with keys other than the entry has a link to it on level 0.
//
// # Memory
//
// Tables outside the heap, one row a node unless said otherwise, in chunks of 65,536 rows that never move:
//
//	codes   dim rounded up to 32   one byte a component
//	scales  4                      float32: what makes a dot product with the codes a cosine
//	links   128                    32 x u32, level 0
//	levels  4                      level << 28 | first row in upper
//	upper   64 a level above 0     16 x u32; a node in sixteen has one
//	heads   8                      first key << 32 | 0 no key, 1 no more keys, 2+p more at posting p
//	posts   8 a further key        key << 32 | as above
//	floats  4*dim up to 32, and 8  float32 form only: the vector as it was given, 1/norm in float64
//
// and on the heap two bytes a node (links to it) and 11 to 21 bytes a key (the table from key to node).
package hot
