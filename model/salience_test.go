package model_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestSalience_UTL_4_CuesSumToIt(t *testing.T) {
	req := request("the outage")
	req.Attention, req.TaskRelevance, req.Arousal = ptr(0.9), ptr(0.5), ptr(0.4)
	m := bornWith(t, req, 1, model.Findings{Inspected: 20, NearestSimilarity: 0.36}, &symbols{})
	require.Equal(t, []model.Cue{
		{Name: model.CueAttention, Value: 0.9, Weight: 0.35, Origin: model.OriginCallerSupplied},
		{Name: model.CueNovelty, Value: 0.64, Weight: 0.25, Origin: model.OriginDerived},
		{Name: model.CueTaskRelevance, Value: 0.5, Weight: 0.2, Origin: model.OriginCallerSupplied},
		{Name: model.CueArousal, Value: 0.4, Weight: 0.2, Origin: model.OriginCallerSupplied},
	}, m.Cues)
	sum := 0.0
	for _, c := range m.Cues {
		sum += c.Value * c.Weight
	}
	require.InDelta(t, 0.655, sum, epsilon) // 0.315 + 0.16 + 0.1 + 0.08
	require.InDelta(t, sum, m.Salience, epsilon)
}

func TestSalience_UTL_4_DefaultsSayThatTheyAreDefaults(t *testing.T) {
	m := born(t, request("tea"), 1)
	require.InDelta(t, 0.35*0.7+0.25*1, m.Salience, epsilon)
	for _, c := range m.Cues {
		want := model.OriginDefault
		if c.Name == model.CueNovelty {
			want = model.OriginDerived
		}
		require.Equal(t, want, c.Origin, c.Name)
	}
}

func TestNovelty_IsOneWhenNothingWasInspected(t *testing.T) {
	for _, c := range []struct {
		inspected uint32
		nearest   float64
		want      float64
	}{{0, 0.9, 1}, {1, 0.25, 0.75}, {5, 1, 0}, {5, -0.4, 1}} {
		require.InDelta(t, c.want, model.Novelty(c.inspected, c.nearest), epsilon, "%+v", c)
	}
}

func TestUtility_UTL_5_GoldenValues(t *testing.T) {
	for recalls, want := range map[uint32]float64{
		0: 0.3, 1: 0.35, 3: 0.4, 7: 0.45, 10: 0.472971581, 255: 0.7, math.MaxUint32: 1,
	} {
		require.InDelta(t, want, model.UtilityEstimate(recalls, false), epsilon, "%d recalls", recalls)
		require.InDelta(t, min(1, want+0.3), model.UtilityEstimate(recalls, true), epsilon, "%d recalls, same task", recalls)
	}
}

func TestUtility_UTL_1_UTL_2_MovesWithUseApartFromSalienceAndConfidence(t *testing.T) {
	m := born(t, request("tea"), 1)
	after := done(t, m, model.Reinforce{Cause: model.CauseRecall, TaskMatch: true}, 500)
	require.InDelta(t, 0.65, after.Utility, epsilon)
	require.Equal(t, m.Salience, after.Salience)
	require.Equal(t, m.Confidence, after.Confidence)
	require.Equal(t, uint32(1), after.RecallCount)
	require.Zero(t, m.LastAccessAt)
	require.Equal(t, moment(500).Now, after.LastAccessAt)

	shifted := *after
	shifted.LastAccessAt += 86_400_000
	require.Equal(t, after.EffectiveAt(9_000), shifted.EffectiveAt(9_000), "last_access_at is no decay clock")
}

func TestEncodeOutcome_DUP_1_DUP_6_RoutesAndFamily(t *testing.T) {
	alone := born(t, request("tea"), 1)
	require.Equal(t, model.RouteMintedNew, alone.Outcome.Route)
	require.True(t, alone.DuplicateOf.Zero(), "the first member stands alone")
	require.Nil(t, alone.Outcome.Nearest())

	second := bornWith(t, request("tea"), 2, model.Findings{Inspected: 1, NearestSimilarity: 1, Family: id(9)}, &symbols{})
	require.Equal(t, model.RouteAttachedToFamily, second.Outcome.Route)
	require.Equal(t, id(9), second.DuplicateOf, "the family's id is its first member's")
	require.Zero(t, second.Outcome.Novelty)

	distinct := bornWith(t, request("tea"), 3, model.Findings{Inspected: 2, NearestSimilarity: 0.98, PatternSeparated: true}, &symbols{})
	require.Equal(t, model.RouteMintedNew, distinct.Outcome.Route)
	require.True(t, distinct.Outcome.PatternSeparated)
	require.InDelta(t, 0.98, *distinct.Outcome.Nearest(), epsilon)
}

func TestEncode_TIR_2_FirstWriteLandsInTier2(t *testing.T) {
	m := born(t, request("tea"), 1)
	require.Equal(t, model.Tier2, m.Tier)
	require.Equal(t, model.TierFirstWrite, m.TierReason)
}
