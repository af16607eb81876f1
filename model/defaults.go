package model

// DefaultParams returns the parameters of a new namespace. Values and why: docs/model.md.
func DefaultParams() Params {
	return Params{
		Strength: StrengthParams{
			BaseStrength: 0.3, MaxStrength: 1, MinStrength: 0.05,
			LTPDelta: 0.1, StabilityIncrement: 0.2,
			BaseStability: 2_000, SemanticStability: 2, SchemaStability: 4, MaxStability: 100_000,
			Spacing: false, SpacingFloor: 0.1,
			NoveltyBoost: 0.3, AttentionBoost: 0.4, ArousalBoost: 0.5,
			ReconsolidationBonus: 0.05,
		},
		Encode: EncodeParams{
			Attention: 0.7, AttentionMin: 0.2,
			BypassArousal: 0.6, BypassValence: 0.5,
			SalienceAttention: 0.35, SalienceNovelty: 0.25, SalienceTask: 0.20, SalienceArousal: 0.20,
			Confidence: 0.7, Authoritativeness: 0.5,
			DuplicateCosine: 0.97, ShortlistMax: 20,
		},
		Window: WindowParams{Ticks: 50, TicksMin: 5, AgeHalf: 500, StrengthMin: 0.2},
		Ranking: RankingParams{
			LexicalWeight: 1, VectorWeight: 0.4, ArmCandidatesMax: 100,
			BeforeWeights: [3]float64{0.4, 0.2, 0.1}, AfterWeights: [3]float64{0.3, 0.1, 0.05},
			EntityWeight: 0.4, EpisodeWeight: 0.2,
			Strength: 0.05, Salience: 0.03, Confidence: 0.03, Utility: 0.03,
			Recency: 0.03, RecencyHalf: 5_000, Context: 0.05,
			Difficulty: 0.05, Conflict: 0.05, Duplicate: 0.1,
			AbstainBelow: 0.15,
		},
	}
}
