package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestConfidence_CNF_1_FloorAndCeiling(t *testing.T) {
	require.Equal(t, 0.1, model.ConfidenceReconsolidated(0.1, 100))
	require.Equal(t, 0.1, model.ConfidenceContradicted(0.25))
	require.Equal(t, 0.1, model.ConfidenceInvalidated(0.15, 1))
	require.Equal(t, 1.0, model.ConfidenceCorroborated(0.99, 1))
}

func TestConfidence_CNF_1_ApartFromStrength(t *testing.T) {
	m := born(t, request("tea"), 1)
	recalled := done(t, m, model.Reinforce{Cause: model.CauseRecall}, 500)
	require.NotEqual(t, m.Decay.BaseStrength, recalled.Decay.BaseStrength)
	require.Equal(t, m.Confidence, recalled.Confidence)

	trusted := request("tea")
	trusted.Authoritativeness = ptr(1.0)
	require.Equal(t, m.Confidence, born(t, trusted, 1).Confidence, "PRV-2: trust in the source enters neither")
	require.Equal(t, m.Decay, born(t, trusted, 1).Decay)
}

func TestConfidence_CNF_2_ReconsolidationSequence(t *testing.T) {
	m := born(t, request("tea"), 1)
	require.InDelta(t, 0.7, m.Confidence, epsilon)
	for i, want := range []float64{0.65, 0.579289322, 0.492686782, 0.392686782, 0.280883383, 0.158408895, 0.1} {
		m = done(t, m, newText(model.ContentNumber(i+2)), model.Tick(i+2))
		require.Equal(t, uint32(i+1), m.ReconsolidationCount)
		require.InDelta(t, want, m.Confidence, epsilon, "revision %d", i+1)
	}
}

func TestConfidence_CNF_2_CorroborationAndContradiction(t *testing.T) {
	c := 0.7
	for i, want := range []float64{0.8, 0.870710678, 0.928445705, 0.978445705, 1, 1} {
		c = model.ConfidenceCorroborated(c, uint32(i+1))
		require.InDelta(t, want, c, epsilon, "corroboration %d", i+1)
	}
	require.InDelta(t, 0.5, model.ConfidenceContradicted(0.7), epsilon)
	require.InDelta(t, 0.7, model.ConfidenceCorroborated(0.7, 0), epsilon, "no count, no change")
}

func TestConfidence_CNF_3_InvalidationByDepth(t *testing.T) {
	for depth, want := range []float64{0.7, 0.5, 0.6, 0.65, 0.65, 0.65} {
		require.InDelta(t, want, model.ConfidenceInvalidated(0.7, uint32(depth)), epsilon, "depth %d", depth)
	}
}

func TestUncertainty_CNF_4_PartsByTable(t *testing.T) {
	corroboration := []float64{1, 0.7, 0.5, 0.35, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05}
	for n, want := range corroboration {
		require.InDelta(t, want, model.UncertaintyInput{Corroborations: uint32(n)}.Parts().Corroboration, epsilon, "corroborations %d", n)
	}
	for idle, want := range map[uint64]float64{0: 0, 5_000: 0.25, 20_000: 1, 1_000_000: 1} {
		require.InDelta(t, want, model.UncertaintyInput{IdleTicks: idle}.Parts().Freshness, epsilon, "idle %d", idle)
	}
	for state, want := range map[model.ConflictState]float64{
		model.ConflictNone: 0, model.ConflictOpen: 1, model.ConflictResolved: 0.2,
		model.ConflictSuperseded: 0.2, model.ConflictAuthoritativeOverride: 0.05,
	} {
		require.InDelta(t, want, model.UncertaintyInput{Conflict: state}.Parts().Contradiction, epsilon, state)
	}
	for links, want := range []float64{0.6, 0.3, 0.15, 0.15, 0.05} {
		in := model.UncertaintyInput{CausalLinks: uint32(links), Authoritativeness: 0.5}
		require.InDelta(t, (want+0.5)/2, in.Parts().MissingEvidence, epsilon, "links %d", links)
	}
}

// 0.25*0.5 + 0.20*0.5 + 0.30*0.2 + 0.25*((0.3+0.2)/2) = 0.3475; interval 0.7 +- 0.052125.
func TestUncertainty_CNF_4_ScoreAndInterval(t *testing.T) {
	m := *born(t, request("tea"), 100)
	m.CorroborationCount, m.Conflict, m.CausalParents, m.Authoritativeness = 2, model.ConflictResolved, true, 0.8
	parts, score, interval := m.Uncertainty(10_100)
	require.InDelta(t, 0.5, parts.Corroboration, epsilon)
	require.InDelta(t, 0.5, parts.Freshness, epsilon)
	require.InDelta(t, 0.2, parts.Contradiction, epsilon)
	require.InDelta(t, 0.25, parts.MissingEvidence, epsilon)
	require.InDelta(t, 0.3475, score, epsilon)
	require.InDelta(t, 0.647875, interval.Low, epsilon)
	require.InDelta(t, 0.752125, interval.High, epsilon)
	require.Equal(t, model.Interval{Low: 0.1, High: 0.25}, model.ConfidenceInterval(0.1, 1), "clamped")
	require.Equal(t, model.Interval{Low: 0.85, High: 1}, model.ConfidenceInterval(1, 1), "clamped")
}
