package model

// Moment is when a command is decided: the interaction tick that it will carry, and the wall time for the audit.
type Moment struct {
	Tick Tick
	Now  Millis
}

// Viewer is a caller as the policy sees it: its agent as a symbol of the namespace.
type Viewer struct {
	Agent    Symbol // 0 is nobody in particular
	Operator bool   // sees private memories of every agent
}

// Command asks one memory to change. Decide answers with the facts that record it, or refuses.
type Command interface{ command() }

// Commands on an existing memory.
type (
	// Reinforce is the recall mutation, caused by a recall or by the explicit command.
	Reinforce struct {
		Cause     RecallCause
		TaskMatch bool // the caller's task or goal is the memory's own
	}
	// Revise changes content or metadata; zero and nil mean "leave it".
	Revise struct {
		Type        MemoryType
		Kind        Kind
		Retention   Retention
		PolicyFlags *PolicyFlags
		Tags        *[]Tag
		Content     *NewContent
	}
	// Pin holds a memory against forgetting.
	Pin struct{}
	// Unpin returns it to the class it had.
	Unpin struct{}
	// Archive takes it out of default recall; a Labile memory's window is closed first, in the same commit.
	Archive struct{ Reason ArchiveReason }
	// Restore brings an archived memory back.
	Restore struct{}
)

// NewContent is a new text's content record and payload, already numbered.
type NewContent struct {
	Content ContentRef
	Payload PayloadRef // State 0 leaves the payload as it is
}

// Encode makes a new memory. Normalise builds it, with every string replaced by its symbol.
type Encode struct {
	ID       MemoryID
	Draft    Memory   // what normalisation fixes: type, kind, context, provenance, tags, refs, emotion, retention, ...
	Cues     CueInput // what salience is made of, but for novelty
	Bypass   bool     // asked for explicitly
	Findings Findings
}

// CueInput holds the cue values of an intake with their origins.
type CueInput struct {
	Attention       float64
	AttentionOf     Origin
	TaskRelevance   float64
	TaskRelevanceOf Origin
}

// Findings are what the shortlist search found before the encode was decided.
type Findings struct {
	Inspected         uint32
	NearestSimilarity float64
	Family            MemoryID // duplicate family to join; zero to stand alone
	PatternSeparated  bool
}

func (Reinforce) command() {}
func (Revise) command()    {}
func (Pin) command()       {}
func (Unpin) command()     {}
func (Archive) command()   {}
func (Restore) command()   {}
