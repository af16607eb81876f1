package model

// EncodeReply says what became of an intake.
type EncodeReply struct {
	RequestID  string         `json:"request_id"`
	ID         MemoryID       `json:"id"` // "" when discarded
	Namespace  string         `json:"namespace"`
	Version    uint64         `json:"version"`
	Type       MemoryType     `json:"memory_type"`
	Kind       Kind           `json:"kind"`
	Tier       Tier           `json:"tier"`
	TierReason TierReason     `json:"tier_reason"`
	Lifecycle  Lifecycle      `json:"lifecycle_state"`
	Tick       Tick           `json:"tick"`
	Seq        uint64         `json:"seq"`
	Outcome    string         `json:"outcome"` // encoded or discarded
	Duplicate  DuplicateReply `json:"duplicate"`
	Salience   SalienceReply  `json:"salience"`
	Deferred   []DeferredLane `json:"deferred"`
	Repeated   bool           `json:"repeated"` // answered from the receipt of an earlier request
}

// Outcomes of an encode.
const (
	OutcomeEncoded   = "encoded"
	OutcomeDiscarded = "discarded"
)

// DuplicateReply is the duplicate lane's result (DUP-1, DUP-5).
type DuplicateReply struct {
	Route               DuplicateRoute `json:"route"`
	FamilyID            MemoryID       `json:"family_id"`
	CandidatesInspected uint32         `json:"candidates_inspected"`
	NearestSimilarity   *float64       `json:"nearest_similarity"` // null when nothing was inspected
	Novelty             float64        `json:"novelty"`
	PatternSeparated    bool           `json:"pattern_separated"`
}

// SalienceReply is the initial salience with the cues that sum to it (UTL-4).
type SalienceReply struct {
	Value float64    `json:"value"`
	Cues  []CueReply `json:"cues"`
}

// CueReply is one cue; value*weight is its share.
type CueReply struct {
	Name   CueName `json:"name"`
	Value  float64 `json:"value"`
	Weight float64 `json:"weight"`
	Origin Origin  `json:"origin"`
}

// DeferredLane names work that a write left for later, and why (DUP-4).
type DeferredLane struct {
	Lane   string `json:"lane"`
	Reason string `json:"reason"`
}

// DecayReply is decay_state with the inputs that a reader needs to check it (DET-1).
type DecayReply struct {
	BaseStrength     float64 `json:"base_strength"`
	Stability        float64 `json:"stability"`
	LastAccessedTick Tick    `json:"last_accessed_tick"`
	BypassDecay      bool    `json:"bypass_decay"`
	CurrentTick      Tick    `json:"current_tick"`
	DeltaTicks       uint64  `json:"delta_ticks"`
	Persisted        bool    `json:"decay_persisted"` // this request stored the decay
}

// Interval is a confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// ProvenanceReply says where a memory came from.
type ProvenanceReply struct {
	SourceKind SourceKind `json:"source_kind"`
	SourceRef  *string    `json:"source_ref"`
	Lineage    []MemoryID `json:"lineage"`
}

// ConflictReply is the contradiction state of a result.
type ConflictReply struct {
	State        ConflictState `json:"state"`
	RecordIDs    []MemoryID    `json:"record_ids"`
	Alternatives []MemoryID    `json:"alternatives"`
}

// RecallReply is the answer to a recall.
type RecallReply struct {
	RequestID string         `json:"request_id"`
	Namespace string         `json:"namespace"`
	Tick      Tick           `json:"tick"`
	Seq       uint64         `json:"seq"` // commit whose state the answer shows
	Abstained bool           `json:"abstained"`
	Results   []RecallResult `json:"results"`
	Omitted   map[string]int `json:"omitted"` // by reason; never counts what policy hides
	Nearest   []RecallResult `json:"nearest"` // when abstained
	Repeated  bool           `json:"repeated"`
	Notes     []string       `json:"notes"` // what the answer lacks, such as the vector arm under another embedder
	Trace     *RecallTrace   `json:"trace,omitempty"`
}

// RecallResult is one memory of a recall, with why it is there.
type RecallResult struct {
	ID                 MemoryID           `json:"id"`
	Namespace          string             `json:"namespace"`
	Type               MemoryType         `json:"memory_type"`
	Kind               Kind               `json:"kind"`
	CompactText        string             `json:"compact_text"`
	Text               *string            `json:"text,omitempty"` // with detail full
	Score              float64            `json:"score"`
	Parts              map[string]float64 `json:"parts"` // sum to score
	Lane               Lane               `json:"lane"`
	Tier               Tier               `json:"tier"`
	ServedFrom         string             `json:"served_from"`
	Lifecycle          Lifecycle          `json:"lifecycle_state"`
	Visibility         Visibility         `json:"visibility"`
	Confidence         float64            `json:"confidence"`
	ConfidenceInterval Interval           `json:"confidence_interval"`
	Uncertainty        float64            `json:"uncertainty_score"`
	Authoritativeness  float64            `json:"authoritativeness"`
	Salience           float64            `json:"salience"`
	Utility            float64            `json:"utility_estimate"`
	RecallCount        uint32             `json:"recall_count"`
	EffectiveStrength  float64            `json:"effective_strength"`
	Decay              DecayReply         `json:"decay_state"`
	SupersededBy       *MemoryID          `json:"superseded_by"`
	PayloadState       PayloadState       `json:"payload_state"`
	Conflict           ConflictReply      `json:"conflict"`
	Freshness          []string           `json:"freshness"`
	Tentative          bool               `json:"tentative"` // a hypothesis
	Tags               []string           `json:"tags"`
	SessionID          *string            `json:"session_id"`
	CreatedAt          string             `json:"created_at"`
	OccurredAt         *string            `json:"occurred_at"`
	Provenance         ProvenanceReply    `json:"provenance"`
}

// RecallTrace is how a recall came about: what each stage took in and let through.
type RecallTrace struct {
	Query   QueryTrace   `json:"query"`
	Stages  []StageTrace `json:"stages"`
	Dropped []DropTrace  `json:"dropped"`
}

// QueryTrace is how the query was read.
type QueryTrace struct {
	Terms    []TermTrace `json:"terms"` // none for a query of stop words: the vector arm answers alone
	Entities []string    `json:"entities"`
	Embedder string      `json:"embedder"`
	Note     string      `json:"note"`
}

// TermTrace is one term of the query with its document frequency, which only the operator is told (GOV-2).
type TermTrace struct {
	Term  string `json:"term"`
	DF    uint32 `json:"df"`
	Query int    `json:"count"`
}

// StageTrace counts one stage.
type StageTrace struct {
	Name  string `json:"name"`
	In    int    `json:"in"`
	Out   int    `json:"out"`
	Bound int    `json:"bound"` // 0 is none
}

// DropTrace names a candidate that is not among the results and why.
type DropTrace struct {
	ID     MemoryID           `json:"id"`
	Stage  DropStage          `json:"stage"`
	Reason string             `json:"reason"`
	Rank   int                `json:"rank,omitempty"` // from 1, when it was ranked
	Score  float64            `json:"score,omitempty"`
	Parts  map[string]float64 `json:"parts,omitempty"`
}

// MutationReply answers update, reinforce, pin, unpin, forget, restore.
type MutationReply struct {
	RequestID string     `json:"request_id"`
	ID        MemoryID   `json:"id"`
	Namespace string     `json:"namespace"`
	Version   uint64     `json:"version"`
	Changed   []string   `json:"changed"` // field names
	Lifecycle Lifecycle  `json:"lifecycle_state"`
	Route     string     `json:"route"` // reconsolidated, reopened_and_revised, amended, reinforced, pinned, unpinned, archived, restored
	Effective float64    `json:"effective_strength"`
	Decay     DecayReply `json:"decay_state"`
	Tick      Tick       `json:"tick"`
	Seq       uint64     `json:"seq"`
	Repeated  bool       `json:"repeated"`
}

// ListReply is one page of memories.
type ListReply struct {
	Memories []View  `json:"memories"`
	Next     *string `json:"next"` // cursor of the next page, null at the end
}

// HistoryReply is every fact of one memory, oldest first.
type HistoryReply struct {
	ID    MemoryID      `json:"id"`
	Facts []HistoryFact `json:"facts"`
}

// HistoryFact is one fact as people read it.
type HistoryFact struct {
	Seq       uint64         `json:"seq"`
	Version   uint64         `json:"version"`
	Type      string         `json:"type"` // stored name
	Tick      Tick           `json:"tick"`
	At        string         `json:"at"`
	AgentID   *string        `json:"agent_id"`
	CommandID string         `json:"command_id"` // keyed digest of the request id, hex
	Cause     string         `json:"cause"`      // door and verb
	Changes   map[string]any `json:"changes"`
}

// ExplainReply is recall's document with every stage, or one memory with its provenance and decay.
type ExplainReply struct {
	Request *RecallReply   `json:"recall"`
	Memory  *View          `json:"memory"`
	History []HistoryFact  `json:"history"`
	Stages  []StageTrace   `json:"stages"`
	Results []RecallResult `json:"results"`
	Dropped []DropTrace    `json:"dropped"`
	Omitted map[string]int `json:"omitted"`
	WhyNot  *DropTrace     `json:"why_not"`
	Query   *QueryTrace    `json:"query"`
}

// ImportReply sums up an import.
type ImportReply struct {
	Format     string         `json:"format"`
	DryRun     bool           `json:"dry_run"`
	Read       int            `json:"read"`
	Created    int            `json:"created"`
	Skipped    int            `json:"skipped"`
	Namespaces map[string]int `json:"namespaces"`
	Tick       Tick           `json:"tick"`
	Seq        uint64         `json:"seq"`
}
