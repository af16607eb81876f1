// Package filters answers which memories of one namespace a request may see and asks for, as a set of ordinals, before any
// search starts. An ordinal is the number of a memory's present content.
//
// [Index] holds the columns and the bitmaps, [Compiled] is a model.Filter with its strings resolved and the viewer's
// rights in it, [Hot] is a memory's row of columns.
//
// Promises:
//
//	F1  Match is what a scan of all memories with the model's own functions would give (Viewer.CanSee, LifecycleAt,
//	    EffectiveAt): the index never has a rule of its own.
//	F2  A string that the namespace has never seen matches nothing.
//	F3  Lifecycle follows the tick: when a labile window is over its ordinal moves, without a fact.
//	F4  What has no value in a field matches no filter on that field (CTX-1).
//
// It reads no payload, no text and no clock, keeps no file, and is not safe for concurrent use: its owner has the lock.
package filters
