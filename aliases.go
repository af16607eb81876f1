package membrain

import "github.com/membrain-db/membrain/model"

// Requests and replies of the engine; package model documents them.
type (
	Caller         = model.Caller
	EncodeRequest  = model.EncodeRequest
	EncodeReply    = model.EncodeReply
	RecallRequest  = model.RecallRequest
	RecallReply    = model.RecallReply
	RecallResult   = model.RecallResult
	UpdateRequest  = model.UpdateRequest
	MemoryRequest  = model.MemoryRequest
	MutationReply  = model.MutationReply
	ListRequest    = model.ListRequest
	ListReply      = model.ListReply
	ExplainRequest = model.ExplainRequest
	ExplainReply   = model.ExplainReply
	HistoryReply   = model.HistoryReply
	ImportReply    = model.ImportReply
	Filter         = model.Filter
	View           = model.View
	Params         = model.Params
	ToolRunIn      = model.ToolRunIn
	ObservationIn  = model.ObservationIn
)

// Values of the vocabulary.
type (
	MemoryID   = model.MemoryID
	Tick       = model.Tick
	MemoryType = model.MemoryType
	Kind       = model.Kind
	Lifecycle  = model.Lifecycle
	Visibility = model.Visibility
	Retention  = model.Retention
	PolicyFlag = model.PolicyFlag
	SourceKind = model.SourceKind
	Detail     = model.Detail
)

// Error is what every failing call returns, with a stable Code.
type Error = model.Error

// The memory types.
const (
	Event          = model.TypeEvent
	Episode        = model.TypeEpisode
	Fact           = model.TypeFact
	Relation       = model.TypeRelation
	Summary        = model.TypeSummary
	Goal           = model.TypeGoal
	Skill          = model.TypeSkill
	Constraint     = model.TypeConstraint
	Hypothesis     = model.TypeHypothesis
	ConflictRecord = model.TypeConflictRecord
	PolicyArtifact = model.TypePolicyArtifact
	Observation    = model.TypeObservation
	ToolOutcome    = model.TypeToolOutcome
	UserPreference = model.TypeUserPreference
	SessionMarker  = model.TypeSessionMarker
)

// DefaultParams returns the parameters that a namespace gets when nothing else is said.
func DefaultParams() Params { return model.DefaultParams() }

// ParseMemoryID reads a memory id; field names it in the error.
func ParseMemoryID(field, s string) (MemoryID, error) { return model.ParseMemoryID(field, s) }
