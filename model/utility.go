package model

import "math"

// The parts of utility_estimate.
const (
	utilityBase   = 0.3 // of a memory that nobody has used
	utilityRecall = 0.4 // reached at 255 recalls
	utilityMatch  = 0.3 // when the caller's task or goal is the memory's own
	utilityBits   = 8   // doublings of 1+recall_count until the recall part is full
)

// UtilityEstimate predicts how useful a memory will be, in [0,1]:
//
//	clamp01(0.3 + 0.4*log2(1+recalls)/8 + 0.3*match)
//
// match is 1 when the caller's task or goal is the memory's own, else 0. Pure. Source: UTL-5.
func UtilityEstimate(recalls uint32, match bool) float64 {
	u := utilityBase + utilityRecall*math.Log2(1+float64(recalls))/utilityBits
	if match {
		u += utilityMatch
	}
	return clamp01(u)
}
