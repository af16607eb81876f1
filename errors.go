package membrain

import (
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// failure gives an error of opening, closing or maintenance its code; a lock names its holder.
func failure(err error, what string) error {
	var locked *eventlog.LockedError
	if errors.As(err, &locked) {
		return model.Failure(model.CodeLocked, err, "%s", what).
			WithHint(fmt.Sprintf("stop process %d, or use another data directory", locked.PID))
	}
	return brain.Failure(err, what)
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
