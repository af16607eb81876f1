package brain

import (
	"fmt"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// deferredLanes are the lanes of numbers.md that an encode does not run yet: they compare claims, which this
// version does not read. Every encode says so.
func deferredLanes() []model.DeferredLane {
	return []model.DeferredLane{
		{Lane: "contradiction", Reason: "claims are not compared by this version"},
		{Lane: "corroboration", Reason: "claims are not compared by this version"},
		{Lane: "interference", Reason: "claims are not compared by this version"},
	}
}

// encodeReply builds the answer of an encode, also from the receipt of an earlier one.
func (e *Engine) encodeReply(namespace, id string, out outcome) (model.EncodeReply, error) {
	r := model.EncodeReply{
		RequestID: id, Namespace: namespace, Outcome: model.OutcomeDiscarded, Tick: out.at.Tick, Seq: uint64(out.seq),
		Deferred: []model.DeferredLane{}, Salience: model.SalienceReply{Cues: []model.CueReply{}}, Repeated: out.repeated != 0,
	}
	if len(out.accepted.Memories) == 0 {
		return r, nil
	}
	m, err := e.firstState(namespace, out)
	if err != nil {
		return r, err
	}
	r.ID, r.Version, r.Type, r.Kind = m.ID, m.Version, m.Type, m.Kind
	r.Tier, r.TierReason, r.Lifecycle, r.Outcome = m.Tier, m.TierReason, m.LifecycleAt(out.at.Tick), model.OutcomeEncoded
	r.Duplicate = model.DuplicateReply{
		Route: m.Outcome.Route, FamilyID: m.Outcome.Family, CandidatesInspected: m.Outcome.Inspected,
		NearestSimilarity: m.Outcome.Nearest(), Novelty: m.Outcome.Novelty, PatternSeparated: m.Outcome.PatternSeparated,
	}
	r.Salience = model.SalienceReply{Value: m.Salience, Cues: model.CueReplies(m.Cues)}
	r.Deferred = deferredLanes()
	return r, nil
}

// firstState is the memory as its encode made it.
func (e *Engine) firstState(namespace string, out outcome) (*model.Memory, error) {
	if len(out.got) > 0 {
		return out.got[0].Next, nil
	}
	record, err := e.o.Log.At(out.seq)
	if err != nil {
		return nil, failure(err, "read the first fact")
	}
	for _, f := range record.Facts {
		if f.Stream.Family != eventlog.FamilyMemory || model.MemoryID(f.Stream.ID) != out.accepted.Memories[0] {
			continue
		}
		fact, err := decode(f)
		if err != nil {
			return nil, err
		}
		return model.Apply(nil, fact), nil
	}
	return nil, noMemory(out.accepted.Memories[0])
}

func noMemory(id model.MemoryID) error { return model.NotFound("id", id.String()) }

// reply builds the answer from what admission accepted, or from the packed results when nothing was admitted.
func (p *recallPlan) reply(id string, out outcome) model.RecallReply {
	r := emptyRecall(p.req, id)
	r.Tick, r.Seq = out.at.Tick, uint64(out.seq)
	p.tick = out.at.Tick // what is shown is worked out at the tick that the answer carries, as in its facts
	if p.silent != "" {
		r.Notes = append(r.Notes, p.silent)
	}
	if p.unread > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("memories that could not be searched, because their texts cannot be read: %d; run membraind audit verify", p.unread))
	}
	if p.req.NoReinforce {
		for i := range p.packed.results {
			r.Results = append(r.Results, p.render(&p.packed.results[i], nil))
		}
	}
	for _, o := range p.offered {
		if o.slot < 0 {
			r.Results = append(r.Results, p.render(o.result, nil))
		} else if got := out.got[o.slot]; got.Err == nil {
			r.Results = append(r.Results, p.render(o.result, got.Next))
		}
	}
	r.Omitted = p.packed.omittedMap()
	r.Abstained = len(r.Results) == 0
	for i := range p.packed.nearest {
		r.Nearest = append(r.Nearest, p.render(&p.packed.nearest[i], nil))
	}
	if p.req.Explain {
		p.trace.Dropped = append([]model.DropTrace{}, p.packed.dropped...)
		r.Trace = &p.trace
	}
	return r
}

// render shows a result: ranked by the state before, shown with the state after when it was strengthened.
func (p *recallPlan) render(r *result, after *model.Memory) model.RecallResult {
	before, now := r.memory, r.memory
	if after != nil {
		now = after
	}
	_, uncertainty, interval := before.Uncertainty(p.tick)
	v := now.View(model.ViewInput{Namespace: p.req.Namespace, Resolve: p.space.Text, Record: &r.record, NoPayload: true, Tick: p.tick})
	out := model.RecallResult{
		ID: now.ID, Namespace: p.req.Namespace, Type: now.Type, Kind: now.Kind, CompactText: v.CompactText,
		Score: r.score, Parts: partsOf(r.parts), Lane: r.lane,
		Tier: now.Tier, ServedFrom: now.Tier.String(), Lifecycle: v.Lifecycle, Visibility: now.Visibility,
		Confidence: now.Confidence, ConfidenceInterval: interval, Uncertainty: uncertainty,
		Authoritativeness: now.Authoritativeness, Salience: now.Salience, Utility: now.Utility, RecallCount: now.RecallCount,
		EffectiveStrength: before.EffectiveAt(p.tick), Decay: before.DecayView(p.tick, after != nil),
		SupersededBy: v.SupersededBy, PayloadState: v.PayloadState,
		Conflict:  model.ConflictReply{State: now.Conflict, RecordIDs: append([]model.MemoryID{}, now.ConflictIDs...), Alternatives: []model.MemoryID{}},
		Freshness: freshness(before, p.tick), Tentative: v.Tentative, Tags: v.Tags, SessionID: v.SessionID,
		CreatedAt: v.CreatedAt, OccurredAt: v.OccurredAt,
		Provenance: model.ProvenanceReply{SourceKind: now.SourceKind, SourceRef: v.SourceRef, Lineage: v.Lineage},
	}
	if p.req.Detail == model.DetailFull && !r.erased {
		out.Text = &r.record.Text
	}
	return out
}

// freshness marks what a reader should know of a result's standing.
func freshness(m *model.Memory, tick model.Tick) []string {
	marks := []string{}
	switch m.LifecycleAt(tick) {
	case model.Archived:
		marks = append(marks, "archived")
	case model.Superseded:
		marks = append(marks, "superseded")
	}
	return marks
}

// repeatedRecall answers from the receipt: the same memories, order, scores and parts as then, as far as the
// caller may still see them, with their present state.
func (e *Engine) repeatedRecall(p *recallPlan, id string, out outcome) (model.RecallReply, error) {
	r := emptyRecall(p.req, id)
	r.Tick, r.Seq, r.Repeated = out.at.Tick, uint64(out.seq), true
	receipt := out.accepted.Recall
	if receipt == nil {
		return r, duplicateRequest()
	}
	p.params = e.paramsOf(p.req.Namespace)
	p.space.Read(func(v *projections.View) { p.tick = v.Tick })
	viewer := e.viewer(p.space, p.caller)
	for _, item := range receipt.Items {
		one, err := p.loadItem(item)
		if err != nil {
			return r, failure(err, "read a result")
		}
		if viewer.CanSee(one.memory) {
			r.Results = append(r.Results, p.render(&one, nil))
		}
	}
	for _, o := range receipt.Omitted {
		r.Omitted[o.Reason.String()] = int(o.Count)
	}
	r.Abstained = receipt.Abstained
	return r, nil
}
