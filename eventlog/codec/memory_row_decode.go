package codec

import (
	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

// decodeMemoryState reads the protobuf form of a memory into m, which is zero.
func decodeMemoryState(body []byte, m *model.Memory) error {
	var s eventpb.MemoryState
	if err := s.UnmarshalVT(body); err != nil {
		return malformed("memory: %v", err)
	}
	var c checker
	readIdentity(&c, &s, m)
	readSource(&c, &s, m)
	readStrength(&c, &s, m)
	readLists(&c, &s, m)
	readOutcome(&c, &s, m)
	return c.err
}

func readIdentity(c *checker, s *eventpb.MemoryState, m *model.Memory) {
	m.ID = c.id("id", s.Id)
	m.Type = enum[model.MemoryType](c, "type", s.Type)
	m.Kind = enum[model.Kind](c, "kind", s.Kind)
	m.KindOf = enum[model.Origin](c, "kind_origin", s.KindOrigin)
	m.Version = s.Version
	m.CreatedAt, m.UpdatedAt = model.Millis(s.CreatedAt), model.Millis(s.UpdatedAt)
	m.OccurredAt, m.LastAccessAt = model.Millis(s.OccurredAt), model.Millis(s.LastAccessAt)
	m.EncodedTick = model.Tick(s.EncodedTick)
	m.Content = model.ContentRef{
		Number:    model.ContentNumber(s.ContentNumber),
		Digest:    c.id("content_digest", s.ContentDigest),
		TextBytes: s.ContentTextBytes,
		OutOfLine: s.ContentOutOfLine,
	}
	m.ContentRevision = s.ContentRevision
	m.Payload = model.PayloadRef{
		Number: model.ContentNumber(s.PayloadNumber),
		State:  enum[model.PayloadState](c, "payload_state", s.PayloadState),
		Bytes:  s.PayloadBytes,
		Digest: c.id("payload_digest", s.PayloadDigest),
	}
}

func readSource(c *checker, s *eventpb.MemoryState, m *model.Memory) {
	m.SourceKind = enum[model.SourceKind](c, "source_kind", s.SourceKind)
	m.SourceRef = model.Symbol(s.SourceRef)
	m.SourceRefOf = enum[model.Origin](c, "source_ref_origin", s.SourceRefOrigin)
	m.Authoritativeness = float(s.Authoritativeness)
	m.Lineage = c.ids("lineage", s.Lineage)
	m.Agent = c.bound("agent_origin", s.Agent, s.AgentOrigin)
	m.Session = c.bound("session_origin", s.Session, s.SessionOrigin)
	m.Task = c.bound("task_origin", s.Task, s.TaskOrigin)
	m.Workspace = c.bound("workspace_origin", s.Workspace, s.WorkspaceOrigin)
	m.Observation = model.Observation{
		Source: enum[model.ObservationSource](c, "observation_source", s.ObservationSource),
		Chunk:  model.Symbol(s.ObservationChunk),
	}
	m.Tool = model.ToolRun{
		Tool:         model.Symbol(s.Tool),
		ExecutionRef: model.Symbol(s.ToolExecutionRef),
		Context:      model.Symbol(s.ToolContext),
		Category:     enum[model.ToolOutcomeCategory](c, "tool_category", s.ToolCategory),
	}
}

func readStrength(c *checker, s *eventpb.MemoryState, m *model.Memory) {
	m.Tier = enum[model.Tier](c, "tier", s.Tier)
	m.TierReason = enum[model.TierReason](c, "tier_reason", s.TierReason)
	m.Salience, m.Confidence, m.Utility = float(s.Salience), float(s.Confidence), float(s.Utility)
	m.RecallCount, m.CorroborationCount = s.RecallCount, s.CorroborationCount
	m.ReconsolidationCount = s.ReconsolidationCount
	m.Retention = enum[model.Retention](c, "retention", s.Retention)
	m.RetentionWas = enum[model.Retention](c, "retention_was", s.RetentionWas)
	m.Visibility = enum[model.Visibility](c, "visibility", s.Visibility)
	m.PolicyFlags = model.PolicyFlags(s.PolicyFlags)
	m.Decay = *c.decay(s.BaseStrength, s.Stability, s.LastAccessedTick, s.DecayBypass)
	m.Lifecycle = enum[model.Lifecycle](c, "lifecycle", s.Lifecycle)
	m.RestabiliseTo = enum[model.Lifecycle](c, "restabilise_to", s.RestabiliseTo)
	m.LabileUntil = model.Tick(s.LabileUntil)
	m.ArchivedFrom = enum[model.Lifecycle](c, "archived_from", s.ArchivedFrom)
	m.ArchivedFor = enum[model.ArchiveReason](c, "archived_for", s.ArchivedFor)
	m.Valence, m.Arousal = float(s.Valence), float(s.Arousal)
	m.EmotionOf = enum[model.Origin](c, "emotion_origin", s.EmotionOrigin)
	m.Charge, m.Difficulty = float(s.Charge), float(s.Difficulty)
}

func readOutcome(c *checker, s *eventpb.MemoryState, m *model.Memory) {
	m.Outcome = model.EncodeOutcome{
		Route:             enum[model.DuplicateRoute](c, "outcome_route", s.OutcomeRoute),
		Family:            c.id("outcome_family", s.OutcomeFamily),
		Inspected:         s.OutcomeInspected,
		NearestSimilarity: float(s.OutcomeNearestSimilarity),
		Novelty:           float(s.OutcomeNovelty),
		PatternSeparated:  s.OutcomePatternSeparated,
	}
	m.DuplicateOf = c.id("duplicate_of", s.DuplicateOf)
	m.Conflict = enum[model.ConflictState](c, "conflict_state", s.ConflictState)
	m.ConflictIDs = c.ids("conflict_ids", s.ConflictIds)
	m.SupersededBy = c.id("superseded_by", s.SupersededBy)
	m.BeliefChain = c.id("belief_chain", s.BeliefChain)
	m.BeliefVersion = s.BeliefVersion
	m.Landmark, m.LandmarkLabel = s.Landmark, model.Symbol(s.LandmarkLabel)
	m.Era, m.Engram = c.id("era", s.Era), c.id("engram", s.Engram)
	m.DistilledFrom = c.id("distilled_from", s.DistilledFrom)
	m.CompressedTo = c.id("compressed_to", s.CompressedTo)
	m.CausalParents, m.CausalChildren = s.CausalParents, s.CausalChildren
}

func readLists(c *checker, s *eventpb.MemoryState, m *model.Memory) {
	m.Cues = c.cues(s.CueNames, s.CueOrigins, s.CueValues, s.CueWeights)
	m.Tags = c.tags(s.TagSymbols, s.TagOrigins)
	m.Entities = c.refs("entities", s.EntityIds, s.EntityMentions, s.EntityOrigins, s.EntityStatuses)
	m.Relations = c.refs("relations", s.RelationIds, s.RelationMentions, s.RelationOrigins, s.RelationStatuses)
	m.Endpoints = c.ids("endpoints", s.Endpoints)
}

func (c *checker) bound(field string, symbol uint64, origin uint32) model.Bound {
	return model.Bound{Symbol: model.Symbol(symbol), Origin: enum[model.Origin](c, field, origin)}
}

func (c *checker) cues(names, origins []uint32, values, weights []uint64) []model.Cue {
	if !c.columns("cues", len(names), len(origins), len(values), len(weights)) || len(names) == 0 {
		return nil
	}
	list := make([]model.Cue, len(names))
	for i := range list {
		list[i] = model.Cue{
			Name:   enum[model.CueName](c, "cue_names", names[i]),
			Value:  float(values[i]),
			Weight: float(weights[i]),
			Origin: enum[model.Origin](c, "cue_origins", origins[i]),
		}
	}
	return list
}

func (c *checker) tags(symbols []uint64, origins []uint32) []model.Tag {
	if !c.columns("tags", len(symbols), len(origins)) || len(symbols) == 0 {
		return nil
	}
	list := make([]model.Tag, len(symbols))
	for i := range list {
		list[i] = model.Tag{Symbol: model.Symbol(symbols[i]), Origin: enum[model.Origin](c, "tag_origins", origins[i])}
	}
	return list
}

func (c *checker) refs(field string, ids []byte, mentions []uint64, origins, statuses []uint32) []model.Ref {
	n := len(mentions)
	if !c.columns(field, n*16, len(ids)) || !c.columns(field, n, len(origins), len(statuses)) || n == 0 {
		return nil
	}
	list := make([]model.Ref, n)
	for i := range list {
		list[i] = model.Ref{
			ID:      model.MemoryID(ids[i*16:]),
			Mention: model.Symbol(mentions[i]),
			Origin:  enum[model.Origin](c, field+" origin", origins[i]),
			Status:  enum[model.RefStatus](c, field+" status", statuses[i]),
		}
	}
	return list
}
