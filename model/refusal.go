package model

import "errors"

// RefusedError is a refusal on an existing memory: an illegal transition or a denial by policy. It leaves an audit
// fact (Refusal), which a mere validation error does not.
type RefusedError struct {
	Family FailureFamily
	From   Lifecycle  // of an illegal transition, else 0
	To     Lifecycle  // of an illegal transition, else 0
	Flag   PolicyFlag // that forbade it; 0 when none, as with a pin
	Err    *Error     // what the caller is told
}

// Error implements error.
func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns the *Error, so CodeOf and errors.As see the code and the hint.
func (e *RefusedError) Unwrap() error { return e.Err }

// Refusal returns the audit fact of a refused command on a memory; ok is false when err is none that leaves one.
// Count is 1: the brain adds up repeats of one caller.
func Refusal(verb Verb, id MemoryID, err error, at Moment) (fact RequestRefused, ok bool) {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return RequestRefused{}, false
	}
	return RequestRefused{
		Verb: verb, Family: refused.Family, Memory: id,
		From: refused.From, To: refused.To, Flag: refused.Flag,
		Count: 1, At: at.Now,
	}, true
}

// stateConflict refuses an illegal transition.
func stateConflict(from, to Lifecycle, message string) *RefusedError {
	err := &Error{Code: CodeStateConflict, Field: "lifecycle_state", Value: from.String(), Message: message}
	switch from {
	case Archived:
		err.Hint = "restore the memory first"
	case Consolidating:
		err.Hint = "wait until the consolidation run is over, or cancel it"
	case Superseded:
		err.Hint = "work with the memory that superseded it"
	}
	return &RefusedError{Family: FamilyValidationFailure, From: from, To: to, Err: err}
}

// denied refuses by a policy flag; action says what was tried.
func denied(flag PolicyFlag, action string) *RefusedError {
	err := Denied("policy_flags", flag.String()+" forbids to "+action)
	return &RefusedError{Family: FamilyPolicyDenied, Flag: flag, Err: err.WithHint("release " + flag.String() + " first")}
}

// deniedByPin refuses because the memory is pinned.
func deniedByPin(action string) *RefusedError {
	err := Denied("retention_class", "pinned forbids to "+action)
	return &RefusedError{Family: FamilyPolicyDenied, Err: err.WithHint("unpin the memory first")}
}
