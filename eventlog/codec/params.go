package codec

import (
	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

func paramsState(p *model.Params) *eventpb.ParamsState {
	return &eventpb.ParamsState{
		Strength: strengthParamsState(&p.Strength),
		Encode:   encodeParamsState(&p.Encode),
		Window: &eventpb.WindowParamsState{
			Ticks:       bits(p.Window.Ticks),
			TicksMin:    bits(p.Window.TicksMin),
			AgeHalf:     bits(p.Window.AgeHalf),
			StrengthMin: bits(p.Window.StrengthMin),
		},
		Ranking: rankingParamsState(&p.Ranking),
	}
}

func strengthParamsState(p *model.StrengthParams) *eventpb.StrengthParamsState {
	return &eventpb.StrengthParamsState{
		BaseStrength:         bits(p.BaseStrength),
		MaxStrength:          bits(p.MaxStrength),
		MinStrength:          bits(p.MinStrength),
		LtpDelta:             bits(p.LTPDelta),
		StabilityIncrement:   bits(p.StabilityIncrement),
		BaseStability:        bits(p.BaseStability),
		SemanticStability:    bits(p.SemanticStability),
		SchemaStability:      bits(p.SchemaStability),
		MaxStability:         bits(p.MaxStability),
		Spacing:              p.Spacing,
		SpacingFloor:         bits(p.SpacingFloor),
		NoveltyBoost:         bits(p.NoveltyBoost),
		AttentionBoost:       bits(p.AttentionBoost),
		ArousalBoost:         bits(p.ArousalBoost),
		ReconsolidationBonus: bits(p.ReconsolidationBonus),
	}
}

func encodeParamsState(p *model.EncodeParams) *eventpb.EncodeParamsState {
	return &eventpb.EncodeParamsState{
		Attention:         bits(p.Attention),
		AttentionMin:      bits(p.AttentionMin),
		BypassArousal:     bits(p.BypassArousal),
		BypassValence:     bits(p.BypassValence),
		SalienceAttention: bits(p.SalienceAttention),
		SalienceNovelty:   bits(p.SalienceNovelty),
		SalienceTask:      bits(p.SalienceTask),
		SalienceArousal:   bits(p.SalienceArousal),
		Confidence:        bits(p.Confidence),
		Authoritativeness: bits(p.Authoritativeness),
		DuplicateCosine:   bits(p.DuplicateCosine),
		ShortlistMax:      p.ShortlistMax,
	}
}

func rankingParamsState(p *model.RankingParams) *eventpb.RankingParamsState {
	return &eventpb.RankingParamsState{
		LexicalWeight:    bits(p.LexicalWeight),
		VectorWeight:     bits(p.VectorWeight),
		ArmCandidatesMax: p.ArmCandidatesMax,
		BeforeWeights:    threeBits(p.BeforeWeights),
		AfterWeights:     threeBits(p.AfterWeights),
		EntityWeight:     bits(p.EntityWeight),
		EpisodeWeight:    bits(p.EpisodeWeight),
		Strength:         bits(p.Strength),
		Salience:         bits(p.Salience),
		Confidence:       bits(p.Confidence),
		Utility:          bits(p.Utility),
		Recency:          bits(p.Recency),
		RecencyHalf:      bits(p.RecencyHalf),
		Context:          bits(p.Context),
		Difficulty:       bits(p.Difficulty),
		Conflict:         bits(p.Conflict),
		Duplicate:        bits(p.Duplicate),
		AbstainBelow:     bits(p.AbstainBelow),
	}
}

func threeBits(f [3]float64) []uint64 { return []uint64{bits(f[0]), bits(f[1]), bits(f[2])} }

// params demands every part: the zero value of a parameter is a choice, a missing part is damage.
func (c *checker) params(p *eventpb.ParamsState) model.Params {
	if p == nil || p.Strength == nil || p.Encode == nil || p.Window == nil || p.Ranking == nil {
		c.fail("a part of the parameters is missing")
		return model.Params{}
	}
	return model.Params{
		Strength: strengthParams(p.Strength),
		Encode:   encodeParams(p.Encode),
		Window: model.WindowParams{
			Ticks:       float(p.Window.Ticks),
			TicksMin:    float(p.Window.TicksMin),
			AgeHalf:     float(p.Window.AgeHalf),
			StrengthMin: float(p.Window.StrengthMin),
		},
		Ranking: c.rankingParams(p.Ranking),
	}
}

func strengthParams(p *eventpb.StrengthParamsState) model.StrengthParams {
	return model.StrengthParams{
		BaseStrength:         float(p.BaseStrength),
		MaxStrength:          float(p.MaxStrength),
		MinStrength:          float(p.MinStrength),
		LTPDelta:             float(p.LtpDelta),
		StabilityIncrement:   float(p.StabilityIncrement),
		BaseStability:        float(p.BaseStability),
		SemanticStability:    float(p.SemanticStability),
		SchemaStability:      float(p.SchemaStability),
		MaxStability:         float(p.MaxStability),
		Spacing:              p.Spacing,
		SpacingFloor:         float(p.SpacingFloor),
		NoveltyBoost:         float(p.NoveltyBoost),
		AttentionBoost:       float(p.AttentionBoost),
		ArousalBoost:         float(p.ArousalBoost),
		ReconsolidationBonus: float(p.ReconsolidationBonus),
	}
}

func encodeParams(p *eventpb.EncodeParamsState) model.EncodeParams {
	return model.EncodeParams{
		Attention:         float(p.Attention),
		AttentionMin:      float(p.AttentionMin),
		BypassArousal:     float(p.BypassArousal),
		BypassValence:     float(p.BypassValence),
		SalienceAttention: float(p.SalienceAttention),
		SalienceNovelty:   float(p.SalienceNovelty),
		SalienceTask:      float(p.SalienceTask),
		SalienceArousal:   float(p.SalienceArousal),
		Confidence:        float(p.Confidence),
		Authoritativeness: float(p.Authoritativeness),
		DuplicateCosine:   float(p.DuplicateCosine),
		ShortlistMax:      p.ShortlistMax,
	}
}

func (c *checker) rankingParams(p *eventpb.RankingParamsState) model.RankingParams {
	return model.RankingParams{
		LexicalWeight:    float(p.LexicalWeight),
		VectorWeight:     float(p.VectorWeight),
		ArmCandidatesMax: p.ArmCandidatesMax,
		BeforeWeights:    c.three("before_weights", p.BeforeWeights),
		AfterWeights:     c.three("after_weights", p.AfterWeights),
		EntityWeight:     float(p.EntityWeight),
		EpisodeWeight:    float(p.EpisodeWeight),
		Strength:         float(p.Strength),
		Salience:         float(p.Salience),
		Confidence:       float(p.Confidence),
		Utility:          float(p.Utility),
		Recency:          float(p.Recency),
		RecencyHalf:      float(p.RecencyHalf),
		Context:          float(p.Context),
		Difficulty:       float(p.Difficulty),
		Conflict:         float(p.Conflict),
		Duplicate:        float(p.Duplicate),
		AbstainBelow:     float(p.AbstainBelow),
	}
}
