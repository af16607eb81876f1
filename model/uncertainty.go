package model

// The weights of uncertainty's parts, and what its interval and staleness are measured by.
const (
	uncertaintyCorroboration   = 0.25
	uncertaintyFreshness       = 0.20
	uncertaintyContradiction   = 0.30
	uncertaintyMissingEvidence = 0.25
	staleTicks                 = 20_000 // idle ticks at which freshness uncertainty is 1
	intervalHalf               = 0.15   // half width of the confidence interval at uncertainty 1
)

// UncertaintyInput is what uncertainty is worked out from.
type UncertaintyInput struct {
	Corroborations    uint32
	IdleTicks         uint64 // since the last access
	Conflict          ConflictState
	CausalLinks       uint32  // durable links, parents and children
	Authoritativeness float64 // [0,1]
}

// Parts returns the four parts, each in [0,1]. Pure. Source: CNF-4.
func (in UncertaintyInput) Parts() UncertaintyParts {
	return UncertaintyParts{
		Corroboration:   corroborationUncertainty(in.Corroborations),
		Freshness:       min(1, float64(in.IdleTicks)/staleTicks),
		Contradiction:   contradictionUncertainty(in.Conflict),
		MissingEvidence: (causalUncertainty(in.CausalLinks) + clamp01(1-in.Authoritativeness)) / 2,
	}
}

// Score returns 0.25*corroboration + 0.20*freshness + 0.30*contradiction + 0.25*missing evidence, in [0,1]. Pure.
// Source: CNF-4.
func (u UncertaintyParts) Score() float64 {
	return clamp01(uncertaintyCorroboration*u.Corroboration + uncertaintyFreshness*u.Freshness +
		uncertaintyContradiction*u.Contradiction + uncertaintyMissingEvidence*u.MissingEvidence)
}

// ConfidenceInterval returns confidence +- 0.15*uncertainty, clamped to [ConfidenceMin,ConfidenceMax]. Pure.
// Source: CNF-4.
func ConfidenceInterval(confidence, uncertainty float64) Interval {
	half := intervalHalf * uncertainty
	return Interval{Low: clampConfidence(confidence - half), High: clampConfidence(confidence + half)}
}

// Uncertainty returns the parts, the score and the confidence interval of a memory at tick t. The state keeps
// whether there are causal parents and children, so each side counts as one link.
func (m *Memory) Uncertainty(t Tick) (UncertaintyParts, float64, Interval) {
	links := uint32(0)
	for _, has := range []bool{m.CausalParents, m.CausalChildren} {
		if has {
			links++
		}
	}
	parts := UncertaintyInput{
		Corroborations:    m.CorroborationCount,
		IdleTicks:         t.Since(m.Decay.LastAccessedTick),
		Conflict:          m.Conflict,
		CausalLinks:       links,
		Authoritativeness: m.Authoritativeness,
	}.Parts()
	score := parts.Score()
	return parts, score, ConfidenceInterval(m.Confidence, score)
}

func corroborationUncertainty(count uint32) float64 {
	switch {
	case count == 0:
		return 1
	case count == 1:
		return 0.7
	case count == 2:
		return 0.5
	case count == 3:
		return 0.35
	case count <= 5:
		return 0.2
	case count <= 10:
		return 0.1
	}
	return 0.05
}

func contradictionUncertainty(s ConflictState) float64 {
	switch s {
	case ConflictOpen:
		return 1
	case ConflictResolved, ConflictSuperseded: // a supersession is a resolution too
		return 0.2
	case ConflictAuthoritativeOverride:
		return 0.05
	}
	return 0
}

func causalUncertainty(links uint32) float64 {
	switch {
	case links == 0:
		return 0.6
	case links == 1:
		return 0.3
	case links <= 3:
		return 0.15
	}
	return 0.05
}
