package model

import "math"

// InitialStrength returns the base strength of a new memory:
//
//	min(MaxStrength, clamp01(BaseStrength * (1+NoveltyBoost*novelty) * (1+AttentionBoost*attention) * (1+ArousalBoost*arousal*|valence|)))
//
// novelty, attention and arousal are in [0,1], valence in [-1,1]. Pure. Source: numbers.md, Strength.
func InitialStrength(p StrengthParams, novelty, attention, arousal, valence float64) float64 {
	s := p.BaseStrength * (1 + p.NoveltyBoost*novelty) * (1 + p.AttentionBoost*attention) * (1 + p.ArousalBoost*arousal*math.Abs(valence))
	return min(p.MaxStrength, clamp01(s))
}

// InitialStability returns the stability of a new memory of a kind, in ticks: BaseStability, times
// SemanticStability or SchemaStability for those kinds, at most MaxStability. Pure. Source: KIND-4.
func InitialStability(p StrengthParams, k Kind) float64 {
	s := p.BaseStability
	switch k {
	case Semantic:
		s *= p.SemanticStability
	case Schema:
		s *= p.SchemaStability
	}
	return min(s, p.MaxStability)
}

// Strengthened returns the base strength after long-term potentiation of a strength whose decay was persisted:
// min(MaxStrength, decayed + LTPDelta). Pure. Source: STR-1.
func Strengthened(p StrengthParams, decayed float64) float64 {
	return min(p.MaxStrength, decayed+p.LTPDelta)
}

// Stabilised returns the stability after a recall, in ticks:
//
//	min(MaxStability, stability + StabilityIncrement*share*stability)
//
// share is 1, or with Spacing the share forgotten since the anchor, 1 - decayed/base, at least SpacingFloor, so
// that massed recalls do not reach the ceiling. Pure. Source: STR-2, numbers.md "spacing".
func Stabilised(p StrengthParams, stability, base, decayed float64) float64 {
	share := 1.0
	if p.Spacing && base > 0 {
		share = clamp(1-decayed/base, p.SpacingFloor, 1)
	}
	return min(p.MaxStability, stability+p.StabilityIncrement*share*stability)
}

// bypassOf returns why a new memory does not decay, 0 when it does. An explicit wish outranks the kind and the
// kind outranks emotion, because only a bypass that emotion set is ever lifted by maintenance.
func bypassOf(e EncodeParams, explicit bool, k Kind, arousal, valence float64) BypassCause {
	switch {
	case explicit:
		return BypassExplicit
	case k == Procedural:
		return BypassKind
	case arousal > e.BypassArousal && math.Abs(valence) > e.BypassValence:
		return BypassEmotion
	}
	return 0
}

func clamp01(x float64) float64 { return clamp(x, 0, 1) }

func clamp(x, low, high float64) float64 { return min(high, max(low, x)) }
