package actors

import (
	"errors"
	"fmt"
	"runtime"
)

// What a sender is told.
var (
	// ErrBusy is returned when a mailbox or a router's buffer is at its cap. The message was not taken.
	ErrBusy = errors.New("actor is busy")
	// ErrStopped is returned when the actor no longer takes messages, and given to messages that it left unhandled.
	ErrStopped = errors.New("actor has stopped")
	// ErrQuarantined is given to messages for an actor that was stopped for good. Errors that wrap it wrap the cause too.
	ErrQuarantined = errors.New("actor is quarantined")
	// ErrPanicked is given to the message whose handling panicked; the concrete type is *PanicError.
	ErrPanicked = errors.New("actor panicked")
)

// What a spawner is told.
var (
	// ErrNameTaken is returned when a living actor has the name.
	ErrNameTaken = errors.New("actor name is taken")
	// ErrNoName is returned for an empty name.
	ErrNoName = errors.New("actor name is empty")
)

// ErrAwaited is returned by a second Wait on one promise.
var ErrAwaited = errors.New("promise was awaited already")

// PanicError is what a panic in Receive becomes. Its text names the actor and the kind of panic, never the panic's value,
// which may hold memory text; runtime errors (index out of range, nil dereference) carry none and are printed.
type PanicError struct {
	Name  string // the actor's name
	Value any    // what was passed to panic; nil when the goroutine was ended by runtime.Goexit
	Stack []byte // the stack of the panicking goroutine
}

func (e *PanicError) Error() string {
	if err, ok := e.Value.(runtime.Error); ok {
		return fmt.Sprintf("%v in %s: %v", ErrPanicked, e.Name, err)
	}
	return fmt.Sprintf("%v in %s with a %T", ErrPanicked, e.Name, e.Value)
}

// Unwrap returns ErrPanicked and, when an error was thrown, that error.
func (e *PanicError) Unwrap() []error {
	if err, ok := e.Value.(error); ok {
		return []error{ErrPanicked, err}
	}
	return []error{ErrPanicked}
}

// quarantineError keeps the cause reachable by errors.Is and errors.As.
func quarantineError(name string, cause error) error {
	if errors.Is(cause, ErrQuarantined) {
		return cause
	}
	return fmt.Errorf("%w: %s: %w", ErrQuarantined, name, cause)
}
