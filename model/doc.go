// Package model is the memory model as pure code: the vocabulary, the requests and replies that every door
// shares, the facts that the log stores, and the two functions that give them meaning.
//
// Decide computes: it takes a memory's state, a command, the parameters and the moment, and returns the fact
// that records the outcome with every number worked out. Apply assigns: it folds a fact into a state and cannot
// fail. Logarithms, roots and exponentials run in Decide and in reads, never in Apply, so a log folds to the
// same state on every machine.
//
// The types to know: Memory (the state of one memory), Fact (what happened to it), Params (the numbers that
// steer it), Error (a refusal with code, field, value and what is allowed).
//
// The package knows no clock, disk, network, lock or randomness: time, ids and symbols are arguments.
// Strings of callers never stand in a Memory or a Fact; they are Symbols or content numbers, resolved elsewhere,
// so that erasing them needs no change to the log.
package model
