package actors

import (
	"strings"

	"github.com/asynkron/protoactor-go/actor"
)

// Ref is a handle of one actor, comparable, usable as a map key, safe for concurrent use. The zero Ref is no actor.
// A Ref survives restarts and is dead once the actor has stopped; it never points to a later actor of the same name.
type Ref struct {
	cell *cell
}

// Zero reports whether r is the zero Ref.
func (r Ref) Zero() bool { return r.cell == nil }

// Tell queues msg and returns at once. After nil, msg is handled or its Undelivered is called; after an error it was not taken.
// Messages of one sender are handled in order.
// Errors: ErrBusy over the actor's cap, ErrStopped (also for the zero Ref).
func (r Ref) Tell(msg any) error {
	if r.cell == nil {
		return ErrStopped
	}
	return r.cell.post(msg, false)
}

// TellUncapped is Tell without the cap: for answers to work that the receiver itself started, whose number it bounds.
// Errors: ErrStopped.
func (r Ref) TellUncapped(msg any) error {
	if r.cell == nil {
		return ErrStopped
	}
	return r.cell.post(msg, true)
}

// Name returns the name given at spawn, unique among the siblings; empty for the zero Ref.
func (r Ref) Name() string {
	if r.cell == nil {
		return ""
	}
	return r.cell.name()
}

// Path returns the names from the root down, joined by slashes: "membrain/store/ns/team". Empty for the zero Ref.
func (r Ref) Path() string {
	if r.cell == nil {
		return ""
	}
	return r.cell.pid().Id
}

// String is Path.
func (r Ref) String() string { return r.Path() }

// PID returns the protoactor address, for hosts that are actor systems; nil for the zero Ref. It must not be changed.
func (r Ref) PID() *actor.PID {
	if r.cell == nil {
		return nil
	}
	return r.cell.pid()
}

// Name joins parts to the name of an actor. Slashes and percent signs inside a part are escaped, so two different lists
// never give one name: Name("ns", "team/a") = "ns/team%2Fa".
func Name(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = nameEscaper().Replace(part)
	}
	return strings.Join(escaped, "/")
}

func nameEscaper() *strings.Replacer { return strings.NewReplacer("%", "%25", "/", "%2F") }
