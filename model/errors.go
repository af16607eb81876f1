package model

import (
	"errors"
	"fmt"
	"strings"
)

// Code is the stable name of a kind of error, the same at every door. Codes are only ever added.
type Code string

// The codes.
const (
	CodeValidation         Code = "validation"
	CodeNotFound           Code = "not_found"
	CodePolicyDenied       Code = "policy_denied"
	CodeVersionConflict    Code = "version_conflict"
	CodeStateConflict      Code = "state_conflict"
	CodeDuplicateRequest   Code = "duplicate_request"
	CodeTooLarge           Code = "too_large"
	CodeBusy               Code = "busy"
	CodeLocked             Code = "locked"
	CodeUnavailable        Code = "unavailable"
	CodeDegraded           Code = "degraded"
	CodeCorrupt            Code = "corrupt"
	CodeUnsupportedVersion Code = "unsupported_version"
	CodeInternal           Code = "internal"
)

// Error is a refusal as every door shows it.
type Error struct {
	Code    Code   `json:"code"`
	Field   string `json:"field"`   // request field at fault, "" when none
	Value   string `json:"value"`   // what was given, shortened to 100 characters
	Allowed string `json:"allowed"` // what would have been accepted
	Message string `json:"message"` // one sentence
	Hint    string `json:"hint"`    // a command or setting that mends it, "" when none
	Cause   error  `json:"-"`
}

// Error implements error.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is matches another *Error of the same code, so errors.Is(err, &Error{Code: CodeNotFound}) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == ""
}

// WithHint returns e with a hint.
func (e *Error) WithHint(hint string) *Error { e.Hint = hint; return e }

// CodeOf returns the code of err: "" for nil, CodeInternal for an error of no known kind.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// Invalid refuses the value of a field and says what is allowed.
func Invalid(field, value, allowed string) *Error {
	value = shorten(value)
	return &Error{Code: CodeValidation, Field: field, Value: value, Allowed: allowed,
		Message: fmt.Sprintf("%s %q is refused; allowed: %s", field, value, allowed)}
}

// TooLarge refuses a value over a size bound, in bytes.
func TooLarge(field string, got, most int) *Error {
	return &Error{Code: CodeTooLarge, Field: field, Value: fmt.Sprintf("%d bytes", got), Allowed: fmt.Sprintf("at most %d bytes", most),
		Message: fmt.Sprintf("%s has %d bytes; at most %d are allowed", field, got, most)}
}

// NotFound says that nothing of that id is visible in the namespace; it never says whether it exists elsewhere.
func NotFound(what, value string) *Error {
	return &Error{Code: CodeNotFound, Field: what, Value: shorten(value), Message: fmt.Sprintf("%s %s was not found", what, shorten(value))}
}

// Denied is a policy refusal that names the rule.
func Denied(field, rule string) *Error {
	return &Error{Code: CodePolicyDenied, Field: field, Value: rule, Message: fmt.Sprintf("refused by policy: %s", rule)}
}

// Failure builds an error of any code.
func Failure(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Cause: cause, Message: fmt.Sprintf(format, args...)}
}

func shorten(s string) string {
	const most = 100
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
