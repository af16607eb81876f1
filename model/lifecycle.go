package model

import (
	"fmt"
	"math"
)

// LifecycleAt returns the lifecycle state at tick t. A Labile memory whose window is over reads as the stable state
// it was to return to; expiry needs no fact (LIF-2). LabileUntil is half-open.
func (m *Memory) LifecycleAt(t Tick) Lifecycle {
	if m.Lifecycle == Labile && t >= m.LabileUntil {
		return m.RestabiliseTo
	}
	return m.Lifecycle
}

// WindowTicks returns how long the labile window of a memory is, in ticks:
//
//	max(TicksMin, floor(Ticks * 1/(1+age/AgeHalf) * (0.5+0.5*effective)))
//
// and 0 when the effective strength is under StrengthMin. age is in ticks since the encode. Pure.
// Source: numbers.md "Lifecycle".
func WindowTicks(age uint64, effective float64, p WindowParams) uint64 {
	if !(effective >= p.StrengthMin) {
		return 0
	}
	w := math.Floor(p.Ticks * 1 / (1 + float64(age)/p.AgeHalf) * (0.5 + 0.5*effective))
	return uint64(max(p.TicksMin, w))
}

// edge is one legal transition of the lifecycle.
type edge struct {
	from, to Lifecycle
	cause    TransitionCause
}

// allowed reports whether the lifecycle has this edge. The cases are the complete table of numbers.md; 0 is "no
// memory yet". A recall or revision of a Labile memory restarts its window and is no transition.
func (e edge) allowed() bool {
	stable := e.from == SynapticDone || e.from == Consolidated
	switch e.cause {
	case TransitionEncode:
		return e.from == 0 && e.to == Labile
	case TransitionWindowEnd:
		return e.from == Labile && (e.to == SynapticDone || e.to == Consolidated)
	case TransitionClaim:
		return e.from == SynapticDone && e.to == Consolidating
	case TransitionConsolidate:
		return e.from == Consolidating && e.to == Consolidated
	case TransitionAbort:
		return e.from == Consolidating && e.to == SynapticDone
	case TransitionRecall, TransitionRevision:
		return stable && e.to == Labile
	case TransitionSupersession:
		return (stable || e.from == Labile) && e.to == Superseded
	case TransitionForgetting, TransitionForget:
		return stable && e.to == Archived
	case TransitionRetention:
		return (stable || e.from == Superseded) && e.to == Archived
	case TransitionRestore:
		return e.from == Archived && (e.to == SynapticDone || e.to == Consolidated || e.to == Superseded)
	}
	return false
}

// Transition checks one step of the lifecycle; from 0 is "no memory yet".
//
// Errors: *RefusedError with the code state_conflict and both states (LIF-7).
func Transition(from, to Lifecycle, cause TransitionCause) error {
	if (edge{from, to, cause}).allowed() {
		return nil
	}
	return stateConflict(from, to, fmt.Sprintf("a memory that is %s does not become %s by %s", orNone(from.String()), orNone(to.String()), orNone(cause.String())))
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
