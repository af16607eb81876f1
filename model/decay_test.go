package model_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

// Worked out apart from this code, as base*e^(-delta/stability).
func TestDecay_DEC_1_GoldenValues(t *testing.T) {
	for _, c := range []struct {
		base, stability float64
		delta           uint64
		want            float64
	}{
		{0.5, 2000, 0, 0.5},
		{0.5, 2000, 1, 0.499750062},
		{0.5, 2000, 1000, 0.303265330},
		{0.4992, 2000, 141, 0.465218328},
		{1, 2000, 2000, 0.367879441},
		{0.3, 4000, 2000, 0.181959198},
		{1, 100000, 1000000, 0.0000454},
		{0.8, 8000, 12345, 0.170969765},
	} {
		got := model.EffectiveStrength(c.base, c.stability, c.delta, false)
		require.InDelta(t, c.want, got, epsilon, "EffectiveStrength(%g, %g, %d)", c.base, c.stability, c.delta)
	}
}

func TestDecay_DEC_1_NeverANegativeDelta(t *testing.T) {
	m := born(t, request("tea"), 100)
	require.Equal(t, m.Decay.BaseStrength, m.EffectiveAt(99))
	require.Equal(t, m.Decay.BaseStrength, m.EffectiveAt(100))
	require.Less(t, m.EffectiveAt(101), m.Decay.BaseStrength)
}

func TestDecay_NeverLeavesTheUnitIntervalOrTurnsNaN(t *testing.T) {
	for _, stability := range []float64{math.NaN(), -1, 0, 1, math.Inf(1)} {
		for _, delta := range []uint64{0, 1, math.MaxUint64} {
			got := model.EffectiveStrength(0.7, stability, delta, false)
			require.True(t, got >= 0 && got <= 0.7, "EffectiveStrength(0.7, %g, %d) = %g", stability, delta, got)
		}
	}
}

// The wall clock of both commands differs by a century; every number is the same.
func TestDecay_DEC_2_WallTimeEntersNoNumber(t *testing.T) {
	m := born(t, request("tea"), 100)
	p := model.DefaultParams()
	early, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, p, model.Moment{Tick: 300, Now: 1})
	require.NoError(t, err)
	late, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, p, model.Moment{Tick: 300, Now: 1 + 100*365*86_400_000})
	require.NoError(t, err)
	a, b := early[0].(model.MemoryRecalled), late[0].(model.MemoryRecalled)
	require.NotEqual(t, a.At, b.At)
	a.At, b.At = 0, 0
	require.Equal(t, a, b)
}

func TestDecay_DEC_5_PersistingSetsBaseAndAnchorInOneFact(t *testing.T) {
	m := born(t, request("tea"), 100)
	effective := m.EffectiveAt(600)
	facts, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, model.DefaultParams(), moment(600))
	require.NoError(t, err)
	require.Len(t, facts, 1)
	f := facts[0].(model.MemoryRecalled)
	require.Equal(t, effective, f.Decayed)
	require.Equal(t, uint64(500), f.DeltaTicks)
	require.Equal(t, model.Tick(600), f.Tick)
	require.InDelta(t, effective+0.1, f.BaseStrength, epsilon)

	after := model.Apply(m, f)
	require.Equal(t, model.Tick(600), after.Decay.LastAccessedTick)
	require.Equal(t, f.BaseStrength, after.EffectiveAt(600))
}

func TestDecay_DEC_6_BypassHoldsForAMillionTicks(t *testing.T) {
	req := request("never forget the launch code word")
	req.BypassDecay = true
	m := born(t, req, 1)
	require.Equal(t, model.BypassExplicit, m.Decay.Bypass)
	require.Equal(t, m.Decay.BaseStrength, m.EffectiveAt(1_000_001))
}

// A bypass has one cause; the one that maintenance may lift (emotion) is the weakest.
func TestDecay_DEC_6_CauseOfTheBypass(t *testing.T) {
	for _, c := range []struct {
		name             string
		explicit         bool
		kind             model.Kind
		arousal, valence float64
		want             model.BypassCause
	}{
		{"calm", false, model.Episodic, 0.6, 0.9, 0},
		{"flat", false, model.Episodic, 0.9, 0.5, 0},
		{"strong and good", false, model.Episodic, 0.61, 0.51, model.BypassEmotion},
		{"strong and bad", false, model.Semantic, 0.9, -0.8, model.BypassEmotion},
		{"procedural", false, model.Procedural, 0, 0, model.BypassKind},
		{"procedural and strong", false, model.Procedural, 0.9, 0.9, model.BypassKind},
		{"asked for", true, model.Procedural, 0.9, 0.9, model.BypassExplicit},
	} {
		req := request("x")
		req.SourceRef, req.Kind, req.BypassDecay = "runbook.md", c.kind, c.explicit
		req.Arousal, req.Valence = &c.arousal, &c.valence
		require.Equal(t, c.want, born(t, req, 1).Decay.Bypass, c.name)
	}
}

func TestDecay_DEC_7_ReadsAgreeWithInspect(t *testing.T) {
	m := born(t, request("tea"), 100)
	for _, tick := range []model.Tick{100, 101, 5_000, 1_000_000} {
		v := m.View(model.ViewInput{Namespace: "team", Resolve: (&symbols{}).resolve, Tick: tick})
		require.Equal(t, m.EffectiveAt(tick), v.EffectiveStrength)
		require.Equal(t, m.EffectiveAt(tick), model.EffectiveStrength(v.Decay.BaseStrength, v.Decay.Stability, v.Decay.DeltaTicks, v.Decay.BypassDecay))
	}
}

func TestDecay_DET_1_ViewShowsTheInputs(t *testing.T) {
	m := born(t, request("tea"), 100)
	require.Equal(t, model.DecayReply{
		BaseStrength: m.Decay.BaseStrength, Stability: 2000, LastAccessedTick: 100,
		CurrentTick: 150, DeltaTicks: 50, Persisted: true,
	}, m.DecayView(150, true))
}
