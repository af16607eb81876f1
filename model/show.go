package model

import (
	"strconv"
	"time"
)

// ViewInput is what a memory is shown with.
type ViewInput struct {
	Namespace string
	Resolve   Resolver
	Record    *Record // content of the current revision; nil when it was not loaded or was erased
	Payload   []byte  // the payload, when it was loaded
	NoPayload bool    // leave out full text, context and payload
	Tick      Tick    // at which strength, lifecycle and uncertainty are worked out
	Persisted bool    // the request at hand stored the decay

	// Redact names context fields (workspace_id, agent_id, session_id, task_id) and source_ref that the reader may
	// not see, each with the reason. They are shown as null with a redaction; source_ref as an opaque handle.
	Redact map[string]string

	// Deferred lists lanes that the write left for later and that have not run since.
	Deferred []DeferredLane
}

// ReasonErased is the reason of a redaction whose string was erased.
const ReasonErased = "erased"

// View shows the memory with every field of the seed's tables (FLD-2). The view shares no memory with m, but the
// payload with in. Pure.
func (m *Memory) View(in ViewInput) View {
	s := shower{in: in, redactions: map[string]Redaction{}}
	v := View{
		ID: m.ID, Namespace: in.Namespace, NamespaceID: in.Namespace,
		Type: m.Type, Kind: m.Kind, KindOrigin: m.KindOf,
		CreatedAt: Timestamp(m.CreatedAt), UpdatedAt: Timestamp(m.UpdatedAt), OccurredAt: timestampOrNull(m.OccurredAt),
		Version: m.Version, LastAccessAt: timestampOrNull(m.LastAccessAt),
		Tier: m.Tier, TierReason: m.TierReason,
		Utility: m.Utility, RecallCount: m.RecallCount,
		Corroborations: m.CorroborationCount, Reconsolidations: m.ReconsolidationCount,
		Retention: m.Retention, Visibility: m.Visibility, PolicyFlags: m.PolicyFlags.List(),
		Lineage: ids(m.Lineage), Endpoints: ids(m.Endpoints),
		DuplicateFamilyID: idOrNull(m.DuplicateOf), EngramID: idOrNull(m.Engram), DistilledFrom: idOrNull(m.DistilledFrom),
		CompressedInto: idOrNull(m.CompressedTo), EraID: idOrNull(m.Era),
		HasCausalParents: m.CausalParents, HasCausalChildren: m.CausalChildren,
		IsLandmark: m.Landmark, LandmarkLabel: s.symbol("landmark_label", m.LandmarkLabel),
		Tentative: m.Type == TypeHypothesis,
	}
	s.context(&v, m)
	s.content(&v, m)
	s.links(&v, m)
	s.typed(&v, m)
	m.showState(&v, in)
	m.showBelief(&v)
	m.showEmotion(&v)
	m.showOutcome(&v, in.Deferred)
	v.Redactions = s.redactions
	return v
}

// Timestamp writes a time as every door shows it, RFC 3339 in UTC with milliseconds: 2026-05-01T12:00:00.000Z.
func Timestamp(m Millis) string {
	return time.UnixMilli(int64(m)).UTC().Format("2006-01-02T15:04:05.000Z")
}

// shower resolves symbols and gathers what could not be shown.
type shower struct {
	in         ViewInput
	redactions map[string]Redaction
}

// symbol shows an optional string field; null when it is absent, redacted or erased.
func (s shower) symbol(field string, sym Symbol) *string {
	if sym == 0 {
		return nil
	}
	if reason, hide := s.in.Redact[field]; hide {
		s.redactions[field] = Redaction{Handle: symbolHandle("redacted", sym), Reason: reason}
		return nil
	}
	text, ok := s.in.Resolve(sym)
	if !ok {
		s.redactions[field] = Redaction{Handle: symbolHandle("erased", sym), Reason: ReasonErased}
		return nil
	}
	return &text
}

// shown returns a string that stands in a list; an erased one shows as its opaque handle.
func shown(r Resolver, sym Symbol) string {
	if sym == 0 {
		return ""
	}
	if text, ok := r(sym); ok {
		return text
	}
	return symbolHandle("erased", sym)
}

func symbolHandle(why string, sym Symbol) string {
	return why + "/" + strconv.FormatUint(uint64(sym), 10)
}

func (s shower) context(v *View, m *Memory) {
	v.ContextOrigins = map[string]Origin{}
	for _, c := range []struct {
		field string
		bound Bound
		to    **string
	}{
		{"workspace_id", m.Workspace, &v.WorkspaceID},
		{"agent_id", m.Agent, &v.AgentID},
		{"session_id", m.Session, &v.SessionID},
		{"task_id", m.Task, &v.TaskID},
	} {
		*c.to = s.symbol(c.field, c.bound.Symbol)
		if c.bound.Symbol != 0 {
			v.ContextOrigins[c.field] = c.bound.Origin
		}
	}
	v.SourceKind, v.SourceRefOrigin, v.Authoritativeness = m.SourceKind, m.SourceRefOf, m.Authoritativeness
	v.SourceRef = s.symbol("source_ref", m.SourceRef)
	if r, hidden := s.redactions["source_ref"]; hidden { // never null once there was one (PRV-5)
		v.SourceRef = &r.Handle
	}
}

func (s shower) content(v *View, m *Memory) {
	v.ContentRef, v.ContentRevision = textOrNull(m.Content.Number.Handle()), m.ContentRevision
	v.PayloadRef, v.PayloadState, v.PayloadBytes = textOrNull(m.Payload.Number.Handle()), m.Payload.State, m.Payload.Bytes
	if v.PayloadRef == nil && m.Content.OutOfLine { // the full text is the payload (NRM-6)
		v.PayloadRef = v.ContentRef
	}
	if s.in.Record != nil {
		v.CompactText = CompactText(s.in.Record.Text)
		v.Fingerprint = &s.in.Record.Fingerprint
	}
	if s.in.NoPayload {
		return
	}
	v.Payload = s.in.Payload
	if s.in.Record != nil {
		v.Text, v.Context = &s.in.Record.Text, textOrNull(s.in.Record.Context)
	}
}

func (s shower) links(v *View, m *Memory) {
	v.Tags, v.TagOrigins = []string{}, map[string]Origin{}
	for _, t := range m.Tags {
		tag := shown(s.in.Resolve, t.Symbol)
		v.Tags = append(v.Tags, tag)
		v.TagOrigins[tag] = t.Origin
	}
	v.EntityRefs, v.RelationRefs = s.refs(m.Entities), s.refs(m.Relations)
}

func (s shower) refs(refs []Ref) []RefView {
	out := []RefView{}
	for _, r := range refs {
		out = append(out, RefView{ID: idOrNull(r.ID), Mention: shown(s.in.Resolve, r.Mention), Origin: r.Origin, Status: r.Status})
	}
	return out
}

func (s shower) typed(v *View, m *Memory) {
	if m.Observation.Source != 0 {
		source := m.Observation.Source
		v.ObservationSource = &source
	}
	v.ObservationChunk = s.symbol("observation_chunk_id", m.Observation.Chunk)
	if m.Tool.Category != 0 {
		v.Tool = &ToolRunIn{
			Tool:         shown(s.in.Resolve, m.Tool.Tool),
			ExecutionRef: shown(s.in.Resolve, m.Tool.ExecutionRef),
			Context:      shown(s.in.Resolve, m.Tool.Context),
			Outcome:      m.Tool.Category,
		}
	}
}

func (m *Memory) showState(v *View, in ViewInput) {
	v.Lifecycle = m.LifecycleAt(in.Tick)
	if v.Lifecycle == Labile {
		back, until := m.RestabiliseTo, m.LabileUntil
		v.RestabiliseTo, v.LabileUntil = &back, &until
	}
	if m.ArchivedFor != 0 {
		reason := m.ArchivedFor
		v.ArchivedReason = &reason
	}
	v.Salience, v.SalienceCues = m.Salience, CueReplies(m.Cues)
	v.Decay, v.EffectiveStrength = m.DecayView(in.Tick, in.Persisted), m.EffectiveAt(in.Tick)
	v.Confidence, v.Difficulty = m.Confidence, m.Difficulty
	v.UncertaintyParts, v.Uncertainty, v.ConfidenceInterval = m.Uncertainty(in.Tick)
}

// CueReplies shows cues; never nil.
func CueReplies(cues []Cue) []CueReply {
	out := make([]CueReply, 0, len(cues))
	for _, c := range cues {
		out = append(out, CueReply(c))
	}
	return out
}

func (m *Memory) showBelief(v *View) {
	v.ConflictState, v.ConflictRecordIDs = m.Conflict, ids(m.ConflictIDs)
	v.SupersededBy, v.BeliefChainID, v.BeliefVersion = idOrNull(m.SupersededBy), idOrNull(m.BeliefChain), m.BeliefVersion
}

func (m *Memory) showEmotion(v *View) {
	v.Charge = m.Charge
	if m.EmotionOf != 0 {
		valence, arousal, origin := m.Valence, m.Arousal, m.EmotionOf
		v.Valence, v.Arousal, v.EmotionOrigin = &valence, &arousal, &origin
	}
}

func (m *Memory) showOutcome(v *View, deferred []DeferredLane) {
	o := m.Outcome
	v.EncodeOutcome = OutcomeView{
		EncodedTick: m.EncodedTick, Route: o.Route, FamilyID: idOrNull(o.Family), Inspected: o.Inspected,
		NearestSimilarity: o.Nearest(), Novelty: o.Novelty, PatternSeparated: o.PatternSeparated,
		Deferred: append([]DeferredLane{}, deferred...),
	}
}

// Nearest returns the similarity of the nearest neighbour; nil when none was inspected.
func (o EncodeOutcome) Nearest() *float64 {
	if o.Inspected == 0 {
		return nil
	}
	return &o.NearestSimilarity
}

func ids(in []MemoryID) []MemoryID { return append([]MemoryID{}, in...) }

func idOrNull(id MemoryID) *MemoryID {
	if id.Zero() {
		return nil
	}
	return &id
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func timestampOrNull(m Millis) *string {
	if m == 0 {
		return nil
	}
	s := Timestamp(m)
	return &s
}
