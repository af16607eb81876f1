package model

import "math"

// Confidence is reliability, apart from strength and from the trust in the source. It stays in
// [ConfidenceMin,ConfidenceMax]: nothing is ever fully invalidated (CNF-1).
const (
	ConfidenceMin = 0.1
	ConfidenceMax = 1.0
)

// The steps of confidence.
const (
	reconsolidationLoss = 0.05
	corroborationGain   = 0.1
	contradictionLoss   = 0.2
)

// ConfidenceReconsolidated returns confidence - 0.05*sqrt(count), clamped; count is the reconsolidation count after
// its increment. Pure. Source: CNF-2.
func ConfidenceReconsolidated(confidence float64, count uint32) float64 {
	return clampConfidence(confidence - reconsolidationLoss*math.Sqrt(float64(count)))
}

// ConfidenceCorroborated returns confidence + 0.1/sqrt(count), clamped; count is the corroboration count after its
// increment, and 0 changes nothing. Pure. Source: CNF-2.
func ConfidenceCorroborated(confidence float64, count uint32) float64 {
	if count == 0 {
		return clampConfidence(confidence)
	}
	return clampConfidence(confidence + corroborationGain/math.Sqrt(float64(count)))
}

// ConfidenceContradicted returns confidence - 0.2, clamped; it applies once per pair, to each side. Pure. Source: CNF-2.
func ConfidenceContradicted(confidence float64) float64 {
	return clampConfidence(confidence - contradictionLoss)
}

// ConfidenceInvalidated returns the confidence of a memory at depth causal links below an invalidated root: -0.20
// at depth 1, -0.10 at 2, -0.05 from 3 on, clamped; depth 0 changes nothing. Pure. Source: CNF-3.
func ConfidenceInvalidated(confidence float64, depth uint32) float64 {
	switch depth {
	case 0:
	case 1:
		confidence -= 0.20
	case 2:
		confidence -= 0.10
	default:
		confidence -= 0.05
	}
	return clampConfidence(confidence)
}

func clampConfidence(c float64) float64 { return clamp(c, ConfidenceMin, ConfidenceMax) }
