package model

import "time"

// Caller says who asks. The door binds it; a request can never change it (CTX-3).
type Caller struct {
	Agent     string // "" is the local operator
	Operator  bool   // may see private memories of every agent: the operator of the data directory
	Door      SourceKind
	Session   string
	Task      string
	Workspace string
	Handle    string // the door's own reference for this call; a source_ref when the caller gives none
}

// EncodeRequest asks to remember one thing. Pointers and zero values mean "not given".
type EncodeRequest struct {
	Namespace         string         `json:"namespace"`
	RequestID         string         `json:"request_id,omitempty"`  // at most 128 bytes; a retry with the same id is answered, not repeated
	Type              MemoryType     `json:"memory_type,omitempty"` // event when not given
	Kind              Kind           `json:"kind,omitempty"`        // follows from the type when not given
	Text              string         `json:"text"`                  // valid UTF-8, not blank, at most TextBytesMax
	Context           string         `json:"context,omitempty"`     // what surrounds it; embedded and indexed with it, at most ContextBytesMax
	Tags              []string       `json:"tags,omitempty"`        // at most TagsMax of LabelBytesMax
	SourceKind        SourceKind     `json:"source_kind,omitempty"` // must be the door's own path or observe
	SourceRef         string         `json:"source_ref,omitempty"`
	AgentID           string         `json:"agent_id,omitempty"` // only the caller's own is accepted
	SessionID         string         `json:"session_id,omitempty"`
	TaskID            string         `json:"task_id,omitempty"`
	WorkspaceID       string         `json:"workspace_id,omitempty"`
	OccurredAt        *time.Time     `json:"occurred_at,omitempty"`
	Authoritativeness *float64       `json:"authoritativeness,omitempty"` // [0,1]
	Attention         *float64       `json:"attention,omitempty"`         // [0,1]
	TaskRelevance     *float64       `json:"task_relevance,omitempty"`    // [0,1]
	Valence           *float64       `json:"encoding_valence,omitempty"`  // [-1,1]
	Arousal           *float64       `json:"encoding_arousal,omitempty"`  // [0,1]
	BypassDecay       bool           `json:"bypass_decay,omitempty"`
	Retention         Retention      `json:"retention_class,omitempty"`
	Visibility        Visibility     `json:"visibility,omitempty"`
	PolicyFlags       []PolicyFlag   `json:"policy_flags,omitempty"`
	Entities          []string       `json:"entities,omitempty"`  // mentions; candidates until resolved
	Goals             []MemoryID     `json:"goals,omitempty"`     // goal memories that this serves
	Payload           []byte         `json:"payload,omitempty"`   // at most PayloadBytesMax
	Lineage           []MemoryID     `json:"lineage,omitempty"`   // parents, in this namespace
	Endpoints         []MemoryID     `json:"endpoints,omitempty"` // of a relation, sides of a conflict_record
	Observation       *ObservationIn `json:"observation,omitempty"`
	Tool              *ToolRunIn     `json:"tool,omitempty"`
}

// ObservationIn gives the typed fields of an observation.
type ObservationIn struct {
	Source ObservationSource `json:"observation_source,omitempty"`
	Chunk  string            `json:"observation_chunk_id,omitempty"`
}

// ToolRunIn gives the typed fields of a tool_outcome; Tool and Outcome are required.
type ToolRunIn struct {
	Tool         string              `json:"tool"`
	ExecutionRef string              `json:"execution_ref,omitempty"`
	Context      string              `json:"execution_context,omitempty"`
	Outcome      ToolOutcomeCategory `json:"outcome"`
}

// Filter narrows recall and list; the empty filter matches all that is visible and active. Within one field
// any value matches, across fields all must.
type Filter struct {
	Types         []MemoryType    `json:"types,omitempty"`
	Kinds         []Kind          `json:"kinds,omitempty"`
	Lifecycles    []Lifecycle     `json:"lifecycle_states,omitempty"`
	Tiers         []Tier          `json:"tiers,omitempty"`
	Visibilities  []Visibility    `json:"visibilities,omitempty"`
	Retentions    []Retention     `json:"retention_classes,omitempty"`
	PolicyFlags   []PolicyFlag    `json:"policy_flags,omitempty"`
	SourceKinds   []SourceKind    `json:"source_kinds,omitempty"`
	Conflicts     []ConflictState `json:"conflict_states,omitempty"`
	Tags          []string        `json:"tags,omitempty"`
	Sessions      []string        `json:"session_ids,omitempty"`
	Tasks         []string        `json:"task_ids,omitempty"`
	Workspaces    []string        `json:"workspace_ids,omitempty"`
	Agents        []string        `json:"agent_ids,omitempty"`
	SourceRefs    []string        `json:"source_refs,omitempty"`
	Entities      []string        `json:"entities,omitempty"`
	Families      []MemoryID      `json:"duplicate_families,omitempty"`
	Eras          []MemoryID      `json:"era_ids,omitempty"`
	Since         *time.Time      `json:"since,omitempty"`          // occurred_at, else created_at; inclusive
	Until         *time.Time      `json:"until,omitempty"`          // exclusive
	SinceTick     *Tick           `json:"since_tick,omitempty"`     // encoded at or after
	UntilTick     *Tick           `json:"until_tick,omitempty"`     // encoded before
	MinStrength   *float64        `json:"min_strength,omitempty"`   // [0,1], effective
	MinConfidence *float64        `json:"min_confidence,omitempty"` // [0,1]
	Include       []Lifecycle     `json:"include,omitempty"`        // Archived, Superseded: also those; they are never strengthened
}

// RecallRequest asks what is remembered.
type RecallRequest struct {
	Namespace   string `json:"namespace"`
	RequestID   string `json:"request_id,omitempty"`
	Query       string `json:"query"`                  // at most QueryBytesMax
	Limit       int    `json:"limit,omitempty"`        // 1 to LimitMax; DefaultLimit when 0
	TokenBudget int    `json:"token_budget,omitempty"` // of the rendered results; 0 is none
	Detail      Detail `json:"detail,omitempty"`
	Filter      Filter `json:"filter,omitzero"`
	NoReinforce bool   `json:"no_reinforce,omitempty"`
	Explain     bool   `json:"explain,omitempty"`
}

// UpdateRequest changes one memory in place; nil means "leave it".
type UpdateRequest struct {
	Namespace   string        `json:"namespace"`
	RequestID   string        `json:"request_id,omitempty"`
	ID          MemoryID      `json:"id"`
	IfRevision  uint64        `json:"if_revision,omitempty"` // expected version; 0 is any
	Text        *string       `json:"text,omitempty"`
	Type        MemoryType    `json:"memory_type,omitempty"`
	Kind        Kind          `json:"kind,omitempty"`
	Tags        *[]string     `json:"tags,omitempty"`
	Retention   Retention     `json:"retention_class,omitempty"`
	PolicyFlags *[]PolicyFlag `json:"policy_flags,omitempty"`
}

// MemoryRequest names one memory for reinforce, pin, unpin, forget, restore, inspect, history.
type MemoryRequest struct {
	Namespace  string   `json:"namespace"`
	RequestID  string   `json:"request_id,omitempty"`
	ID         MemoryID `json:"id"`
	IfRevision uint64   `json:"if_revision,omitempty"`
	NoPayload  bool     `json:"no_payload,omitempty"`
}

// ListRequest pages through memories in order of creation, or of what they tell of for a timeline.
type ListRequest struct {
	Namespace string `json:"namespace"`
	Filter    Filter `json:"filter,omitzero"`
	Limit     int    `json:"limit,omitempty"`
	Cursor    string `json:"cursor,omitempty"` // from the reply before
	Timeline  bool   `json:"timeline,omitempty"`
}

// ExplainRequest asks why: for a query as it would be answered now, for a past request, or for one memory.
type ExplainRequest struct {
	Recall  RecallRequest `json:"recall"`
	Request string        `json:"request,omitempty"` // a past request id
	ID      MemoryID      `json:"id,omitzero"`       // one memory on its own, without a query
	WhyNot  MemoryID      `json:"why_not,omitzero"`
}
