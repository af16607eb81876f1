package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestRevise_IDN_1_IDN_6_TypeAndTextKeepTheIdentity(t *testing.T) {
	m := born(t, request("tea"), 1)
	facts, err := model.Decide(m, model.Revise{Type: model.TypeFact, Content: &model.NewContent{Content: content(2)}}, model.DefaultParams(), moment(2))
	require.NoError(t, err)
	require.Len(t, facts, 1, "one audited mutation")
	after := model.Apply(m, facts[0])
	require.Equal(t, m.ID, after.ID)
	require.Equal(t, model.TypeFact, after.Type)
	require.Equal(t, model.ContentNumber(2), after.Content.Number)
	require.Equal(t, uint32(2), after.ContentRevision)
	require.Equal(t, uint64(2), after.Version)
}

func TestRevise_VER_4_MetadataAloneTouchesNeitherDecayNorLifecycle(t *testing.T) {
	m := born(t, request("tea"), 1)
	after := done(t, m, model.Revise{
		Type: model.TypeConstraint, Kind: model.Semantic, Retention: model.RetainDurable,
		PolicyFlags: ptr(model.PolicyFlags(0).With(model.FlagNoShare)), Tags: &[]model.Tag{{Symbol: 7, Origin: model.OriginCallerSupplied}},
	}, 500)
	require.Equal(t, m.Decay, after.Decay)
	require.Equal(t, m.Lifecycle, after.Lifecycle)
	require.Equal(t, m.LabileUntil, after.LabileUntil)
	require.Equal(t, m.Confidence, after.Confidence)
	require.Equal(t, m.ReconsolidationCount, after.ReconsolidationCount)
	require.Equal(t, model.TypeConstraint, after.Type)
	require.Equal(t, model.RetainDurable, after.Retention)
	require.True(t, after.PolicyFlags.Has(model.FlagNoShare))
	require.Len(t, after.Tags, 1)
	require.Equal(t, m.Lineage, after.Lineage)
	require.Equal(t, m.SourceRef, after.SourceRef)
}

func TestRevise_TextAloneLeavesTheRest(t *testing.T) {
	req := request("tea")
	req.Tags, req.PolicyFlags = []string{"ops"}, []model.PolicyFlag{model.FlagNoShare}
	req.Payload = []byte("x")
	cmd := normalised(t, req, agent()).Command(id(1), (&symbols{}).intern)
	payload := model.PayloadRef{Number: 9, State: model.PayloadAttached, Bytes: 1}
	fact, err := model.DecideEncode(cmd, content(1), payload, model.DefaultParams(), moment(1))
	require.NoError(t, err)
	m := model.Apply(nil, fact)
	after := done(t, m, newText(2), 3)
	for _, same := range [][2]any{
		{m.Tags, after.Tags}, {m.Type, after.Type}, {m.Kind, after.Kind}, {m.PolicyFlags, after.PolicyFlags},
		{m.SourceRef, after.SourceRef}, {m.CreatedAt, after.CreatedAt}, {payload, after.Payload}, {m.Retention, after.Retention},
	} {
		require.Equal(t, same[0], same[1])
	}
}

func TestRevise_KIND_6_OnlyADerivedKindFollowsTheType(t *testing.T) {
	req := request("tea")
	req.SourceRef = "runbook"
	derived := done(t, born(t, req, 1), model.Revise{Type: model.TypeSkill}, 2)
	require.Equal(t, model.Procedural, derived.Kind)
	require.Equal(t, model.OriginDerived, derived.KindOf)

	stated := done(t, born(t, req, 1), model.Revise{Kind: model.Episodic}, 2)
	require.Equal(t, model.OriginCallerSupplied, stated.KindOf, "stating the derived kind makes it the caller's")
	stated = done(t, stated, model.Revise{Type: model.TypeSkill}, 3)
	require.Equal(t, model.Episodic, stated.Kind)
}

func TestRevise_KIND_5_ProceduralNeedsStatedProvenance(t *testing.T) {
	m := born(t, request("tea"), 1) // its source_ref is the door's own handle
	err := refused(t, m, model.Revise{Kind: model.Procedural}, 2, model.CodeValidation)
	require.Equal(t, "source_ref", fault(t, err).Field)
	refused(t, m, model.Revise{Type: model.TypeSkill}, 2, model.CodeValidation)
	_, isRefusal := model.Refusal(model.VerbUpdate, m.ID, err, moment(2))
	require.False(t, isRefusal, "a validation error leaves no audit fact")
}

func TestRevise_TAX_4_NRM_4_ATypeNeedsItsFields(t *testing.T) {
	m := born(t, request("tea"), 1)
	for typ, field := range map[model.MemoryType]string{
		model.TypeRelation: "endpoints", model.TypeConflictRecord: "endpoints", model.TypeToolOutcome: "tool",
	} {
		require.Equal(t, field, fault(t, refused(t, m, model.Revise{Type: typ}, 2, model.CodeValidation)).Field)
	}
}

func TestRevise_KIND_4_ABypassComesAndGoesWithTheKind(t *testing.T) {
	req := request("tea")
	req.SourceRef = "runbook"
	m := born(t, req, 1)
	effective := m.EffectiveAt(2_001)
	skill := done(t, m, model.Revise{Kind: model.Procedural}, 2_001)
	require.Equal(t, model.BypassKind, skill.Decay.Bypass)
	require.InDelta(t, effective, skill.EffectiveAt(1_000_000), epsilon, "what had faded is not given back")
	back := done(t, skill, model.Revise{Kind: model.Semantic}, 1_000_000)
	require.Zero(t, back.Decay.Bypass)
	require.InDelta(t, effective, back.EffectiveAt(1_000_000), epsilon, "nor lost at once")

	req.BypassDecay = true
	asked := done(t, born(t, req, 1), model.Revise{Kind: model.Procedural}, 2)
	asked = done(t, asked, model.Revise{Kind: model.Episodic}, 3)
	require.Equal(t, model.BypassExplicit, asked.Decay.Bypass, "what was asked for stays")
}

func TestRevise_GOV_3_AHeldTextIsNotChanged(t *testing.T) {
	for _, flag := range []model.PolicyFlag{model.FlagLegalHold, model.FlagComplianceLock} {
		req := request("contract")
		req.PolicyFlags = []model.PolicyFlag{flag}
		m := born(t, req, 1)
		err := refused(t, m, newText(2), 2, model.CodePolicyDenied)
		require.Contains(t, err.Error(), flag.String())
		none := model.PolicyFlags(0)
		refused(t, m, model.Revise{PolicyFlags: &none, Content: &model.NewContent{Content: content(2)}}, 2, model.CodePolicyDenied)
		require.Equal(t, model.PolicyFlags(0), done(t, m, model.Revise{PolicyFlags: &none}, 2).PolicyFlags)
	}
}

func TestRevise_LIF_2_OutsideTheWindowReopensAndRevisesInOneFact(t *testing.T) {
	m := born(t, request("tea"), 1)
	for tick, inside := range map[model.Tick]bool{2: true, 37: true, 38: false, 900: false} {
		facts, err := model.Decide(m, newText(2), model.DefaultParams(), moment(tick))
		require.NoError(t, err)
		require.Len(t, facts, 1)
		c := facts[0].(model.MemoryRevised).Content
		require.Equal(t, inside, c.Reconsolidated, "tick %d", tick)
		require.Equal(t, uint32(1), c.ReconsolidationCount)
		require.InDelta(t, 0.65, c.Confidence, epsilon)
		require.Equal(t, model.Labile, c.Lifecycle)
		require.Equal(t, model.SynapticDone, c.RestabiliseTo)
	}
}

func TestPin_UnpinReturnsTheClassItHad(t *testing.T) {
	req := request("tea")
	req.Retention = model.RetainVolatile
	m := done(t, born(t, req, 1), model.Pin{}, 2)
	require.Equal(t, model.RetainPinned, m.Retention)
	unpinned := done(t, m, model.Unpin{}, 3)
	require.Equal(t, model.RetainVolatile, unpinned.Retention)
	require.Zero(t, unpinned.RetentionWas)

	req.Retention, req.Type = model.RetainPinned, model.TypeConstraint
	require.Equal(t, model.RetainDurable, done(t, born(t, req, 1), model.Unpin{}, 3).Retention, "born pinned: the class of its type")

	repinned := done(t, m, model.Revise{Retention: model.RetainNormal}, 4)
	require.Zero(t, repinned.RetentionWas)
}
