package model

// Every enum below starts at 1; 0 is "not set". Values are stored: append, never renumber.

// MemoryType is what a memory is, of the taxonomy's fifteen (TAX-1).
type MemoryType uint8

// The values of MemoryType.
const (
	TypeEvent          MemoryType = 1
	TypeEpisode        MemoryType = 2
	TypeFact           MemoryType = 3
	TypeRelation       MemoryType = 4
	TypeSummary        MemoryType = 5
	TypeGoal           MemoryType = 6
	TypeSkill          MemoryType = 7
	TypeConstraint     MemoryType = 8
	TypeHypothesis     MemoryType = 9
	TypeConflictRecord MemoryType = 10
	TypePolicyArtifact MemoryType = 11
	TypeObservation    MemoryType = 12
	TypeToolOutcome    MemoryType = 13
	TypeUserPreference MemoryType = 14
	TypeSessionMarker  MemoryType = 15
)

var memoryTypeLabels = &labels{"memory_type", []string{"", "event", "episode", "fact", "relation", "summary", "goal", "skill", "constraint", "hypothesis", "conflict_record", "policy_artifact", "observation", "tool_outcome", "user_preference", "session_marker"}}

// String returns the label; "" when not set.
func (v MemoryType) String() string { return memoryTypeLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v MemoryType) MarshalText() ([]byte, error) { return memoryTypeLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *MemoryType) UnmarshalText(b []byte) error { return unmarshal(memoryTypeLabels, v, b) }

// ParseMemoryType reads a label; an unknown one is refused with the allowed set.
func ParseMemoryType(s string) (MemoryType, error) {
	v, err := memoryTypeLabels.parse(s)
	return MemoryType(v), err
}

// MemoryTypeLabels returns the allowed labels in order.
func MemoryTypeLabels() []string { return memoryTypeLabels.names[1:] }

// Kind is the brain-inspired class of a memory, apart from its type (KIND-1).
type Kind uint8

// The values of Kind.
const (
	Episodic   Kind = 1
	Semantic   Kind = 2
	Procedural Kind = 3
	Schema     Kind = 4
)

var kindLabels = &labels{"kind", []string{"", "episodic", "semantic", "procedural", "schema"}}

// String returns the label; "" when not set.
func (v Kind) String() string { return kindLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Kind) MarshalText() ([]byte, error) { return kindLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Kind) UnmarshalText(b []byte) error { return unmarshal(kindLabels, v, b) }

// ParseKind reads a label; an unknown one is refused with the allowed set.
func ParseKind(s string) (Kind, error) {
	v, err := kindLabels.parse(s)
	return Kind(v), err
}

// KindLabels returns the allowed labels in order.
func KindLabels() []string { return kindLabels.names[1:] }

// Lifecycle is the persisted lifecycle state (LIF-1).
type Lifecycle uint8

// The values of Lifecycle.
const (
	Labile        Lifecycle = 1
	SynapticDone  Lifecycle = 2
	Consolidating Lifecycle = 3
	Consolidated  Lifecycle = 4
	Superseded    Lifecycle = 5
	Archived      Lifecycle = 6
)

var lifecycleLabels = &labels{"lifecycle_state", []string{"", "Labile", "SynapticDone", "Consolidating", "Consolidated", "Superseded", "Archived"}}

// String returns the label; "" when not set.
func (v Lifecycle) String() string { return lifecycleLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Lifecycle) MarshalText() ([]byte, error) { return lifecycleLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Lifecycle) UnmarshalText(b []byte) error { return unmarshal(lifecycleLabels, v, b) }

// ParseLifecycle reads a label; an unknown one is refused with the allowed set.
func ParseLifecycle(s string) (Lifecycle, error) {
	v, err := lifecycleLabels.parse(s)
	return Lifecycle(v), err
}

// LifecycleLabels returns the allowed labels in order.
func LifecycleLabels() []string { return lifecycleLabels.names[1:] }

// Tier is where a memory is served from durably (TIR-1); tier1 is a cache and never a fact.
type Tier uint8

// The values of Tier.
const (
	Tier1 Tier = 1
	Tier2 Tier = 2
	Tier3 Tier = 3
)

var tierLabels = &labels{"tier", []string{"", "tier1", "tier2", "tier3"}}

// String returns the label; "" when not set.
func (v Tier) String() string { return tierLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Tier) MarshalText() ([]byte, error) { return tierLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Tier) UnmarshalText(b []byte) error { return unmarshal(tierLabels, v, b) }

// ParseTier reads a label; an unknown one is refused with the allowed set.
func ParseTier(s string) (Tier, error) {
	v, err := tierLabels.parse(s)
	return Tier(v), err
}

// TierLabels returns the allowed labels in order.
func TierLabels() []string { return tierLabels.names[1:] }

// TierReason is why a memory is in its tier.
type TierReason uint8

// The values of TierReason.
const (
	TierFirstWrite   TierReason = 1
	TierConsolidated TierReason = 2
	TierDemoted      TierReason = 3
	TierPromoted     TierReason = 4
)

var tierReasonLabels = &labels{"tier_reason", []string{"", "first_write", "consolidated", "demoted", "promoted"}}

// String returns the label; "" when not set.
func (v TierReason) String() string { return tierReasonLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v TierReason) MarshalText() ([]byte, error) { return tierReasonLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *TierReason) UnmarshalText(b []byte) error { return unmarshal(tierReasonLabels, v, b) }

// ParseTierReason reads a label; an unknown one is refused with the allowed set.
func ParseTierReason(s string) (TierReason, error) {
	v, err := tierReasonLabels.parse(s)
	return TierReason(v), err
}

// TierReasonLabels returns the allowed labels in order.
func TierReasonLabels() []string { return tierReasonLabels.names[1:] }

// Visibility is who may see a memory (INH-2).
type Visibility uint8

// The values of Visibility.
const (
	Private Visibility = 1
	Shared  Visibility = 2
	Public  Visibility = 3
)

var visibilityLabels = &labels{"visibility", []string{"", "private", "shared", "public"}}

// String returns the label; "" when not set.
func (v Visibility) String() string { return visibilityLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Visibility) MarshalText() ([]byte, error) { return visibilityLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Visibility) UnmarshalText(b []byte) error { return unmarshal(visibilityLabels, v, b) }

// ParseVisibility reads a label; an unknown one is refused with the allowed set.
func ParseVisibility(s string) (Visibility, error) {
	v, err := visibilityLabels.parse(s)
	return Visibility(v), err
}

// VisibilityLabels returns the allowed labels in order.
func VisibilityLabels() []string { return visibilityLabels.names[1:] }

// Retention is the intended durability of a memory (UTL-3).
type Retention uint8

// The values of Retention.
const (
	RetainVolatile Retention = 1
	RetainNormal   Retention = 2
	RetainDurable  Retention = 3
	RetainPinned   Retention = 4
)

var retentionLabels = &labels{"retention_class", []string{"", "volatile", "normal", "durable", "pinned"}}

// String returns the label; "" when not set.
func (v Retention) String() string { return retentionLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Retention) MarshalText() ([]byte, error) { return retentionLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Retention) UnmarshalText(b []byte) error { return unmarshal(retentionLabels, v, b) }

// ParseRetention reads a label; an unknown one is refused with the allowed set.
func ParseRetention(s string) (Retention, error) {
	v, err := retentionLabels.parse(s)
	return Retention(v), err
}

// RetentionLabels returns the allowed labels in order.
func RetentionLabels() []string { return retentionLabels.names[1:] }

// SourceKind is the path that wrote a memory (PRV-1).
type SourceKind uint8

// The values of SourceKind.
const (
	SourceCLI           SourceKind = 1
	SourceMCP           SourceKind = 2
	SourceAPI           SourceKind = 3
	SourceObserve       SourceKind = 4
	SourceImport        SourceKind = 5
	SourceRepair        SourceKind = 6
	SourceConsolidation SourceKind = 7
)

var sourceKindLabels = &labels{"source_kind", []string{"", "cli", "mcp", "api", "observe", "import", "repair", "consolidation"}}

// String returns the label; "" when not set.
func (v SourceKind) String() string { return sourceKindLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v SourceKind) MarshalText() ([]byte, error) { return sourceKindLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *SourceKind) UnmarshalText(b []byte) error { return unmarshal(sourceKindLabels, v, b) }

// ParseSourceKind reads a label; an unknown one is refused with the allowed set.
func ParseSourceKind(s string) (SourceKind, error) {
	v, err := sourceKindLabels.parse(s)
	return SourceKind(v), err
}

// SourceKindLabels returns the allowed labels in order.
func SourceKindLabels() []string { return sourceKindLabels.names[1:] }

// ConflictState is the contradiction state of a memory (CON-2).
type ConflictState uint8

// The values of ConflictState.
const (
	ConflictNone                  ConflictState = 1
	ConflictOpen                  ConflictState = 2
	ConflictResolved              ConflictState = 3
	ConflictSuperseded            ConflictState = 4
	ConflictAuthoritativeOverride ConflictState = 5
)

var conflictStateLabels = &labels{"conflict_state", []string{"", "none", "open", "resolved", "superseded", "authoritative_override"}}

// String returns the label; "" when not set.
func (v ConflictState) String() string { return conflictStateLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v ConflictState) MarshalText() ([]byte, error) { return conflictStateLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *ConflictState) UnmarshalText(b []byte) error { return unmarshal(conflictStateLabels, v, b) }

// ParseConflictState reads a label; an unknown one is refused with the allowed set.
func ParseConflictState(s string) (ConflictState, error) {
	v, err := conflictStateLabels.parse(s)
	return ConflictState(v), err
}

// ConflictStateLabels returns the allowed labels in order.
func ConflictStateLabels() []string { return conflictStateLabels.names[1:] }

// PolicyFlag is a governance marker; values are bit numbers of PolicyFlags, so at most 63.
type PolicyFlag uint8

// The values of PolicyFlag.
const (
	FlagLegalHold      PolicyFlag = 1
	FlagComplianceLock PolicyFlag = 2
	FlagDeletionHold   PolicyFlag = 3
	FlagRedacted       PolicyFlag = 4
	FlagNoShare        PolicyFlag = 5
)

var policyFlagLabels = &labels{"policy_flag", []string{"", "legal_hold", "compliance_lock", "deletion_hold", "redacted", "no_share"}}

// String returns the label; "" when not set.
func (v PolicyFlag) String() string { return policyFlagLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v PolicyFlag) MarshalText() ([]byte, error) { return policyFlagLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *PolicyFlag) UnmarshalText(b []byte) error { return unmarshal(policyFlagLabels, v, b) }

// ParsePolicyFlag reads a label; an unknown one is refused with the allowed set.
func ParsePolicyFlag(s string) (PolicyFlag, error) {
	v, err := policyFlagLabels.parse(s)
	return PolicyFlag(v), err
}

// PolicyFlagLabels returns the allowed labels in order.
func PolicyFlagLabels() []string { return policyFlagLabels.names[1:] }

// Origin is how a value came to be attached (CTX-4, TAG-1).
type Origin uint8

// The values of Origin.
const (
	OriginCallerSupplied    Origin = 1
	OriginExecutionEnvelope Origin = 2
	OriginLineage           Origin = 3
	OriginDerived           Origin = 4
	OriginDefault           Origin = 5
)

var originLabels = &labels{"origin", []string{"", "caller_supplied", "execution_envelope", "lineage", "derived", "default"}}

// String returns the label; "" when not set.
func (v Origin) String() string { return originLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Origin) MarshalText() ([]byte, error) { return originLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Origin) UnmarshalText(b []byte) error { return unmarshal(originLabels, v, b) }

// ParseOrigin reads a label; an unknown one is refused with the allowed set.
func ParseOrigin(s string) (Origin, error) {
	v, err := originLabels.parse(s)
	return Origin(v), err
}

// OriginLabels returns the allowed labels in order.
func OriginLabels() []string { return originLabels.names[1:] }

// RefStatus is how far an entity or relation reference is resolved (ENT-4).
type RefStatus uint8

// The values of RefStatus.
const (
	RefResolved   RefStatus = 1
	RefCandidate  RefStatus = 2
	RefAmbiguous  RefStatus = 3
	RefTombstoned RefStatus = 4
)

var refStatusLabels = &labels{"ref_status", []string{"", "resolved", "candidate", "ambiguous", "tombstoned"}}

// String returns the label; "" when not set.
func (v RefStatus) String() string { return refStatusLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v RefStatus) MarshalText() ([]byte, error) { return refStatusLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *RefStatus) UnmarshalText(b []byte) error { return unmarshal(refStatusLabels, v, b) }

// ParseRefStatus reads a label; an unknown one is refused with the allowed set.
func ParseRefStatus(s string) (RefStatus, error) {
	v, err := refStatusLabels.parse(s)
	return RefStatus(v), err
}

// RefStatusLabels returns the allowed labels in order.
func RefStatusLabels() []string { return refStatusLabels.names[1:] }

// PayloadState is where a memory's payload is.
type PayloadState uint8

// The values of PayloadState.
const (
	PayloadNone     PayloadState = 1
	PayloadAttached PayloadState = 2
	PayloadDetached PayloadState = 3
	PayloadErased   PayloadState = 4
)

var payloadStateLabels = &labels{"payload_state", []string{"", "none", "attached", "detached", "erased"}}

// String returns the label; "" when not set.
func (v PayloadState) String() string { return payloadStateLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v PayloadState) MarshalText() ([]byte, error) { return payloadStateLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *PayloadState) UnmarshalText(b []byte) error { return unmarshal(payloadStateLabels, v, b) }

// ParsePayloadState reads a label; an unknown one is refused with the allowed set.
func ParsePayloadState(s string) (PayloadState, error) {
	v, err := payloadStateLabels.parse(s)
	return PayloadState(v), err
}

// PayloadStateLabels returns the allowed labels in order.
func PayloadStateLabels() []string { return payloadStateLabels.names[1:] }

// ObservationSource is where an observation came from (NRM-3).
type ObservationSource uint8

// The values of ObservationSource.
const (
	ObservedStdin ObservationSource = 1
	ObservedFile  ObservationSource = 2
	ObservedWatch ObservationSource = 3
)

var observationSourceLabels = &labels{"observation_source", []string{"", "stdin", "file", "watch"}}

// String returns the label; "" when not set.
func (v ObservationSource) String() string { return observationSourceLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v ObservationSource) MarshalText() ([]byte, error) {
	return observationSourceLabels.marshal(uint8(v))
}

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *ObservationSource) UnmarshalText(b []byte) error {
	return unmarshal(observationSourceLabels, v, b)
}

// ParseObservationSource reads a label; an unknown one is refused with the allowed set.
func ParseObservationSource(s string) (ObservationSource, error) {
	v, err := observationSourceLabels.parse(s)
	return ObservationSource(v), err
}

// ObservationSourceLabels returns the allowed labels in order.
func ObservationSourceLabels() []string { return observationSourceLabels.names[1:] }

// ToolOutcomeCategory is how a tool run ended (NRM-4).
type ToolOutcomeCategory uint8

// The values of ToolOutcomeCategory.
const (
	ToolSuccess   ToolOutcomeCategory = 1
	ToolFailure   ToolOutcomeCategory = 2
	ToolPartial   ToolOutcomeCategory = 3
	ToolTimeout   ToolOutcomeCategory = 4
	ToolCancelled ToolOutcomeCategory = 5
)

var toolOutcomeCategoryLabels = &labels{"outcome", []string{"", "success", "failure", "partial", "timeout", "cancelled"}}

// String returns the label; "" when not set.
func (v ToolOutcomeCategory) String() string { return toolOutcomeCategoryLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v ToolOutcomeCategory) MarshalText() ([]byte, error) {
	return toolOutcomeCategoryLabels.marshal(uint8(v))
}

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *ToolOutcomeCategory) UnmarshalText(b []byte) error {
	return unmarshal(toolOutcomeCategoryLabels, v, b)
}

// ParseToolOutcomeCategory reads a label; an unknown one is refused with the allowed set.
func ParseToolOutcomeCategory(s string) (ToolOutcomeCategory, error) {
	v, err := toolOutcomeCategoryLabels.parse(s)
	return ToolOutcomeCategory(v), err
}

// ToolOutcomeCategoryLabels returns the allowed labels in order.
func ToolOutcomeCategoryLabels() []string { return toolOutcomeCategoryLabels.names[1:] }

// DuplicateRoute is what an encode did with a duplicate (DUP-1).
type DuplicateRoute uint8

// The values of DuplicateRoute.
const (
	RouteMintedNew              DuplicateRoute = 1
	RouteAttachedToFamily       DuplicateRoute = 2
	RouteReconsolidatedExisting DuplicateRoute = 3
)

var duplicateRouteLabels = &labels{"duplicate_route", []string{"", "minted_new", "attached_to_family", "reconsolidated_existing"}}

// String returns the label; "" when not set.
func (v DuplicateRoute) String() string { return duplicateRouteLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v DuplicateRoute) MarshalText() ([]byte, error) { return duplicateRouteLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *DuplicateRoute) UnmarshalText(b []byte) error { return unmarshal(duplicateRouteLabels, v, b) }

// ParseDuplicateRoute reads a label; an unknown one is refused with the allowed set.
func ParseDuplicateRoute(s string) (DuplicateRoute, error) {
	v, err := duplicateRouteLabels.parse(s)
	return DuplicateRoute(v), err
}

// DuplicateRouteLabels returns the allowed labels in order.
func DuplicateRouteLabels() []string { return duplicateRouteLabels.names[1:] }

// BypassCause is why decay is bypassed (DEC-6).
type BypassCause uint8

// The values of BypassCause.
const (
	BypassEmotion  BypassCause = 1
	BypassKind     BypassCause = 2
	BypassExplicit BypassCause = 3
)

var bypassCauseLabels = &labels{"bypass_cause", []string{"", "emotion", "kind", "explicit"}}

// String returns the label; "" when not set.
func (v BypassCause) String() string { return bypassCauseLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v BypassCause) MarshalText() ([]byte, error) { return bypassCauseLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *BypassCause) UnmarshalText(b []byte) error { return unmarshal(bypassCauseLabels, v, b) }

// ParseBypassCause reads a label; an unknown one is refused with the allowed set.
func ParseBypassCause(s string) (BypassCause, error) {
	v, err := bypassCauseLabels.parse(s)
	return BypassCause(v), err
}

// BypassCauseLabels returns the allowed labels in order.
func BypassCauseLabels() []string { return bypassCauseLabels.names[1:] }

// CueName is one input of initial salience (UTL-4).
type CueName uint8

// The values of CueName.
const (
	CueAttention     CueName = 1
	CueNovelty       CueName = 2
	CueTaskRelevance CueName = 3
	CueArousal       CueName = 4
)

var cueNameLabels = &labels{"cue", []string{"", "attention", "novelty", "task_relevance", "arousal"}}

// String returns the label; "" when not set.
func (v CueName) String() string { return cueNameLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v CueName) MarshalText() ([]byte, error) { return cueNameLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *CueName) UnmarshalText(b []byte) error { return unmarshal(cueNameLabels, v, b) }

// ParseCueName reads a label; an unknown one is refused with the allowed set.
func ParseCueName(s string) (CueName, error) {
	v, err := cueNameLabels.parse(s)
	return CueName(v), err
}

// CueNameLabels returns the allowed labels in order.
func CueNameLabels() []string { return cueNameLabels.names[1:] }

// RecallCause is what strengthened a memory (RCL-2, RCL-7).
type RecallCause uint8

// The values of RecallCause.
const (
	CauseRecall    RecallCause = 1
	CauseReinforce RecallCause = 2
)

var recallCauseLabels = &labels{"cause", []string{"", "recall", "reinforce"}}

// String returns the label; "" when not set.
func (v RecallCause) String() string { return recallCauseLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v RecallCause) MarshalText() ([]byte, error) { return recallCauseLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *RecallCause) UnmarshalText(b []byte) error { return unmarshal(recallCauseLabels, v, b) }

// ParseRecallCause reads a label; an unknown one is refused with the allowed set.
func ParseRecallCause(s string) (RecallCause, error) {
	v, err := recallCauseLabels.parse(s)
	return RecallCause(v), err
}

// RecallCauseLabels returns the allowed labels in order.
func RecallCauseLabels() []string { return recallCauseLabels.names[1:] }

// Verb is a request kind; receipts and audit name it.
type Verb uint8

// The values of Verb.
const (
	VerbEncode    Verb = 1
	VerbRecall    Verb = 2
	VerbReinforce Verb = 3
	VerbUpdate    Verb = 4
	VerbPin       Verb = 5
	VerbUnpin     Verb = 6
	VerbForget    Verb = 7
	VerbRestore   Verb = 8
	VerbImport    Verb = 9
	VerbInspect   Verb = 10
	VerbExplain   Verb = 11
	VerbList      Verb = 12
	VerbHistory   Verb = 13
)

var verbLabels = &labels{"verb", []string{"", "encode", "recall", "reinforce", "update", "pin", "unpin", "forget", "restore", "import", "inspect", "explain", "list", "history"}}

// String returns the label; "" when not set.
func (v Verb) String() string { return verbLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Verb) MarshalText() ([]byte, error) { return verbLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Verb) UnmarshalText(b []byte) error { return unmarshal(verbLabels, v, b) }

// ParseVerb reads a label; an unknown one is refused with the allowed set.
func ParseVerb(s string) (Verb, error) {
	v, err := verbLabels.parse(s)
	return Verb(v), err
}

// VerbLabels returns the allowed labels in order.
func VerbLabels() []string { return verbLabels.names[1:] }

// FailureFamily is the class of a refused transition (LIF-7).
type FailureFamily uint8

// The values of FailureFamily.
const (
	FamilyValidationFailure FailureFamily = 1
	FamilyPolicyDenied      FailureFamily = 2
	FamilyInternalFailure   FailureFamily = 3
)

var failureFamilyLabels = &labels{"failure_family", []string{"", "validation_failure", "policy_denied", "internal_failure"}}

// String returns the label; "" when not set.
func (v FailureFamily) String() string { return failureFamilyLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v FailureFamily) MarshalText() ([]byte, error) { return failureFamilyLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *FailureFamily) UnmarshalText(b []byte) error { return unmarshal(failureFamilyLabels, v, b) }

// ParseFailureFamily reads a label; an unknown one is refused with the allowed set.
func ParseFailureFamily(s string) (FailureFamily, error) {
	v, err := failureFamilyLabels.parse(s)
	return FailureFamily(v), err
}

// FailureFamilyLabels returns the allowed labels in order.
func FailureFamilyLabels() []string { return failureFamilyLabels.names[1:] }

// ArchiveReason is why a memory was archived.
type ArchiveReason uint8

// The values of ArchiveReason.
const (
	ArchivedForgotten ArchiveReason = 1
	ArchivedFaded     ArchiveReason = 2
	ArchivedRetention ArchiveReason = 3
)

var archiveReasonLabels = &labels{"reason", []string{"", "forgotten", "faded", "retention"}}

// String returns the label; "" when not set.
func (v ArchiveReason) String() string { return archiveReasonLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v ArchiveReason) MarshalText() ([]byte, error) { return archiveReasonLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *ArchiveReason) UnmarshalText(b []byte) error { return unmarshal(archiveReasonLabels, v, b) }

// ParseArchiveReason reads a label; an unknown one is refused with the allowed set.
func ParseArchiveReason(s string) (ArchiveReason, error) {
	v, err := archiveReasonLabels.parse(s)
	return ArchiveReason(v), err
}

// ArchiveReasonLabels returns the allowed labels in order.
func ArchiveReasonLabels() []string { return archiveReasonLabels.names[1:] }

// Detail is how much of each memory a reply carries: brief (id, type, compact text), normal, full (with the full text).
type Detail uint8

// The values of Detail.
const (
	DetailBrief  Detail = 1
	DetailNormal Detail = 2
	DetailFull   Detail = 3
)

var detailLabels = &labels{"detail", []string{"", "brief", "normal", "full"}}

// String returns the label; "" when not set.
func (v Detail) String() string { return detailLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Detail) MarshalText() ([]byte, error) { return detailLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Detail) UnmarshalText(b []byte) error { return unmarshal(detailLabels, v, b) }

// ParseDetail reads a label; an unknown one is refused with the allowed set.
func ParseDetail(s string) (Detail, error) {
	v, err := detailLabels.parse(s)
	return Detail(v), err
}

// DetailLabels returns the allowed labels in order.
func DetailLabels() []string { return detailLabels.names[1:] }

// Lane is how a result came into the candidates.
type Lane uint8

// The values of Lane.
const (
	LaneLexical   Lane = 1
	LaneVector    Lane = 2
	LaneBoth      Lane = 3
	LaneNeighbour Lane = 4
	LaneEpisode   Lane = 5
	LaneEntity    Lane = 6
	LaneListed    Lane = 7
)

var laneLabels = &labels{"lane", []string{"", "lexical", "vector", "both", "neighbour", "episode", "entity", "listed"}}

// String returns the label; "" when not set.
func (v Lane) String() string { return laneLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v Lane) MarshalText() ([]byte, error) { return laneLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *Lane) UnmarshalText(b []byte) error { return unmarshal(laneLabels, v, b) }

// ParseLane reads a label; an unknown one is refused with the allowed set.
func ParseLane(s string) (Lane, error) {
	v, err := laneLabels.parse(s)
	return Lane(v), err
}

// LaneLabels returns the allowed labels in order.
func LaneLabels() []string { return laneLabels.names[1:] }

// PartName is one named summand of a score.
type PartName uint8

// The values of PartName.
const (
	PartLexical    PartName = 1
	PartVector     PartName = 2
	PartNeighbours PartName = 3
	PartEntity     PartName = 4
	PartEpisode    PartName = 5
	PartStrength   PartName = 6
	PartSalience   PartName = 7
	PartConfidence PartName = 8
	PartUtility    PartName = 9
	PartRecency    PartName = 10
	PartContext    PartName = 11
	PartDifficulty PartName = 12
	PartConflict   PartName = 13
	PartDuplicate  PartName = 14
)

var partNameLabels = &labels{"part", []string{"", "lexical", "vector", "neighbours", "entity", "episode", "strength", "salience", "confidence", "utility", "recency", "context", "difficulty", "conflict", "duplicate"}}

// String returns the label; "" when not set.
func (v PartName) String() string { return partNameLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v PartName) MarshalText() ([]byte, error) { return partNameLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *PartName) UnmarshalText(b []byte) error { return unmarshal(partNameLabels, v, b) }

// ParsePartName reads a label; an unknown one is refused with the allowed set.
func ParsePartName(s string) (PartName, error) {
	v, err := partNameLabels.parse(s)
	return PartName(v), err
}

// PartNameLabels returns the allowed labels in order.
func PartNameLabels() []string { return partNameLabels.names[1:] }

// OmitReason is why a candidate is not among the results.
type OmitReason uint8

// The values of OmitReason.
const (
	OmittedLimit            OmitReason = 1
	OmittedTokenBudget      OmitReason = 2
	OmittedDuplicate        OmitReason = 3
	OmittedMinStrength      OmitReason = 4
	OmittedMinConfidence    OmitReason = 5
	OmittedChangedMeanwhile OmitReason = 6
	OmittedQuarantined      OmitReason = 7
)

var omitReasonLabels = &labels{"reason", []string{"", "limit", "token_budget", "duplicate", "min_strength", "min_confidence", "changed_meanwhile", "quarantined"}}

// String returns the label; "" when not set.
func (v OmitReason) String() string { return omitReasonLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v OmitReason) MarshalText() ([]byte, error) { return omitReasonLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *OmitReason) UnmarshalText(b []byte) error { return unmarshal(omitReasonLabels, v, b) }

// ParseOmitReason reads a label; an unknown one is refused with the allowed set.
func ParseOmitReason(s string) (OmitReason, error) {
	v, err := omitReasonLabels.parse(s)
	return OmitReason(v), err
}

// OmitReasonLabels returns the allowed labels in order.
func OmitReasonLabels() []string { return omitReasonLabels.names[1:] }

// DropStage is the stage of recall that dropped a memory.
type DropStage uint8

// The values of DropStage.
const (
	DropFilter     DropStage = 1
	DropCandidates DropStage = 2
	DropRanking    DropStage = 3
	DropPacking    DropStage = 4
	DropAdmission  DropStage = 5
)

var dropStageLabels = &labels{"stage", []string{"", "filter", "candidates", "ranking", "packing", "admission"}}

// String returns the label; "" when not set.
func (v DropStage) String() string { return dropStageLabels.name(uint8(v)) }

// MarshalText implements encoding.TextMarshaler.
func (v DropStage) MarshalText() ([]byte, error) { return dropStageLabels.marshal(uint8(v)) }

// UnmarshalText accepts a label in any case; an unknown one is refused with the allowed set.
func (v *DropStage) UnmarshalText(b []byte) error { return unmarshal(dropStageLabels, v, b) }

// ParseDropStage reads a label; an unknown one is refused with the allowed set.
func ParseDropStage(s string) (DropStage, error) {
	v, err := dropStageLabels.parse(s)
	return DropStage(v), err
}

// DropStageLabels returns the allowed labels in order.
func DropStageLabels() []string { return dropStageLabels.names[1:] }
