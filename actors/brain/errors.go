package brain

import (
	"context"
	"errors"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/vectors/embed"
)

// codes maps what lower floors say to the codes that doors show, first match wins.
var codes = []struct {
	is   error
	code model.Code
	hint string
}{
	{eventlog.ErrBusy, model.CodeBusy, "retry in a moment with the same request id"},
	{actors.ErrBusy, model.CodeBusy, "retry in a moment with the same request id"},
	{eventlog.ErrLocked, model.CodeLocked, "stop the process that holds the store, or use it through that process"},
	{eventlog.ErrTooLarge, model.CodeTooLarge, "split it into smaller requests"},
	{eventlog.ErrCorrupt, model.CodeCorrupt, "run membraind audit verify"},
	{eventlog.ErrNotFound, model.CodeCorrupt, "run membraind audit verify"}, // a content that a fact names; what callers name is looked up before
	{actors.ErrQuarantined, model.CodeCorrupt, "run membraind doctor"},
	{projections.ErrQuarantined, model.CodeCorrupt, "run membraind doctor"},
	{projections.ErrUnavailable, model.CodeUnavailable, "run membraind rebuild"},
	{projections.ErrClosed, model.CodeUnavailable, ""},
	{codec.ErrUnsupported, model.CodeUnsupportedVersion, "use the version of membrain that wrote it, or a newer one"},
	{codec.ErrMalformed, model.CodeCorrupt, "run membraind audit verify"},
	{eventlog.ErrUnsupportedVersion, model.CodeUnsupportedVersion, "use the version of membrain that wrote it, or a newer one"},
	{eventlog.ErrUnavailable, model.CodeUnavailable, "free disk space or make the directory writable, then retry with the same request id"},
	{eventlog.ErrClosed, model.CodeUnavailable, ""},
	{actors.ErrStopped, model.CodeUnavailable, "retry with the same request id"},
	{actors.ErrNameTaken, model.CodeUnavailable, "retry with the same request id"},
	{actors.ErrPanicked, model.CodeInternal, "run membraind doctor"},
	{embed.ErrUnavailable, model.CodeUnavailable, "check the embedding server, or retry later"},
	{embed.ErrRefused, model.CodeUnavailable, "check the embedding server's key and model"},
	{embed.ErrAnswer, model.CodeUnavailable, "check the embedding server's model and dimension"},
	{context.DeadlineExceeded, model.CodeUnavailable, "the outcome is unknown; retry with the same request id"},
	{context.Canceled, model.CodeUnavailable, "the outcome is unknown; retry with the same request id"},
}

// Failure gives err its code; a *model.Error keeps its own. what is a verb phrase.
func Failure(err error, what string) error { return failure(err, what) }

func failure(err error, what string) error {
	if err == nil {
		return nil
	}
	var known *model.Error
	if errors.As(err, &known) {
		return err
	}
	for _, c := range codes {
		if errors.Is(err, c.is) {
			return model.Failure(c.code, err, "%s", what).WithHint(c.hint)
		}
	}
	return model.Failure(model.CodeInternal, err, "%s", what)
}
