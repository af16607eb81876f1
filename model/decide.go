package model

import (
	"fmt"
	"math"
	"slices"
)

// Decide answers a command on an existing memory with the facts that record it, every number worked out; m is
// never nil and is not changed. No fact and no error means that the command changes nothing. at.Tick is the tick that
// the command carries: the new one for a recall, the current one for what advances no tick. Pure.
//
// Errors: *RefusedError for an illegal transition (state_conflict) or a protected memory (policy_denied); *Error
// (validation) for a change that would leave an invalid memory, and for a command of an unknown type (internal).
func Decide(m *Memory, cmd Command, p Params, at Moment) ([]Fact, error) {
	switch cmd := cmd.(type) {
	case Reinforce:
		return reinforce(m, cmd, p, at)
	case Revise:
		return revise(m, cmd, p, at)
	case Pin:
		return pin(m, at), nil
	case Unpin:
		return unpin(m, at), nil
	case Archive:
		return archive(m, cmd, at)
	case Restore:
		return restore(m, at)
	}
	return nil, Failure(CodeInternal, nil, "command %T is unknown", cmd)
}

// reinforce is the recall mutation (RCL-2): persist decay, potentiate (STR-1), stabilise (STR-2), count, reopen. A
// Consolidating memory is strengthened without being reopened (LIF-10).
func reinforce(m *Memory, cmd Reinforce, p Params, at Moment) ([]Fact, error) {
	state := m.LifecycleAt(at.Tick)
	if state == Archived || state == Superseded {
		return nil, stateConflict(state, Labile, fmt.Sprintf("a memory that is %s is not strengthened", state))
	}
	decayed := m.persisted(at.Tick)
	f := MemoryRecalled{
		Cause: cmd.Cause, At: at.Now,
		Tick:          decayed.LastAccessedTick,
		DeltaTicks:    at.Tick.Since(m.Decay.LastAccessedTick),
		Decayed:       decayed.BaseStrength,
		BaseStrength:  Strengthened(p.Strength, decayed.BaseStrength),
		Stability:     Stabilised(p.Strength, m.Decay.Stability, m.Decay.BaseStrength, decayed.BaseStrength),
		RecallCount:   increment(m.RecallCount),
		Lifecycle:     state,
		RestabiliseTo: 0,
	}
	f.Utility = UtilityEstimate(f.RecallCount, cmd.TaskMatch)
	f.Lifecycle, f.RestabiliseTo, f.LabileUntil = m.reopened(state, f.BaseStrength, p, at)
	return []Fact{f}, nil
}

// reopened returns lifecycle, stable state and window of a memory after a recall that left it with that strength. A
// strength that opens no window leaves a stable memory stable, and a Labile one the window that it has.
func (m *Memory) reopened(state Lifecycle, strength float64, p Params, at Moment) (now, back Lifecycle, until Tick) {
	window := Tick(WindowTicks(at.Tick.Since(m.EncodedTick), strength, p.Window))
	switch {
	case state == Labile:
		return Labile, m.RestabiliseTo, max(m.LabileUntil, at.Tick+window)
	case window > 0 && Transition(state, Labile, TransitionRecall) == nil:
		return Labile, state, at.Tick + window
	}
	return state, 0, 0
}

// pin makes a memory pinned and remembers the class that it had; none when it is pinned already.
func pin(m *Memory, at Moment) []Fact {
	if m.Retention == RetainPinned {
		return nil
	}
	return []Fact{MemoryPinned{At: at.Now, Tick: at.Tick, Was: m.Retention}}
}

// unpin returns a memory to the class that it had, or to the one of its type when it was born pinned.
func unpin(m *Memory, at Moment) []Fact {
	if m.Retention != RetainPinned {
		return nil
	}
	back := m.RetentionWas
	if back == 0 {
		back = RetentionOf(m.Type)
	}
	return []Fact{MemoryUnpinned{At: at.Now, Tick: at.Tick, Retention: back}}
}

// archive takes a memory out of default recall. An explicit forget closes an open labile window first, in the same
// commit; forgetting and retention wait for it, and for the end of an open conflict (LIF-8, LIF-9).
func archive(m *Memory, cmd Archive, at Moment) ([]Fact, error) {
	if err := m.removable("archive"); err != nil {
		return nil, err
	}
	cause, err := archiveCause(cmd.Reason)
	if err != nil {
		return nil, err
	}
	facts := []Fact{}
	state := m.LifecycleAt(at.Tick)
	if cause != TransitionForget && m.Conflict == ConflictOpen {
		return nil, stateConflict(state, Archived, "a side of an open conflict is not archived before the conflict is resolved")
	}
	if state == Labile && cause == TransitionForget {
		state = m.RestabiliseTo
		facts = append(facts, LabileWindowClosed{At: at.Now, Tick: at.Tick, Lifecycle: state})
	}
	if err := Transition(state, Archived, cause); err != nil {
		return nil, err
	}
	return append(facts, MemoryArchived{
		At: at.Now, Tick: at.Tick, From: state, Reason: cmd.Reason,
		Effective:  m.EffectiveAt(at.Tick),
		DeltaTicks: at.Tick.Since(m.Decay.LastAccessedTick),
	}), nil
}

func archiveCause(r ArchiveReason) (TransitionCause, error) {
	switch r {
	case ArchivedForgotten:
		return TransitionForget, nil
	case ArchivedFaded:
		return TransitionForgetting, nil
	case ArchivedRetention:
		return TransitionRetention, nil
	}
	return 0, Invalid("reason", counted(int(r)), list(ArchiveReasonLabels()))
}

// restore brings an archived memory back to the state that it had (DEM-4). The decay went on meanwhile.
func restore(m *Memory, at Moment) ([]Fact, error) {
	state, to := m.LifecycleAt(at.Tick), m.ArchivedFrom
	if state != Archived {
		err := stateConflict(state, 0, fmt.Sprintf("the memory is %s; only an archived memory can be restored", state))
		err.Err.Hint = ""
		return nil, err
	}
	if err := Transition(state, to, TransitionRestore); err != nil {
		return nil, err
	}
	return []Fact{MemoryRestored{At: at.Now, Tick: at.Tick, To: to}}, nil
}

// increment adds one to a counter that stays at its ceiling.
func increment(n uint32) uint32 {
	if n == math.MaxUint32 {
		return n
	}
	return n + 1
}

// sameTags reports whether two tag lists show the same labels with the same origins in the same order.
func sameTags(a, b []Tag) bool { return slices.Equal(a, b) }
