package model

// Novelty returns how new an intake is among the neighbours that were inspected: clamp01(1 - nearest), and 1 when
// nothing was inspected. nearest is a cosine in [-1,1]. Pure. Source: numbers.md "Encode".
func Novelty(inspected uint32, nearest float64) float64 {
	if inspected == 0 {
		return 1
	}
	return clamp01(1 - nearest)
}

// SalienceCues returns the cues of an intake's initial salience with their weights. arousalOf is the origin of the
// emotion; without one the arousal cue is 0 by default. Pure. Source: UTL-4.
func SalienceCues(p EncodeParams, in CueInput, novelty, arousal float64, arousalOf Origin) []Cue {
	if arousalOf == 0 {
		arousal, arousalOf = 0, OriginDefault
	}
	return []Cue{
		{CueAttention, in.Attention, p.SalienceAttention, in.AttentionOf},
		{CueNovelty, novelty, p.SalienceNovelty, OriginDerived},
		{CueTaskRelevance, in.TaskRelevance, p.SalienceTask, in.TaskRelevanceOf},
		{CueArousal, arousal, p.SalienceArousal, arousalOf},
	}
}

// Salience returns the sum of value*weight over the cues. Params.Validate keeps the sum of the weights at most 1,
// so the clamp to [0,1] takes away no more than rounding: the cues sum to the salience. Pure. Source: UTL-4.
func Salience(cues []Cue) float64 {
	sum := 0.0
	for _, c := range cues {
		sum += float64(c.Value * c.Weight) // the conversion forbids a fused multiply-add, which rounds differently
	}
	return clamp01(sum)
}
