package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestStrength_InitialGoldenValues(t *testing.T) {
	p := model.DefaultParams().Strength
	for _, c := range []struct{ novelty, attention, arousal, valence, want float64 }{
		{1, 0.7, 0, 0, 0.4992},
		{0, 0.7, 0, 0, 0.384},
		{0, 0, 0, 0, 0.3},
		{1, 1, 1, -1, 0.819},
		{0.5, 0.2, 0.8, -0.6, 0.462024},
	} {
		require.InDelta(t, c.want, model.InitialStrength(p, c.novelty, c.attention, c.arousal, c.valence), epsilon, "%+v", c)
	}
	p.BaseStrength, p.MaxStrength = 0.9, 0.95
	require.InDelta(t, 0.95, model.InitialStrength(p, 1, 1, 1, 1), epsilon, "capped at MaxStrength")
}

func TestStrength_KIND_4_StabilityByKind(t *testing.T) {
	p := model.DefaultParams().Strength
	for kind, want := range map[model.Kind]float64{
		model.Episodic: 2_000, model.Semantic: 4_000, model.Schema: 8_000, model.Procedural: 2_000,
	} {
		require.InDelta(t, want, model.InitialStability(p, kind), epsilon, kind)
	}
	p.MaxStability = 3_000
	require.InDelta(t, 3_000, model.InitialStability(p, model.Semantic), epsilon, "capped")
}

// Six recalls; each line was worked out apart from this code.
func TestStrength_STR_1_STR_2_RCL_2_GoldenSequence(t *testing.T) {
	m := born(t, request("tea"), 100)
	require.InDelta(t, 0.4992, m.Decay.BaseStrength, epsilon)
	tick := model.Tick(100)
	for i, step := range []struct {
		idle                     model.Tick
		decayed, base, stability float64
	}{
		{10, 0.496710230, 0.596710230, 2400},
		{100, 0.572358161, 0.672358161, 2880},
		{1000, 0.475120737, 0.575120737, 3456},
		{5, 0.574289277, 0.674289277, 4147.2},
		{5000, 0.201951283, 0.301951283, 4976.64},
		{0, 0.301951283, 0.401951283, 5971.968},
	} {
		tick += step.idle
		facts, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, model.DefaultParams(), moment(tick))
		require.NoError(t, err)
		require.Len(t, facts, 1, "one durable update per recall (RCL-2)")
		f := facts[0].(model.MemoryRecalled)
		require.InDelta(t, step.decayed, f.Decayed, epsilon, "step %d", i)
		require.InDelta(t, step.base, f.BaseStrength, epsilon, "step %d", i)
		require.InDelta(t, step.stability, f.Stability, epsilon, "step %d", i)
		require.Equal(t, uint32(i+1), f.RecallCount)
		m = model.Apply(m, f)
		require.Equal(t, moment(tick).Now, m.LastAccessAt)
		require.Equal(t, model.Labile, m.LifecycleAt(tick), "reopened")
	}
}

func TestStrength_STR_1_CappedAtMaxStrength(t *testing.T) {
	m := born(t, request("tea"), 1)
	for tick := model.Tick(2); tick < 100; tick++ {
		m = done(t, m, model.Reinforce{Cause: model.CauseReinforce}, tick)
		require.LessOrEqual(t, m.Decay.BaseStrength, 1.0)
	}
	require.Equal(t, 1.0, m.Decay.BaseStrength)
	require.InDelta(t, 100_000, m.Decay.Stability, epsilon, "STR-2: stability is capped too")
}

func TestStrength_STR_2_SpacingScalesByTheShareForgotten(t *testing.T) {
	p := model.DefaultParams()
	p.Strength.Spacing = true
	for _, c := range []struct {
		idle uint64
		want float64
	}{
		{0, 2040}, // the floor, a tenth of the full increment
		{100, 2040},
		{1000, 2157.387736},
		{2000, 2252.848224},
		{100_000, 2400}, // all forgotten: STR-2's own formula
	} {
		decayed := model.EffectiveStrength(0.5, 2000, c.idle, false)
		require.InDelta(t, c.want, model.Stabilised(p.Strength, 2000, 0.5, decayed), epsilon, "idle %d", c.idle)
	}
	p.Strength.Spacing = false
	require.InDelta(t, 2400, model.Stabilised(p.Strength, 2000, 0.5, 0.5), epsilon, "off: the plain formula")
}

func TestStrength_STR_3_ReconsolidationBonusIsBoundedAndApartFromDecay(t *testing.T) {
	m := born(t, request("tea"), 100)
	stability := m.Decay.Stability
	decayed := m.EffectiveAt(110)
	after := done(t, m, newText(2), 110)
	require.InDelta(t, decayed+0.05, after.Decay.BaseStrength, epsilon)
	require.Equal(t, stability, after.Decay.Stability)

	for tick := model.Tick(111); tick < 140; tick++ {
		after = done(t, after, newText(model.ContentNumber(tick)), tick)
	}
	require.LessOrEqual(t, after.Decay.BaseStrength, 1.0)
}

func TestRecall_RCL_1_ReadingChangesNothing(t *testing.T) {
	m := born(t, request("tea"), 100)
	before := *m
	_ = m.EffectiveAt(5_000)
	_ = m.LifecycleAt(5_000)
	_, _, _ = m.Uncertainty(5_000)
	_ = m.View(model.ViewInput{Namespace: "team", Resolve: (&symbols{}).resolve, Tick: 5_000})
	_, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, model.DefaultParams(), moment(5_000))
	require.NoError(t, err, "a proposal that is never applied")
	require.Equal(t, before, *m)
}

func TestRecall_RCL_6_ArchivedAndSupersededAreNotStrengthened(t *testing.T) {
	m := born(t, request("tea"), 1)
	archived := done(t, m, model.Archive{Reason: model.ArchivedForgotten}, 2)
	refused(t, archived, model.Reinforce{Cause: model.CauseRecall}, 3, model.CodeStateConflict)

	superseded := *m
	superseded.Lifecycle, superseded.RestabiliseTo, superseded.LabileUntil = model.Superseded, 0, 0
	refused(t, &superseded, model.Reinforce{Cause: model.CauseRecall}, 3, model.CodeStateConflict)
}

func TestRecall_RCL_7_ExplicitReinforceGivesTheSameNumbers(t *testing.T) {
	m := born(t, request("tea"), 1)
	a := done(t, m, model.Reinforce{Cause: model.CauseRecall}, 900)
	b := done(t, m, model.Reinforce{Cause: model.CauseReinforce}, 900)
	require.Equal(t, a, b)
}

// newText is an update that brings content number n.
func newText(n model.ContentNumber) model.Revise {
	return model.Revise{Content: &model.NewContent{Content: content(n)}}
}
