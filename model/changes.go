package model

// Changes lists what a fact changed, for a line of history: field name to new value, decay inputs included. Values
// are numbers, strings, booleans and lists of them, the same for the same fact; symbols are resolved, and an erased one
// shows as its opaque handle. Contents show as handles only. Pure.
func Changes(f Fact, r Resolver) map[string]any {
	switch f := f.(type) {
	case MemoryEncoded:
		return encodedChanges(f.Memory, r)
	case MemoryRecalled:
		return recalledChanges(f)
	case MemoryRevised:
		return revisedChanges(f, r)
	case MemoryPinned:
		return map[string]any{"retention_class": RetainPinned.String(), "retention_was": f.Was.String()}
	case MemoryUnpinned:
		return map[string]any{"retention_class": f.Retention.String()}
	case LabileWindowClosed:
		return map[string]any{"lifecycle_state": f.Lifecycle.String()}
	case MemoryArchived:
		return map[string]any{
			"lifecycle_state": Archived.String(), "archived_from": f.From.String(), "archived_reason": f.Reason.String(),
			"effective_strength": f.Effective, "delta_ticks": f.DeltaTicks,
		}
	case MemoryRestored:
		return map[string]any{"lifecycle_state": f.To.String()}
	}
	return brainChanges(f, r)
}

func encodedChanges(m Memory, r Resolver) map[string]any {
	out := map[string]any{
		"memory_type": m.Type.String(), "kind": m.Kind.String(), "kind_origin": m.KindOf.String(),
		"content_ref": m.Content.Number.Handle(), "payload_state": m.Payload.State.String(),
		"source_kind": m.SourceKind.String(), "source_ref": shown(r, m.SourceRef),
		"authoritativeness": m.Authoritativeness,
		"tier":              m.Tier.String(), "tier_reason": m.TierReason.String(),
		"lifecycle_state": m.Lifecycle.String(), "restabilise_to": m.RestabiliseTo.String(), "labile_until": uint64(m.LabileUntil),
		"visibility": m.Visibility.String(), "retention_class": m.Retention.String(), "policy_flags": flagLabels(m.PolicyFlags),
		"salience": m.Salience, "confidence": m.Confidence, "utility_estimate": m.Utility,
		"duplicate_route": m.Outcome.Route.String(), "duplicate_family_id": m.DuplicateOf.String(),
		"candidates_inspected": m.Outcome.Inspected, "novelty": m.Outcome.Novelty,
		"tags": tagLabels(m.Tags, r), "lineage": idTexts(m.Lineage),
	}
	if nearest := m.Outcome.Nearest(); nearest != nil {
		out["nearest_similarity"] = *nearest
	}
	for _, c := range []struct {
		field string
		bound Bound
	}{{"workspace_id", m.Workspace}, {"agent_id", m.Agent}, {"session_id", m.Session}, {"task_id", m.Task}} {
		if c.bound.Symbol != 0 {
			out[c.field] = shown(r, c.bound.Symbol)
		}
	}
	decayChanges(out, m.Decay)
	return out
}

func recalledChanges(f MemoryRecalled) map[string]any {
	out := map[string]any{
		"cause": f.Cause.String(), "delta_ticks": f.DeltaTicks, "decayed_strength": f.Decayed,
		"base_strength": f.BaseStrength, "stability": f.Stability, "last_accessed_tick": uint64(f.Tick),
		"recall_count": f.RecallCount, "last_access_at": Timestamp(f.At), "utility_estimate": f.Utility,
	}
	windowChanges(out, f.Lifecycle, f.RestabiliseTo, f.LabileUntil)
	return out
}

func revisedChanges(f MemoryRevised, r Resolver) map[string]any {
	out := map[string]any{}
	if f.Type != 0 {
		out["memory_type"] = f.Type.String()
	}
	if f.Kind != 0 {
		out["kind"], out["kind_origin"] = f.Kind.String(), f.KindOf.String()
	}
	if f.Retention != 0 {
		out["retention_class"] = f.Retention.String()
	}
	if f.PolicyFlags != nil {
		out["policy_flags"] = flagLabels(*f.PolicyFlags)
	}
	if f.Tags != nil {
		out["tags"] = tagLabels(*f.Tags, r)
	}
	if f.Decay != nil {
		decayChanges(out, *f.Decay)
	}
	if f.Content != nil {
		contentChanges(out, f.Tick, *f.Content)
	}
	return out
}

func contentChanges(out map[string]any, tick Tick, c ContentRevised) {
	out["content_ref"], out["payload_state"] = c.Content.Number.Handle(), c.Payload.State.String()
	out["reconsolidated"], out["reconsolidation_count"] = c.Reconsolidated, c.ReconsolidationCount
	out["delta_ticks"], out["decayed_strength"] = c.DeltaTicks, c.Decayed
	out["base_strength"], out["last_accessed_tick"] = c.BaseStrength, uint64(tick)
	out["confidence"] = c.Confidence
	windowChanges(out, c.Lifecycle, c.RestabiliseTo, c.LabileUntil)
}

func windowChanges(out map[string]any, now, back Lifecycle, until Tick) {
	out["lifecycle_state"] = now.String()
	if now == Labile {
		out["restabilise_to"], out["labile_until"] = back.String(), uint64(until)
	}
}

func decayChanges(out map[string]any, d DecayState) {
	out["base_strength"], out["stability"] = d.BaseStrength, d.Stability
	out["last_accessed_tick"], out["bypass_decay"] = uint64(d.LastAccessedTick), d.Bypass != 0
	if d.Bypass != 0 {
		out["bypass_cause"] = d.Bypass.String()
	}
}

func flagLabels(p PolicyFlags) []string {
	out := []string{}
	for _, f := range p.List() {
		out = append(out, f.String())
	}
	return out
}

func tagLabels(tags []Tag, r Resolver) []string {
	out := []string{}
	for _, t := range tags {
		out = append(out, shown(r, t.Symbol))
	}
	return out
}

func idTexts(in []MemoryID) []string {
	out := []string{}
	for _, id := range in {
		out = append(out, id.String())
	}
	return out
}
