package membrain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/state"
	"github.com/membrain-db/membrain/snapshots"
)

// derived maps what goes wrong with derived files to codes; brain does not meet them.
var derived = []struct {
	is   error
	code model.Code
	hint string
}{
	{state.ErrUnavailable, model.CodeUnavailable, diskHint},
	{snapshots.ErrCorrupt, model.CodeCorrupt, "delete that checkpoint: it is derived from the log, and others are used without it"},
	{snapshots.ErrNewer, model.CodeUnsupportedVersion, "use the version of membrain that wrote it, or delete that checkpoint"},
	{snapshots.ErrName, model.CodeValidation, ""},
	{snapshots.ErrExists, model.CodeStateConflict, "choose another name"},
}

const diskHint = "free disk space or make the directory writable, then retry"

// failure gives an error of opening, closing or maintenance its code; a lock names its holder.
func failure(err error, what string) error {
	var locked *eventlog.LockedError
	if errors.As(err, &locked) {
		return model.Failure(model.CodeLocked, err, "%s", what).
			WithHint(fmt.Sprintf("stop process %d, or use another data directory", locked.PID))
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return model.Failure(model.CodeUnavailable, err, "%s", what).WithHint("it was interrupted; ask again")
	}
	coded := brain.Failure(err, what)
	if coded == nil || model.CodeOf(coded) != model.CodeInternal {
		return coded
	}
	for _, d := range derived {
		if errors.Is(err, d.is) {
			return model.Failure(d.code, err, "%s", what).WithHint(d.hint)
		}
	}
	if ofSystem(err) {
		return model.Failure(model.CodeUnavailable, err, "%s", what).WithHint(diskHint)
	}
	return coded
}

// ofSystem reports whether the operating system refused to read or write something.
func ofSystem(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	return errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &call)
}

// erased reports whether a content was erased on purpose.
func erased(err error) bool { return errors.Is(err, eventlog.ErrErased) }

// operatorOnly refuses callers that speak for an agent: the figures and the log of a whole store tell of everybody's
// memories.
func (s *Store) operatorOnly(what string) error {
	if s.caller.Operator {
		return nil
	}
	return model.Denied("caller", "only the operator may "+what)
}
