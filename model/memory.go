package model

// Memory is the state of one memory: the fold of its facts. A *Memory is immutable once Apply returned it, so
// actors, projections and readers share it freely. Field names follow the seed's tables.
type Memory struct {
	ID      MemoryID
	Type    MemoryType
	Kind    Kind
	KindOf  Origin // OriginDerived when the kind followed from the type (KIND-6)
	Version uint64 // from 1; +1 per accepted mutation (VER-1)

	CreatedAt    Millis // never changes (VER-3)
	UpdatedAt    Millis
	OccurredAt   Millis // when what it tells of happened, as the source said; 0 when unknown
	LastAccessAt Millis // last surfaced reuse; audit only (UTL-2)
	EncodedTick  Tick

	Content         ContentRef
	ContentRevision uint32 // from 1; +1 per new text
	Payload         PayloadRef

	SourceKind        SourceKind
	SourceRef         Symbol
	SourceRefOf       Origin
	Authoritativeness float64 // [0,1], source trust (PRV-2)
	Lineage           []MemoryID

	Agent     Bound
	Session   Bound
	Task      Bound
	Workspace Bound

	Tier       Tier
	TierReason TierReason

	Salience   float64 // [0,1]
	Cues       []Cue
	Confidence float64 // [0.1,1]
	Utility    float64 // [0,1]

	RecallCount          uint32
	CorroborationCount   uint32
	ReconsolidationCount uint32

	Retention     Retention
	RetentionWas  Retention // the class before a pin; 0 when not pinned by command
	Visibility    Visibility
	PolicyFlags   PolicyFlags
	Decay         DecayState
	Lifecycle     Lifecycle // as last written; read it through LifecycleAt
	RestabiliseTo Lifecycle // the stable state an expired window leads to
	LabileUntil   Tick      // half-open: labile while tick < LabileUntil
	ArchivedFrom  Lifecycle // state to restore to; 0 unless archived
	ArchivedFor   ArchiveReason

	Tags      []Tag
	Entities  []Ref
	Relations []Ref
	Endpoints []MemoryID // of a relation; the sides of a conflict_record

	Valence       float64 // [-1,1], valid when EmotionOf != 0
	Arousal       float64 // [0,1], valid when EmotionOf != 0; never changes
	EmotionOf     Origin
	Charge        float64 // starts as Arousal
	Difficulty    float64 // retrieval difficulty, [0,0.5]
	Observation   Observation
	Tool          ToolRun
	Outcome       EncodeOutcome
	DuplicateOf   MemoryID // duplicate family; zero when it stands alone
	Conflict      ConflictState
	ConflictIDs   []MemoryID
	SupersededBy  MemoryID
	BeliefChain   MemoryID
	BeliefVersion uint32

	Landmark       bool
	LandmarkLabel  Symbol
	Era            MemoryID
	Engram         MemoryID
	DistilledFrom  MemoryID
	CompressedTo   MemoryID
	CausalParents  bool
	CausalChildren bool
}

// ContentRef names the content record of the current text and authenticates it.
type ContentRef struct {
	Number    ContentNumber
	Digest    [16]byte // keyed with a salt that lies in the record itself, so erasing the record kills the digest
	TextBytes uint64   // of the full text
	OutOfLine bool     // the text is over InlineBytesMax and is served as a payload (NRM-6)
}

// PayloadRef names a detachable payload.
type PayloadRef struct {
	Number ContentNumber
	State  PayloadState
	Bytes  uint64
	Digest [16]byte
}

// Bound is a context id with how it came to be bound (CTX-4).
type Bound struct {
	Symbol Symbol
	Origin Origin
}

// Tag is an advisory label with its origin (LNK-1).
type Tag struct {
	Symbol Symbol
	Origin Origin
}

// Ref is an entity or relation reference (ENT-4).
type Ref struct {
	ID      MemoryID // zero while unresolved
	Mention Symbol
	Origin  Origin
	Status  RefStatus
}

// Cue is one input of initial salience.
type Cue struct {
	Name   CueName
	Value  float64 // [0,1]
	Weight float64
	Origin Origin
}

// DecayState holds the parameters of lazy decay (DEC-1).
type DecayState struct {
	BaseStrength     float64 // [0,MaxStrength]
	Stability        float64 // ticks, > 0
	LastAccessedTick Tick
	Bypass           BypassCause // 0: decays
}

// Observation holds what a passive observation brings (NRM-3).
type Observation struct {
	Source ObservationSource
	Chunk  Symbol
}

// ToolRun holds the typed fields of a tool_outcome (NRM-4).
type ToolRun struct {
	Tool         Symbol
	ExecutionRef Symbol
	Context      Symbol
	Category     ToolOutcomeCategory
}

// EncodeOutcome is what the write path found, kept with the memory (TAG-3).
type EncodeOutcome struct {
	Route             DuplicateRoute
	Family            MemoryID
	Inspected         uint32
	NearestSimilarity float64 // [-1,1]; meaningless while Inspected is 0
	Novelty           float64 // [0,1]
	PatternSeparated  bool
}

// PolicyFlags is a set of PolicyFlag values as bits.
type PolicyFlags uint64

// Has reports whether f is set.
func (p PolicyFlags) Has(f PolicyFlag) bool { return p&(1<<f) != 0 }

// With returns the set with f added.
func (p PolicyFlags) With(f PolicyFlag) PolicyFlags { return p | 1<<f }

// List returns the flags in order of value.
func (p PolicyFlags) List() []PolicyFlag {
	list := []PolicyFlag{}
	for i := range policyFlagLabels.names {
		if i > 0 && p.Has(PolicyFlag(i)) {
			list = append(list, PolicyFlag(i))
		}
	}
	return list
}
