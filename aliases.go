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

// Kinds, visibilities, retention classes and states.
const (
	Episodic   = model.Episodic
	Semantic   = model.Semantic
	Procedural = model.Procedural
	Schema     = model.Schema

	Private = model.Private
	Shared  = model.Shared
	Public  = model.Public

	Volatile = model.RetainVolatile
	Normal   = model.RetainNormal
	Durable  = model.RetainDurable
	Pinned   = model.RetainPinned

	Labile        = model.Labile
	SynapticDone  = model.SynapticDone
	Consolidating = model.Consolidating
	Consolidated  = model.Consolidated
	Superseded    = model.Superseded
	Archived      = model.Archived
)

// Policy flags, details, sources and outcomes of tools.
const (
	LegalHold      = model.FlagLegalHold
	ComplianceLock = model.FlagComplianceLock
	DeletionHold   = model.FlagDeletionHold
	NoShare        = model.FlagNoShare

	DetailBrief  = model.DetailBrief
	DetailNormal = model.DetailNormal
	DetailFull   = model.DetailFull

	SourceCLI = model.SourceCLI
	SourceMCP = model.SourceMCP
	SourceAPI = model.SourceAPI

	ObservedStdin = model.ObservedStdin
	ObservedFile  = model.ObservedFile
	ObservedWatch = model.ObservedWatch

	ToolSuccess   = model.ToolSuccess
	ToolFailure   = model.ToolFailure
	ToolPartial   = model.ToolPartial
	ToolTimeout   = model.ToolTimeout
	ToolCancelled = model.ToolCancelled
)

// Code is the stable name of a kind of error.
type Code = model.Code

// The codes that a host may want to tell apart.
const (
	CodeValidation       = model.CodeValidation
	CodeNotFound         = model.CodeNotFound
	CodePolicyDenied     = model.CodePolicyDenied
	CodeVersionConflict  = model.CodeVersionConflict
	CodeStateConflict    = model.CodeStateConflict
	CodeDuplicateRequest = model.CodeDuplicateRequest
	CodeTooLarge         = model.CodeTooLarge
	CodeBusy             = model.CodeBusy
	CodeLocked           = model.CodeLocked
	CodeUnavailable      = model.CodeUnavailable
	CodeCorrupt          = model.CodeCorrupt
	CodeInternal         = model.CodeInternal
)

// CodeOf returns the code of an error of this package; "" for nil.
func CodeOf(err error) Code { return model.CodeOf(err) }
