package model

import (
	"errors"
	"fmt"
)

// MemoryInvariants returns every law that a memory's state breaks, joined; nil when it keeps them all. Property tests
// and audit verify use it. Pure.
//
//	M1 id, type, kind, source_kind, tier, visibility, retention, lifecycle are set and known
//	M2 version >= 1; 0 < content revision <= version
//	M3 created_at <= updated_at
//	M4 every number lies in its range
//	M5 a Labile memory knows the stable state that it returns to; no other has a window
//	M6 an Archived memory knows the state to restore; no other does
//	M7 provenance: a source_ref or lineage
func MemoryInvariants(m *Memory) error {
	var broken []error
	law := func(holds bool, format string, args ...any) {
		if !holds {
			broken = append(broken, fmt.Errorf(format, args...))
		}
	}
	law(!m.ID.Zero(), "M1: no id")
	for _, label := range []string{
		m.Type.String(), m.Kind.String(), m.SourceKind.String(), m.Tier.String(),
		m.Visibility.String(), m.Retention.String(), m.Lifecycle.String(),
	} {
		law(label != "", "M1: an unknown or missing label")
	}
	law(m.Version >= 1, "M2: version %d", m.Version)
	law(m.ContentRevision >= 1 && uint64(m.ContentRevision) <= m.Version, "M2: content revision %d at version %d", m.ContentRevision, m.Version)
	law(m.CreatedAt <= m.UpdatedAt, "M3: created %d after updated %d", m.CreatedAt, m.UpdatedAt)
	broken = append(broken, m.numberFaults()...)
	stable := m.RestabiliseTo == SynapticDone || m.RestabiliseTo == Consolidated
	law((m.Lifecycle == Labile) == stable, "M5: %s returns to %q", m.Lifecycle, m.RestabiliseTo)
	law(m.Lifecycle == Labile || m.LabileUntil == 0, "M5: %s with a window until %d", m.Lifecycle, m.LabileUntil)
	law((m.Lifecycle == Archived) == (m.ArchivedFrom != 0), "M6: %s archived from %q", m.Lifecycle, m.ArchivedFrom)
	law(m.SourceRef != 0 || len(m.Lineage) > 0, "M7: neither source_ref nor lineage")
	return errors.Join(broken...)
}

func (m *Memory) numberFaults() []error {
	var broken []error
	for _, n := range []struct {
		field           string
		value, low, top float64
	}{
		{"base_strength", m.Decay.BaseStrength, 0, 1},
		{"stability", m.Decay.Stability, 1, ticksMax},
		{"salience", m.Salience, 0, 1},
		{"confidence", m.Confidence, ConfidenceMin, ConfidenceMax},
		{"utility_estimate", m.Utility, 0, 1},
		{"authoritativeness", m.Authoritativeness, 0, 1},
		{"encoding_valence", m.Valence, -1, 1},
		{"encoding_arousal", m.Arousal, 0, 1},
		{"charge", m.Charge, 0, 1},
		{"retrieval_difficulty", m.Difficulty, 0, 0.5},
		{"novelty", m.Outcome.Novelty, 0, 1},
	} {
		if err := number(n.field, n.value, n.low, n.top); err != nil {
			broken = append(broken, fmt.Errorf("M4: %w", err))
		}
	}
	return broken
}
