package codec

import (
	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

// rowVersion is the first byte of a state row. Rows are rebuilt from the log, so an older one need not be read.
const rowVersion = 1

// AppendMemory appends the state row of m to dst and returns the extended slice. Equal states give equal bytes.
func AppendMemory(dst []byte, m *model.Memory) []byte {
	return appendMemoryState(dst, m, rowVersion)
}

// DecodeMemory reads a state row. The result shares no memory with b.
// Errors: ErrUnsupported for a row of another version; ErrMalformed.
func DecodeMemory(b []byte) (*model.Memory, error) {
	body, err := rowBody("state row of a memory", b)
	if err != nil {
		return nil, err
	}
	m := new(model.Memory)
	if err := decodeMemoryState(body, m); err != nil {
		return nil, err
	}
	return m, nil
}

func rowBody(what string, b []byte) ([]byte, error) {
	if len(b) == 0 {
		return nil, malformed("%s is empty", what)
	}
	if b[0] != rowVersion {
		return nil, otherVersion(what, b[0], rowVersion)
	}
	return b[1:], nil
}

// listsOnStack are the columns of a memory's lists. Usual lists fit, so encoding allocates nothing for them.
type listsOnStack struct {
	cueNames, cueOrigins              [8]uint32
	cueValues, cueWeights             [8]uint64
	tagSymbols                        [16]uint64
	tagOrigins                        [16]uint32
	entityMentions, relationMentions  [8]uint64
	entityOrigins, entityStatuses     [8]uint32
	relationOrigins, relationStatuses [8]uint32
	entityIDs, relationIDs            [8 * 16]byte
}

// appendMemoryState appends head and the protobuf form of m. Everything that points into m or the stack is assigned here
// and not in the helpers: through a pointer to the message it would all move to the heap.
func appendMemoryState(dst []byte, m *model.Memory, head ...byte) []byte {
	var s eventpb.MemoryState
	setIdentity(&s, m)
	setStrength(&s, m)
	setOutcome(&s, m)

	s.Id = someBytes((*[16]byte)(&m.ID))
	s.ContentDigest = someBytes(&m.Content.Digest)
	s.PayloadDigest = someBytes(&m.Payload.Digest)
	s.OutcomeFamily = someBytes((*[16]byte)(&m.Outcome.Family))
	s.DuplicateOf = someBytes((*[16]byte)(&m.DuplicateOf))
	s.SupersededBy = someBytes((*[16]byte)(&m.SupersededBy))
	s.BeliefChain = someBytes((*[16]byte)(&m.BeliefChain))
	s.Era = someBytes((*[16]byte)(&m.Era))
	s.Engram = someBytes((*[16]byte)(&m.Engram))
	s.DistilledFrom = someBytes((*[16]byte)(&m.DistilledFrom))
	s.CompressedTo = someBytes((*[16]byte)(&m.CompressedTo))
	s.Lineage = idBytes(m.Lineage)
	s.Endpoints = idBytes(m.Endpoints)
	s.ConflictIds = idBytes(m.ConflictIDs)

	var on listsOnStack
	s.CueNames, s.CueOrigins = on.cueNames[:0], on.cueOrigins[:0]
	s.CueValues, s.CueWeights = on.cueValues[:0], on.cueWeights[:0]
	for i := range m.Cues {
		s.CueNames = append(s.CueNames, uint32(m.Cues[i].Name))
		s.CueValues = append(s.CueValues, bits(m.Cues[i].Value))
		s.CueWeights = append(s.CueWeights, bits(m.Cues[i].Weight))
		s.CueOrigins = append(s.CueOrigins, uint32(m.Cues[i].Origin))
	}
	s.TagSymbols, s.TagOrigins = on.tagSymbols[:0], on.tagOrigins[:0]
	for i := range m.Tags {
		s.TagSymbols = append(s.TagSymbols, uint64(m.Tags[i].Symbol))
		s.TagOrigins = append(s.TagOrigins, uint32(m.Tags[i].Origin))
	}
	s.EntityIds, s.EntityMentions = on.entityIDs[:0], on.entityMentions[:0]
	s.EntityOrigins, s.EntityStatuses = on.entityOrigins[:0], on.entityStatuses[:0]
	for i := range m.Entities {
		s.EntityIds = append(s.EntityIds, m.Entities[i].ID[:]...)
		s.EntityMentions = append(s.EntityMentions, uint64(m.Entities[i].Mention))
		s.EntityOrigins = append(s.EntityOrigins, uint32(m.Entities[i].Origin))
		s.EntityStatuses = append(s.EntityStatuses, uint32(m.Entities[i].Status))
	}
	s.RelationIds, s.RelationMentions = on.relationIDs[:0], on.relationMentions[:0]
	s.RelationOrigins, s.RelationStatuses = on.relationOrigins[:0], on.relationStatuses[:0]
	for i := range m.Relations {
		s.RelationIds = append(s.RelationIds, m.Relations[i].ID[:]...)
		s.RelationMentions = append(s.RelationMentions, uint64(m.Relations[i].Mention))
		s.RelationOrigins = append(s.RelationOrigins, uint32(m.Relations[i].Origin))
		s.RelationStatuses = append(s.RelationStatuses, uint32(m.Relations[i].Status))
	}

	whole, tail := extend(dst, len(head)+s.SizeVT())
	tail = tail[copy(tail, head):]
	n, err := s.MarshalToSizedBufferVT(tail)
	sound(tail[:n], err)
	return whole
}

// setIdentity sets what the memory is, whence it came and to whom it belongs.
func setIdentity(s *eventpb.MemoryState, m *model.Memory) {
	s.Type, s.Kind, s.KindOrigin = uint32(m.Type), uint32(m.Kind), uint32(m.KindOf)
	s.Version = m.Version
	s.CreatedAt, s.UpdatedAt = int64(m.CreatedAt), int64(m.UpdatedAt)
	s.OccurredAt, s.LastAccessAt = int64(m.OccurredAt), int64(m.LastAccessAt)
	s.EncodedTick = uint64(m.EncodedTick)
	s.ContentNumber, s.ContentTextBytes = uint64(m.Content.Number), m.Content.TextBytes
	s.ContentOutOfLine, s.ContentRevision = m.Content.OutOfLine, m.ContentRevision
	s.PayloadNumber, s.PayloadState = uint64(m.Payload.Number), uint32(m.Payload.State)
	s.PayloadBytes = m.Payload.Bytes
	s.SourceKind, s.SourceRef = uint32(m.SourceKind), uint64(m.SourceRef)
	s.SourceRefOrigin, s.Authoritativeness = uint32(m.SourceRefOf), bits(m.Authoritativeness)
	s.Agent, s.AgentOrigin = uint64(m.Agent.Symbol), uint32(m.Agent.Origin)
	s.Session, s.SessionOrigin = uint64(m.Session.Symbol), uint32(m.Session.Origin)
	s.Task, s.TaskOrigin = uint64(m.Task.Symbol), uint32(m.Task.Origin)
	s.Workspace, s.WorkspaceOrigin = uint64(m.Workspace.Symbol), uint32(m.Workspace.Origin)
	s.ObservationSource, s.ObservationChunk = uint32(m.Observation.Source), uint64(m.Observation.Chunk)
	s.Tool, s.ToolExecutionRef = uint64(m.Tool.Tool), uint64(m.Tool.ExecutionRef)
	s.ToolContext, s.ToolCategory = uint64(m.Tool.Context), uint32(m.Tool.Category)
}

// setStrength sets what recall and time change.
func setStrength(s *eventpb.MemoryState, m *model.Memory) {
	s.Tier, s.TierReason = uint32(m.Tier), uint32(m.TierReason)
	s.Salience, s.Confidence, s.Utility = bits(m.Salience), bits(m.Confidence), bits(m.Utility)
	s.RecallCount, s.CorroborationCount = m.RecallCount, m.CorroborationCount
	s.ReconsolidationCount = m.ReconsolidationCount
	s.Retention, s.RetentionWas = uint32(m.Retention), uint32(m.RetentionWas)
	s.Visibility, s.PolicyFlags = uint32(m.Visibility), uint64(m.PolicyFlags)
	s.BaseStrength, s.Stability = bits(m.Decay.BaseStrength), bits(m.Decay.Stability)
	s.LastAccessedTick, s.DecayBypass = uint64(m.Decay.LastAccessedTick), uint32(m.Decay.Bypass)
	s.Lifecycle, s.RestabiliseTo = uint32(m.Lifecycle), uint32(m.RestabiliseTo)
	s.LabileUntil = uint64(m.LabileUntil)
	s.ArchivedFrom, s.ArchivedFor = uint32(m.ArchivedFrom), uint32(m.ArchivedFor)
	s.Valence, s.Arousal, s.EmotionOrigin = bits(m.Valence), bits(m.Arousal), uint32(m.EmotionOf)
	s.Charge, s.Difficulty = bits(m.Charge), bits(m.Difficulty)
}

// setOutcome sets what the write path found and how the memory stands to others.
func setOutcome(s *eventpb.MemoryState, m *model.Memory) {
	s.OutcomeRoute, s.OutcomeInspected = uint32(m.Outcome.Route), m.Outcome.Inspected
	s.OutcomeNearestSimilarity = bits(m.Outcome.NearestSimilarity)
	s.OutcomeNovelty = bits(m.Outcome.Novelty)
	s.OutcomePatternSeparated = m.Outcome.PatternSeparated
	s.ConflictState, s.BeliefVersion = uint32(m.Conflict), m.BeliefVersion
	s.Landmark, s.LandmarkLabel = m.Landmark, uint64(m.LandmarkLabel)
	s.CausalParents, s.CausalChildren = m.CausalParents, m.CausalChildren
}
