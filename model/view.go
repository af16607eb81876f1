package model

// View is one memory as inspect and list show it: every field of the seed's tables under its name there.
// Absent optional fields are null.
type View struct {
	ID                 MemoryID          `json:"id"`
	Namespace          string            `json:"namespace"`
	NamespaceID        string            `json:"namespace_id"`
	Type               MemoryType        `json:"memory_type"`
	Kind               Kind              `json:"kind"`
	KindOrigin         Origin            `json:"kind_origin"`
	CreatedAt          string            `json:"created_at"`
	UpdatedAt          string            `json:"updated_at"`
	OccurredAt         *string           `json:"occurred_at"`
	Version            uint64            `json:"version"`
	WorkspaceID        *string           `json:"workspace_id"`
	AgentID            *string           `json:"agent_id"`
	SessionID          *string           `json:"session_id"`
	TaskID             *string           `json:"task_id"`
	ContextOrigins     map[string]Origin `json:"context_origins"`
	SourceKind         SourceKind        `json:"source_kind"`
	SourceRef          *string           `json:"source_ref"`
	SourceRefOrigin    Origin            `json:"source_ref_origin"`
	Authoritativeness  float64           `json:"authoritativeness"`
	ContentRef         *string           `json:"content_ref"`
	ContentRevision    uint32            `json:"content_revision"`
	PayloadRef         *string           `json:"payload_ref"`
	PayloadState       PayloadState      `json:"payload_state"`
	PayloadBytes       uint64            `json:"payload_bytes"`
	CompactText        string            `json:"compact_text"`
	Text               *string           `json:"text,omitempty"`    // full text; absent with no_payload
	Context            *string           `json:"context,omitempty"` // surrounding text given at encode
	Payload            []byte            `json:"payload,omitempty"`
	Fingerprint        *Fingerprint      `json:"fingerprint"`
	Tier               Tier              `json:"tier"`
	TierReason         TierReason        `json:"tier_reason"`
	Salience           float64           `json:"salience"`
	SalienceCues       []CueReply        `json:"salience_cues"`
	Confidence         float64           `json:"confidence"`
	ConfidenceInterval Interval          `json:"confidence_interval"`
	Utility            float64           `json:"utility_estimate"`
	RecallCount        uint32            `json:"recall_count"`
	LastAccessAt       *string           `json:"last_access_at"`
	Retention          Retention         `json:"retention_class"`
	Decay              DecayReply        `json:"decay_state"`
	PolicyFlags        []PolicyFlag      `json:"policy_flags"`
	Lineage            []MemoryID        `json:"lineage"`
	Tags               []string          `json:"tags"`
	TagOrigins         map[string]Origin `json:"tag_origins"`
	EntityRefs         []RefView         `json:"entity_refs"`
	RelationRefs       []RefView         `json:"relation_refs"`
	Endpoints          []MemoryID        `json:"endpoints"`
	ConflictState      ConflictState     `json:"conflict_state"`
	ConflictRecordIDs  []MemoryID        `json:"conflict_record_ids"`
	SupersededBy       *MemoryID         `json:"superseded_by"`
	BeliefVersion      uint32            `json:"belief_version"`
	BeliefChainID      *MemoryID         `json:"belief_chain_id"`
	IsLandmark         bool              `json:"is_landmark"`
	LandmarkLabel      *string           `json:"landmark_label"`
	EraID              *MemoryID         `json:"era_id"`
	Corroborations     uint32            `json:"corroboration_count"`
	Reconsolidations   uint32            `json:"reconsolidation_count"`
	EngramID           *MemoryID         `json:"engram_id"`
	DistilledFrom      *MemoryID         `json:"distilled_from_engram"`
	Visibility         Visibility        `json:"visibility"`
	HasCausalParents   bool              `json:"has_causal_parents"`
	HasCausalChildren  bool              `json:"has_causal_children"`
	CompressedInto     *MemoryID         `json:"compressed_into"`
	Valence            *float64          `json:"encoding_valence"`
	Arousal            *float64          `json:"encoding_arousal"`
	EmotionOrigin      *Origin           `json:"emotion_origin"`
	Uncertainty        float64           `json:"uncertainty_score"`
	UncertaintyParts
	ObservationSource *ObservationSource   `json:"observation_source"`
	ObservationChunk  *string              `json:"observation_chunk_id"`
	Tool              *ToolRunIn           `json:"tool"`
	Lifecycle         Lifecycle            `json:"lifecycle_state"`
	RestabiliseTo     *Lifecycle           `json:"restabilise_to"`
	LabileUntil       *Tick                `json:"labile_until"`
	Charge            float64              `json:"charge"`
	Difficulty        float64              `json:"retrieval_difficulty"`
	DuplicateFamilyID *MemoryID            `json:"duplicate_family_id"`
	EffectiveStrength float64              `json:"effective_strength"`
	EncodeOutcome     OutcomeView          `json:"encode_outcome"`
	ArchivedReason    *ArchiveReason       `json:"archived_reason"`
	Tentative         bool                 `json:"tentative"`
	Redactions        map[string]Redaction `json:"redactions"` // by field; a redacted field is null
}

// Redaction says why a field is not shown, as distinct from absent (CTX-5). The handle is stable and tells nothing.
type Redaction struct {
	Handle string `json:"handle"`
	Reason string `json:"reason"`
}

// RefView is an entity or relation reference as shown.
type RefView struct {
	ID      *MemoryID `json:"id"`
	Mention string    `json:"mention"`
	Origin  Origin    `json:"origin"`
	Status  RefStatus `json:"status"`
}

// OutcomeView is what the write path found at encode.
type OutcomeView struct {
	EncodedTick       Tick           `json:"encoded_tick"`
	Route             DuplicateRoute `json:"route"`
	FamilyID          *MemoryID      `json:"family_id"`
	Inspected         uint32         `json:"candidates_inspected"`
	NearestSimilarity *float64       `json:"nearest_similarity"`
	Novelty           float64        `json:"novelty"`
	PatternSeparated  bool           `json:"pattern_separated"`
	Deferred          []DeferredLane `json:"deferred"`
}

// UncertaintyParts are the four inputs of uncertainty, each in [0,1] (CNF-4).
type UncertaintyParts struct {
	Corroboration   float64 `json:"corroboration_uncertainty"`
	Freshness       float64 `json:"freshness_uncertainty"`
	Contradiction   float64 `json:"contradiction_uncertainty"`
	MissingEvidence float64 `json:"missing_evidence_uncertainty"`
}

// Record is a content record opened: everything of one content version that must be erasable.
type Record struct {
	Salt        [16]byte
	Text        string // full text
	Context     string
	Fingerprint Fingerprint
	Embeddings  []Embedded // at most two: the active one, and the next while a namespace is being re-embedded
}

// Embedded is the vector of a text in its embedder's native form.
type Embedded struct {
	Embedder Symbol
	Vector   []byte // vectors.Embedding, serialised
}

// Resolver turns a symbol into its string; ok is false when it was erased.
type Resolver func(Symbol) (text string, ok bool)
