// Package brain runs a namespace: its actor orders the requests, owns the interaction tick, applies policy and
// turns what the memories propose into commits. Engine is the door that hosts call.
//
// A request goes through four steps:
//
//	prepare  on the caller's goroutine, bounded: validate, embed, search an immutable view, rank
//	admit    in the brain: checks again what may have changed, takes the tick, asks the memories to propose
//	commit   receipt and facts in one record, submitted in the order of admission; nobody waits for the disk
//	settle   when durable: memories move on, projections hold it, the reply leaves
//
// When a commit fails, everything that the brain decided after it is dropped with "unavailable", and the
// memories go back to what is durable. So ticks rise with seq, two requests for one memory need no retry, and
// nothing is visible before it is durable.
//
// The types to know: Engine, and the request and reply types of package model.
//
// What it never does: hold rules of memory (package model does), read a clock or make an id that was not handed
// in, wake memories for a search or a list. Files on disk: none of its own.
package brain
