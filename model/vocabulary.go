package model

// Every enum starts at 1; 0 is "not set". Values are stored: append, never renumber. The types, constants and
// text forms are generated from the table in internal/vocabgen.
//go:generate go run ../internal/vocabgen

// KindOf returns the kind that follows from a type when none is stated (KIND-6). 0 gives 0.
func KindOf(t MemoryType) Kind {
	switch t {
	case 0:
		return 0
	case TypeEvent, TypeEpisode, TypeObservation, TypeToolOutcome, TypeSessionMarker, TypeConflictRecord:
		return Episodic
	case TypeSkill:
		return Procedural
	default:
		return Semantic
	}
}

// RetentionOf returns the retention class that follows from a type when none is stated. 0 gives 0.
func RetentionOf(t MemoryType) Retention {
	switch t {
	case 0:
		return 0
	case TypeUserPreference, TypeConstraint, TypePolicyArtifact:
		return RetainDurable
	case TypeObservation:
		return RetainVolatile
	default:
		return RetainNormal
	}
}
