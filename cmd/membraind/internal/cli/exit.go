package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/membrain-db/membrain/model"
)

// Exit codes, the same for every verb.
const (
	exitOther      = 1
	exitValidation = 2
	exitNotFound   = 3
	exitDenied     = 4
	exitConflict   = 5
	exitBusy       = 6
	exitCorrupt    = 7
)

// exitOf maps an error code to an exit code.
func exitOf(c model.Code) int {
	switch c {
	case model.CodeValidation, model.CodeTooLarge:
		return exitValidation
	case model.CodeNotFound:
		return exitNotFound
	case model.CodePolicyDenied:
		return exitDenied
	case model.CodeVersionConflict, model.CodeStateConflict, model.CodeDuplicateRequest:
		return exitConflict
	case model.CodeBusy, model.CodeLocked, model.CodeUnavailable, model.CodeDegraded:
		return exitBusy
	case model.CodeCorrupt:
		return exitCorrupt
	}
	return exitOther
}

// report tells an error and returns its exit code.
func report(w io.Writer, err error, asJSON bool) int {
	e := asError(err)
	if asJSON {
		doc, marshalErr := json.Marshal(map[string]any{"error": told(e)})
		if marshalErr == nil {
			fmt.Fprintln(w, string(doc))
			return exitOf(e.Code)
		}
	}
	fmt.Fprintln(w, "error: "+cleanLines(e.Error()))
	if e.Hint != "" {
		fmt.Fprintln(w, "hint: "+clean(e.Hint))
	}
	return exitOf(e.Code)
}

// told is the error with its causes in the message, as JSON shows it.
func told(e *model.Error) model.Error {
	return model.Error{Code: e.Code, Field: e.Field, Value: e.Value, Allowed: e.Allowed, Message: e.Error(), Hint: e.Hint}
}

// asError gives every error a code.
func asError(err error) *model.Error {
	var e *model.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return model.Failure(model.CodeInternal, nil, "interrupted; what was acknowledged is on disk")
	}
	return model.Failure(model.CodeInternal, nil, "%s", err)
}

// flagError words a fault of a flag as field, value and what is allowed.
func flagError(c *cobra.Command, err error) error {
	var (
		refused *model.Error
		unknown *pflag.NotExistError
		value   *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
	)
	help := c.CommandPath() + " --help lists the flags"
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &unknown):
		return model.Invalid("flag", unknown.GetSpecifiedName(), "the flags of "+c.CommandPath()).WithHint(help)
	case errors.As(err, &value):
		return model.Invalid(value.GetFlag().Name, value.GetValue(), wanted(value.GetFlag().Value.Type()))
	case errors.As(err, &missing):
		return model.Invalid(missing.GetFlag().Name, "", wanted(missing.GetFlag().Value.Type()))
	}
	return model.Failure(model.CodeValidation, nil, "%s", err).WithHint(help)
}

// wanted says in words what a type of flag takes.
func wanted(kind string) string {
	switch kind {
	case "int":
		return "a whole number"
	case "uint64", "uint32":
		return "a whole number from 0"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 5s"
	}
	return "a value"
}
