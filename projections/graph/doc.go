// Package graph knows which memories of one namespace follow each other in a session.
//
// [Sessions] holds, for each session, its live ordinals in order of what they tell of (occurred, else created), then of ordinal.
//
// Promises: Neighbours and Members are what a sort of the session's live memories would give; what has no session has no
// neighbours (CTX-1). It is derived from state alone, keeps no file, and is not safe for concurrent use: its owner has the lock.
package graph
