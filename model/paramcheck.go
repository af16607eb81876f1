package model

import (
	"errors"
	"math"
)

// Bounds that Validate sets on parameters without one of their own.
const (
	ticksMax  = 1e12 // any count of ticks; far under 2^53, so every count is exact in a float64
	weightMax = 100  // any ranking weight
	unbounded = math.MaxFloat64
)

// Validate returns every fault of the parameters, each an *Error that names field, value and range, joined into one
// error; nil when there is none.
func (p Params) Validate() error {
	var c paramCheck
	c.strength(p.Strength)
	c.encode(p.Encode)
	c.window(p.Window)
	c.ranking(p.Ranking)
	return errors.Join(c.faults...)
}

// paramCheck gathers faults.
type paramCheck struct{ faults []error }

func (c *paramCheck) in(field string, v, low, high float64) {
	if err := number(field, v, low, high); err != nil {
		c.faults = append(c.faults, err)
	}
}

// positive is a range that does not hold its lower end, 0.
func (c *paramCheck) positive(field string, v, high float64) {
	c.in(field, v, math.SmallestNonzeroFloat64, high)
}

func (c *paramCheck) strength(p StrengthParams) {
	c.positive("strength.base_strength", p.BaseStrength, 1)
	c.positive("strength.max_strength", p.MaxStrength, 1)
	c.in("strength.min_strength", p.MinStrength, 0, math.Nextafter(p.MaxStrength, 0))
	c.in("strength.ltp_delta", p.LTPDelta, 0, 1)
	c.in("strength.stability_increment", p.StabilityIncrement, 0, 10)
	c.in("strength.base_stability", p.BaseStability, 1, ticksMax)
	c.in("strength.semantic_stability", p.SemanticStability, 1, 1_000)
	c.in("strength.schema_stability", p.SchemaStability, 1, 1_000)
	c.in("strength.max_stability", p.MaxStability, p.BaseStability, ticksMax)
	c.in("strength.spacing_floor", p.SpacingFloor, 0, 1)
	c.in("strength.novelty_boost", p.NoveltyBoost, 0, 10)
	c.in("strength.attention_boost", p.AttentionBoost, 0, 10)
	c.in("strength.arousal_boost", p.ArousalBoost, 0, 10)
	c.in("strength.reconsolidation_bonus", p.ReconsolidationBonus, 0, 1)
}

func (c *paramCheck) encode(p EncodeParams) {
	c.in("encode.attention", p.Attention, 0, 1)
	c.in("encode.attention_min", p.AttentionMin, 0, 1)
	c.in("encode.bypass_arousal", p.BypassArousal, 0, 1)
	c.in("encode.bypass_valence", p.BypassValence, 0, 1)
	c.in("encode.salience_attention", p.SalienceAttention, 0, 1)
	c.in("encode.salience_novelty", p.SalienceNovelty, 0, 1)
	c.in("encode.salience_task", p.SalienceTask, 0, 1)
	c.in("encode.salience_arousal", p.SalienceArousal, 0, 1)
	const rounding = 1e-9 // 0.35+0.25+0.2+0.2 need not be 1 to the last bit
	c.in("encode.salience_attention + salience_novelty + salience_task + salience_arousal",
		p.SalienceAttention+p.SalienceNovelty+p.SalienceTask+p.SalienceArousal, 0, 1+rounding)
	c.in("encode.confidence", p.Confidence, ConfidenceMin, ConfidenceMax)
	c.in("encode.authoritativeness", p.Authoritativeness, 0, 1)
	c.in("encode.duplicate_cosine", p.DuplicateCosine, 0, 1)
	c.in("encode.shortlist_max", float64(p.ShortlistMax), 1, 1_000)
}

func (c *paramCheck) window(p WindowParams) {
	c.in("window.ticks", p.Ticks, 0, ticksMax)
	c.in("window.ticks_min", p.TicksMin, 0, ticksMax)
	c.positive("window.age_half", p.AgeHalf, ticksMax)
	c.in("window.strength_min", p.StrengthMin, 0, 1)
}

func (c *paramCheck) ranking(p RankingParams) {
	c.weights(indexed("ranking.before_weights", p.BeforeWeights), indexed("ranking.after_weights", p.AfterWeights), []weight{
		{"ranking.lexical_weight", p.LexicalWeight}, {"ranking.vector_weight", p.VectorWeight},
		{"ranking.entity_weight", p.EntityWeight}, {"ranking.episode_weight", p.EpisodeWeight},
		{"ranking.strength", p.Strength}, {"ranking.salience", p.Salience},
		{"ranking.confidence", p.Confidence}, {"ranking.utility", p.Utility},
		{"ranking.recency", p.Recency}, {"ranking.context", p.Context},
		{"ranking.difficulty", p.Difficulty}, {"ranking.conflict", p.Conflict}, {"ranking.duplicate", p.Duplicate},
	})
	c.positive("ranking.lexical_weight + vector_weight", p.LexicalWeight+p.VectorWeight, 2*weightMax)
	c.in("ranking.arm_candidates_max", float64(p.ArmCandidatesMax), 1, 1_000)
	c.positive("ranking.recency_half", p.RecencyHalf, ticksMax)
	c.in("ranking.abstain_below", p.AbstainBelow, -1, 1)
}

// weight is one named ranking weight.
type weight struct {
	field string
	value float64
}

func indexed(field string, v [3]float64) []weight {
	return []weight{{field + "[0]", v[0]}, {field + "[1]", v[1]}, {field + "[2]", v[2]}}
}

func (c *paramCheck) weights(lists ...[]weight) {
	for _, list := range lists {
		for _, w := range list {
			c.in(w.field, w.value, 0, weightMax)
		}
	}
}
