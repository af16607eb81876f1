package model

import "fmt"

// revise answers an update with one fact, or none when it changes nothing. Metadata alone leaves decay and lifecycle
// as they are, but for a kind that sets or lifts a bypass.
func revise(m *Memory, cmd Revise, p Params, at Moment) ([]Fact, error) {
	f := MemoryRevised{At: at.Now, Tick: at.Tick}
	m.reclassify(&f, cmd, at)
	m.relabel(&f, cmd)
	if cmd.Content != nil && cmd.Content.Content.Number != m.Content.Number {
		if err := m.rewritable(at.Tick); err != nil {
			return nil, err
		}
		f.Content = m.rewrite(*cmd.Content, f.Decay, p, at)
	}
	if f == (MemoryRevised{At: at.Now, Tick: at.Tick}) {
		return nil, nil
	}
	if state := m.LifecycleAt(at.Tick); state == Consolidating {
		return nil, stateConflict(state, 0, "a memory that a consolidation run has claimed is not updated")
	}
	if err := m.checkRevised(f); err != nil {
		return nil, err
	}
	return []Fact{f}, nil
}

// reclassify fills in the new type and kind. A derived kind follows the type (KIND-6); a stated one is the caller's,
// also when it equals the derived one, so that a later change of type leaves it alone.
func (m *Memory) reclassify(f *MemoryRevised, cmd Revise, at Moment) {
	if cmd.Type != 0 && cmd.Type != m.Type {
		f.Type = cmd.Type
	}
	switch {
	case cmd.Kind != 0 && (cmd.Kind != m.Kind || m.KindOf != OriginCallerSupplied):
		f.Kind, f.KindOf = cmd.Kind, OriginCallerSupplied
	case cmd.Kind == 0 && f.Type != 0 && m.KindOf == OriginDerived && KindOf(f.Type) != m.Kind:
		f.Kind, f.KindOf = KindOf(f.Type), OriginDerived
	}
	if f.Kind == 0 {
		return
	}
	if bypass := rebypassed(m.Decay.Bypass, f.Kind); bypass != m.Decay.Bypass {
		d := m.persisted(at.Tick)
		d.Bypass = bypass
		f.Decay = &d
	}
}

// rebypassed returns the bypass of a memory that becomes of that kind: procedural sets one, another kind lifts the
// one that the kind had set (KIND-4).
func rebypassed(was BypassCause, k Kind) BypassCause {
	switch {
	case k == Procedural && was != BypassExplicit:
		return BypassKind
	case k != Procedural && was == BypassKind:
		return 0
	}
	return was
}

// relabel fills in retention, policy flags and tags that differ.
func (m *Memory) relabel(f *MemoryRevised, cmd Revise) {
	if cmd.Retention != 0 && cmd.Retention != m.Retention {
		f.Retention = cmd.Retention
	}
	if cmd.PolicyFlags != nil && *cmd.PolicyFlags != m.PolicyFlags {
		f.PolicyFlags = cmd.PolicyFlags
	}
	if cmd.Tags != nil && !sameTags(*cmd.Tags, m.Tags) {
		f.Tags = cmd.Tags
	}
}

// rewritable refuses a new text for a held memory, and in a state that may not be reopened.
func (m *Memory) rewritable(t Tick) error {
	if flag := m.PolicyFlags.contentHeld(); flag != 0 {
		return denied(flag, "change the text")
	}
	state := m.LifecycleAt(t)
	if state == Labile {
		return nil
	}
	return Transition(state, Labile, TransitionRevision)
}

// rewrite works out an accepted new text. Inside the labile window it is a reconsolidation; outside, the memory is
// reopened and revised in one step, with the same numbers, because the text changes within the window that this
// opens. Decay is persisted, then the bonus added; the window restarts, and after it the memory is SynapticDone, since
// a changed text needs consolidating again (CNF-2, numbers.md "Lifecycle").
func (m *Memory) rewrite(c NewContent, decay *DecayState, p Params, at Moment) *ContentRevised {
	decayed := m.persisted(at.Tick).BaseStrength
	if decay != nil {
		decayed = decay.BaseStrength
	}
	r := &ContentRevised{
		Content: c.Content, Payload: c.Payload,
		Reconsolidated:       m.LifecycleAt(at.Tick) == Labile,
		DeltaTicks:           at.Tick.Since(m.Decay.LastAccessedTick),
		Decayed:              decayed,
		BaseStrength:         min(p.Strength.MaxStrength, decayed+p.Strength.ReconsolidationBonus),
		ReconsolidationCount: increment(m.ReconsolidationCount),
		Lifecycle:            Labile,
		RestabiliseTo:        SynapticDone,
	}
	if r.Payload.State == 0 {
		r.Payload = m.Payload
	}
	r.Confidence = ConfidenceReconsolidated(m.Confidence, r.ReconsolidationCount)
	r.LabileUntil = at.Tick + Tick(WindowTicks(at.Tick.Since(m.EncodedTick), r.BaseStrength, p.Window))
	return r
}

// checkRevised refuses a revision after which the memory lacks what its type and kind demand.
func (m *Memory) checkRevised(f MemoryRevised) error {
	after := Apply(m, f)
	if f.Kind != 0 {
		if err := checkProvenance(after.Kind, after.SourceRefOf, after.SourceRef != 0, len(after.Lineage)); err != nil {
			return fmt.Errorf("change of kind: %w", err)
		}
	}
	if f.Type != 0 {
		if err := checkTyped(after.Type, len(after.Endpoints), after.Tool.Tool != 0 && after.Tool.Category != 0); err != nil {
			return fmt.Errorf("change of type: %w", err)
		}
	}
	return nil
}
