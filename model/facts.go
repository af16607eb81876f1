package model

// Fact is what one stream records. Facts of a memory move its version on by exactly one; facts of a brain
// order the life of its namespace. Types below are the only ones; the codec gives each a stored name.
type Fact interface{ fact() }

// Facts of a memory.
type (
	// MemoryEncoded starts a memory; Memory is its whole first state.
	MemoryEncoded struct{ Memory Memory }

	// MemoryRecalled is the one recall mutation (RCL-2): decay persisted, then reinforced, then reopened.
	MemoryRecalled struct {
		Cause         RecallCause
		At            Millis
		Tick          Tick    // the new decay anchor
		DeltaTicks    uint64  // ticks since the anchor before
		Decayed       float64 // effective strength at Tick, before reinforcement (DEC-5)
		BaseStrength  float64
		Stability     float64
		RecallCount   uint32
		Utility       float64
		Lifecycle     Lifecycle
		RestabiliseTo Lifecycle
		LabileUntil   Tick
	}

	// MemoryRevised is an accepted update of content or metadata; nil and zero mean "unchanged".
	MemoryRevised struct {
		At          Millis
		Tick        Tick
		Type        MemoryType
		Kind        Kind
		KindOf      Origin
		Retention   Retention
		PolicyFlags *PolicyFlags
		Tags        *[]Tag
		Decay       *DecayState // when a change of kind sets or lifts a bypass; decay is persisted with it
		Content     *ContentRevised
	}

	// MemoryPinned and MemoryUnpinned change the retention class by command.
	MemoryPinned struct {
		At   Millis
		Tick Tick
		Was  Retention
	}
	// MemoryUnpinned returns a memory to the class that it had before.
	MemoryUnpinned struct {
		At        Millis
		Tick      Tick
		Retention Retention
	}

	// LabileWindowClosed ends a window early, so that a transition that a Labile memory may not make can follow.
	LabileWindowClosed struct {
		At        Millis
		Tick      Tick
		Lifecycle Lifecycle
	}

	// MemoryArchived takes a memory out of default recall; the decay inputs justify it (DET-4).
	MemoryArchived struct {
		At         Millis
		Tick       Tick
		From       Lifecycle
		Reason     ArchiveReason
		Effective  float64
		DeltaTicks uint64
	}

	// MemoryRestored brings an archived memory back to the state it had.
	MemoryRestored struct {
		At   Millis
		Tick Tick
		To   Lifecycle
	}
)

// ContentRevised is the part of MemoryRevised that an accepted new text brings.
type ContentRevised struct {
	Content              ContentRef
	Payload              PayloadRef
	Reconsolidated       bool // inside the labile window; else reopened and revised in one step
	DeltaTicks           uint64
	Decayed              float64
	BaseStrength         float64
	ReconsolidationCount uint32
	Confidence           float64
	Lifecycle            Lifecycle
	RestabiliseTo        Lifecycle
	LabileUntil          Tick
}

// Facts of a brain (a namespace).
type (
	// NamespaceCreated is the first fact of a namespace.
	NamespaceCreated struct {
		Params   Params
		Embedder EmbedderRef
	}
	// ParamsChanged replaces the parameters from this commit on.
	ParamsChanged struct{ Params Params }

	// EmbedderChanged switches the namespace to another embedder after every live content was embedded anew.
	EmbedderChanged struct{ Embedder EmbedderRef }

	// ImportStarted reserves a range of content numbers that an import stages before its one commit; an import
	// that never commits is aborted at the next open and its range swept.
	ImportStarted struct {
		First ContentNumber
		Last  ContentNumber
		At    Millis
	}
	// ImportAborted ends an import that did not commit.
	ImportAborted struct{ At Millis }

	// RequestAccepted is the receipt of an acknowledged request, the first fact of its commit. A retry
	// rebuilds its answer from it.
	RequestAccepted struct {
		Verb       Verb
		BodyDigest [16]byte // keyed
		ReadSeq    uint64   // commit up to which the request's view reached
		Tick       Tick
		At         Millis
		Memories   []MemoryID // written or returned, in order
		Recall     *RecallReceipt
		Import     *ImportReceipt
		Discarded  *DiscardReceipt
	}

	// RequestRefused is the audit trace of a policy denial or an illegal transition on an existing memory;
	// repeats by one caller are counted, not repeated.
	RequestRefused struct {
		Verb   Verb
		Family FailureFamily
		Memory MemoryID
		From   Lifecycle // of an illegal transition
		To     Lifecycle
		Flag   PolicyFlag // that forbade it, 0 when none
		Count  uint32
		At     Millis
	}
)

// EmbedderRef names an embedder in a form that may stand in a fact.
type EmbedderRef struct {
	ID   Symbol // its id, interned
	Dim  uint32 // components
	Form uint8  // vectors.Form: the native form of its vectors
}

// RecallReceipt holds what a recall answered.
type RecallReceipt struct {
	Items     []RecallReceiptItem
	Omitted   []OmittedCount
	Abstained bool
}

// RecallReceiptItem is one returned memory with the parts of its score at that time.
type RecallReceiptItem struct {
	Memory  MemoryID
	Content ContentNumber
	Score   float64
	Parts   []ScorePart
	Lane    Lane
	Version uint64 // before the recall
}

// ScorePart is one named summand of a score.
type ScorePart struct {
	Name  PartName
	Value float64
}

// OmittedCount counts what was left out for one reason.
type OmittedCount struct {
	Reason OmitReason
	Count  uint32
}

// ImportReceipt sums up an import.
type ImportReceipt struct {
	Read    uint32
	Created uint32
	Skipped uint32
}

// DiscardReceipt records an intake that attention did not admit; no memory was made.
type DiscardReceipt struct {
	Attention float64
	Threshold float64
}

func (MemoryEncoded) fact()      {}
func (MemoryRecalled) fact()     {}
func (MemoryRevised) fact()      {}
func (MemoryPinned) fact()       {}
func (MemoryUnpinned) fact()     {}
func (LabileWindowClosed) fact() {}
func (MemoryArchived) fact()     {}
func (MemoryRestored) fact()     {}
func (NamespaceCreated) fact()   {}
func (ParamsChanged) fact()      {}
func (EmbedderChanged) fact()    {}
func (ImportStarted) fact()      {}
func (ImportAborted) fact()      {}
func (RequestAccepted) fact()    {}
func (RequestRefused) fact()     {}
