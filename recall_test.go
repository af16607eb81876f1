package membrain_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func TestRecall_RCL_1_OnlyWhatIsReturnedIsCounted(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	var ids []membrain.MemoryID
	for _, s := range []string{"The harbour lantern.", "The harbour crane.", "The harbour bell.", "The harbour market."} {
		ids = append(ids, h.put(membrain.EncodeRequest{Text: s, SessionID: "s"}).ID)
	}
	got := h.recall("harbour", func(r *membrain.RecallRequest) { r.Limit, r.Explain = 2, true })
	require.Len(t, got.Results, 2)
	_, err := h.s.Explain(ctx, membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: team, Query: "harbour"}, WhyNot: ids[3]})
	require.NoError(t, err)
	h.look("harbour")
	returned := map[membrain.MemoryID]bool{}
	for _, id := range found(got) {
		returned[id] = true
	}
	for _, id := range ids {
		v := h.inspect(id)
		require.Equal(t, map[bool]uint32{true: 1}[returned[id]], v.RecallCount)
		require.Equal(t, returned[id], v.LastAccessAt != nil)
		require.Equal(t, map[bool]uint64{true: 2, false: 1}[returned[id]], v.Version)
	}
}

func TestRecall_RCL_2_OneFactDoesItAll(t *testing.T) {
	h := newHost(t)
	id := h.encode("The lighthouse of the harbour.").ID
	for range 60 {
		h.encode("Noise of the market.") // past the window, and some decay
	}
	before := h.inspect(id)
	require.Equal(t, model.SynapticDone, before.Lifecycle)
	h.clock.Add(1000)
	got := h.recall("lighthouse", func(r *membrain.RecallRequest) { r.Limit = 1 })
	require.Equal(t, []membrain.MemoryID{id}, found(got))
	after, facts := h.inspect(id), h.history(id)
	require.Len(t, facts, 2)
	require.Equal(t, got.Seq, facts[1].Seq)
	require.Equal(t, before.Version+1, after.Version)
	require.Equal(t, before.RecallCount+1, after.RecallCount)
	require.Equal(t, got.Tick, after.Decay.LastAccessedTick)
	require.Greater(t, *after.LastAccessAt, before.CreatedAt)
	decayed := model.EffectiveStrength(before.Decay.BaseStrength, before.Decay.Stability, before.Decay.DeltaTicks+1, false)
	p := membrain.DefaultParams().Strength
	require.InDelta(t, min(1, decayed+p.LTPDelta), after.Decay.BaseStrength, 1e-12)
	require.InDelta(t, before.Decay.Stability*(1+p.StabilityIncrement), after.Decay.Stability, 1e-9)
	require.Equal(t, model.Labile, after.Lifecycle, "LIF-4: reopened under the same id")
	require.Equal(t, model.SynapticDone, *after.RestabiliseTo)
}

// TestRecall_RCL_4_AMirrorNeverRunsAheadOfTheLog kills the process, as it were, after every reply.
func TestRecall_RCL_4_AUT_4_WhatWasAnsweredIsInTheLog(t *testing.T) {
	h := newHost(t)
	id := h.encode("The lighthouse of the harbour.").ID
	for range 3 {
		got := h.recall("lighthouse")
		after := h.crashed()
		require.Equal(t, got.Results[0].RecallCount, after.inspect(id).RecallCount)
		require.Equal(t, got.Tick, after.tick(team), "the tick of a killed process is not behind what it acknowledged")
		require.Equal(t, h.digest(), after.digest())
		after.verified()
	}
}

func TestRecall_RCL_6_WhatIsShownOnRequestIsNotStrengthened(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id, live := h.encode("The old crane of the harbour.").ID, h.encode("The lighthouse of the harbour.").ID
	h.must(h.s.Forget(ctx, one(id)))
	require.NotContains(t, found(h.recall("crane harbour")), id)
	before := h.inspect(id)
	got := h.recall("crane harbour", func(r *membrain.RecallRequest) { r.Filter.Include = []membrain.Lifecycle{model.Archived} })
	require.Contains(t, found(got), id)
	require.Contains(t, found(got), live)
	after := h.inspect(id)
	require.Equal(t, before.RecallCount, after.RecallCount)
	require.Equal(t, before.Version, after.Version)
	require.Equal(t, model.Archived, after.Lifecycle)
	require.Equal(t, before.Decay.LastAccessedTick, after.Decay.LastAccessedTick)
	require.Equal(t, uint32(2), h.inspect(live).RecallCount)
}

func TestReinforce_RCL_7_IsTheRecallMutation(t *testing.T) {
	ctx := context.Background()
	const fact = "The lighthouse of the harbour."
	recalled, reinforced := newHost(t), newHost(t)
	a, b := recalled.encode(fact).ID, reinforced.encode(fact).ID
	recalled.recall("lighthouse harbour")
	r := one(b)
	r.RequestID = "once"
	first, err := reinforced.s.Reinforce(ctx, r)
	require.NoError(t, err)
	again, err := reinforced.s.Reinforce(ctx, r)
	require.NoError(t, err)
	require.True(t, again.Repeated)
	again.Repeated = false
	require.Equal(t, first, again)
	require.Len(t, reinforced.history(b), 2)
	x, y := recalled.inspect(a), reinforced.inspect(b)
	require.Equal(t, x.Decay, y.Decay)
	require.Equal(t, x.RecallCount, y.RecallCount)
	require.Equal(t, x.Lifecycle, y.Lifecycle)
	require.Equal(t, x.LabileUntil, y.LabileUntil)
	require.Equal(t, x.Utility, y.Utility)
}

func TestRecall_RCL_5_ARequestIDCountsOnceOverARestart(t *testing.T) {
	h := newHost(t)
	id := h.encode("The lighthouse of the harbour.").ID
	ask := func(r *membrain.RecallRequest) { r.RequestID = "once" }
	first := h.recall("lighthouse", ask)
	require.False(t, first.Repeated)
	h.reopen()
	h.deleteAndOpen()
	again := h.recall("lighthouse", ask)
	require.True(t, again.Repeated)
	require.Equal(t, found(first), found(again))
	require.Equal(t, first.Results[0].Score, again.Results[0].Score)
	require.Equal(t, first.Results[0].Parts, again.Results[0].Parts)
	require.Equal(t, uint32(1), h.inspect(id).RecallCount)
	_, err := h.s.Recall(context.Background(), membrain.RecallRequest{Namespace: team, Query: "another", RequestID: "once"})
	requireCode(t, model.CodeDuplicateRequest, err)
}

// deleteAndOpen removes what is derived while the store is closed.
func (h *host) deleteAndOpen() {
	h.t.Helper()
	h.close()
	h.deleteDerived()
	h.open()
}

func TestRecall_DET_2_SameOrderAndScoresAfterRestartAndRebuild(t *testing.T) {
	h := newHost(t)
	for i, s := range []string{"The harbour lantern.", "The harbour crane turned.", "The bell of the harbour.", "A market by the harbour.", "The river signal.", "A velvet engine."} {
		h.put(membrain.EncodeRequest{Text: s, SessionID: "s", Tags: []string{"t"}, Arousal: ptr(float64(i) / 10), Valence: ptr(0.6)})
		h.recall("harbour crane", func(r *membrain.RecallRequest) { r.Limit = 2 })
	}
	ask := func() []membrain.RecallResult {
		return h.look("crane by the harbour", func(r *membrain.RecallRequest) { r.Limit = 20 }).Results
	}
	want := ask()
	require.GreaterOrEqual(t, len(want), 4)
	h.reopen()
	require.Equal(t, want, ask(), "after a restart")
	_, err := h.s.Rebuild(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, want, ask(), "after a rebuild")
	h.deleteAndOpen()
	require.Equal(t, want, ask(), "after all derived files were lost")
}

func TestLifecycle_LIF_1_LIF_4_NamesAndReopening(t *testing.T) {
	ctx := context.Background()
	require.ElementsMatch(t, []string{"Labile", "SynapticDone", "Consolidating", "Consolidated", "Superseded", "Archived"}, model.LifecycleLabels())
	h := newHost(t)
	got := h.encode("The lighthouse of the harbour.")
	require.Equal(t, "Labile", got.Lifecycle.String())
	for range 60 {
		h.encode("Noise of the market.")
	}
	require.Equal(t, "SynapticDone", h.inspect(got.ID).Lifecycle.String())
	require.Contains(t, found(h.look("lighthouse", func(r *membrain.RecallRequest) {
		r.Filter.Lifecycles = []membrain.Lifecycle{model.SynapticDone}
	})), got.ID)
	again := h.recall("lighthouse", func(r *membrain.RecallRequest) { r.Limit = 1 })
	require.Equal(t, got.ID, again.Results[0].ID)
	require.Equal(t, "Labile", again.Results[0].Lifecycle.String())
	h.must(h.s.Forget(ctx, one(got.ID)))
	require.Equal(t, "Archived", h.inspect(got.ID).Lifecycle.String())
	h.must(h.s.Restore(ctx, one(got.ID)))
	require.Equal(t, "SynapticDone", h.inspect(got.ID).Lifecycle.String())
}

// TestLifecycle_LIF_7_ForbiddenEdgesLeaveAnArtifact tries what no state allows.
func TestLifecycle_LIF_7_ForbiddenEdgesLeaveAnArtifact(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id := h.encode("The lighthouse of the harbour.").ID
	_, err := h.s.Restore(ctx, one(id))
	requireCode(t, model.CodeStateConflict, err) // Labile is not Archived
	h.must(h.s.Forget(ctx, one(id)))
	before := h.inspect(id)
	_, err = h.s.Reinforce(ctx, one(id))
	requireCode(t, model.CodeStateConflict, err) // Archived -> Labile
	_, err = h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, Text: ptr("Another.")})
	requireCode(t, model.CodeStateConflict, err)
	require.Equal(t, before, h.inspect(id))
	var verbs []string
	for entry, err := range h.s.AuditLog(ctx, membrain.AuditFilter{Namespace: team, RefusedOnly: true, Memory: id}) {
		require.NoError(t, err)
		verbs = append(verbs, entry.Verb)
		require.Contains(t, entry.Facts[len(entry.Facts)-1].Type, "refused")
	}
	require.Equal(t, []string{"restore", "reinforce", "update"}, verbs)
}

func TestPolicy_GOV_1_NoNamespaceNoAnswer(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id := h.encode("x").ID
	for _, bad := range []string{"", "a\nb", "../x", "/x", string(make([]byte, 129))} {
		_, err := h.s.Encode(ctx, membrain.EncodeRequest{Namespace: bad, Text: "x"})
		requireCode(t, model.CodeValidation, err)
		_, err = h.s.Recall(ctx, membrain.RecallRequest{Namespace: bad, Query: "x"})
		requireCode(t, model.CodeValidation, err)
		_, err = h.s.Inspect(ctx, membrain.MemoryRequest{Namespace: bad, ID: id})
		requireCode(t, model.CodeValidation, err)
		_, err = h.s.List(ctx, membrain.ListRequest{Namespace: bad})
		requireCode(t, model.CodeValidation, err)
		_, err = h.s.Forget(ctx, membrain.MemoryRequest{Namespace: bad, ID: id})
		requireCode(t, model.CodeValidation, err)
		requireCode(t, model.CodeValidation, h.s.SetParams(ctx, bad, membrain.DefaultParams()))
	}
}

// TestPolicy_GOV_2_APrivateMemoryIsNowhere looks for a private memory of one agent with the eyes of another.
func TestPolicy_GOV_2_APrivateMemoryIsNowhere(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	a, b := h.as("a"), h.as("b")
	secret := a.put(membrain.EncodeRequest{Text: "The vault code is 4156.", Entities: []string{"Zanzibar Vault"}, SessionID: "s"}).ID
	shared := a.put(membrain.EncodeRequest{Text: "The vault is in the cellar.", Visibility: model.Shared, SessionID: "s"}).ID
	for range 50 {
		a.must(a.s.Reinforce(ctx, one(secret))) // useful and strong as it may be
	}
	got := b.recall("what is the vault code 4156 of Zanzibar Vault", func(r *membrain.RecallRequest) { r.Explain = true })
	require.Equal(t, []membrain.MemoryID{shared}, found(got))
	require.Empty(t, got.Omitted)
	require.Empty(t, got.Trace.Query.Entities, "an entity that only hidden memories mention")
	for _, term := range got.Trace.Query.Terms {
		require.Zero(t, term.DF, "the frequency of %q counts what policy hides", term.Term)
	}
	for _, stage := range got.Trace.Stages {
		require.LessOrEqual(t, stage.In, 1, "%s counts what policy hides", stage.Name)
		require.LessOrEqual(t, stage.Out, 1, "%s counts what policy hides", stage.Name)
	}
	e, err := b.s.Explain(ctx, membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: team, Query: "vault code"}})
	require.NoError(t, err)
	require.Len(t, e.Results, 1)
	require.Empty(t, e.Dropped)
	_, err = b.s.Explain(ctx, membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: team, Query: "vault code"}, WhyNot: secret})
	requireCode(t, model.CodeNotFound, err)
	for _, f := range []func(context.Context, membrain.MemoryRequest) (membrain.MutationReply, error){
		b.s.Reinforce, b.s.Pin, b.s.Unpin, b.s.Forget, b.s.Restore,
	} {
		_, err := f(ctx, one(secret))
		requireCode(t, model.CodeNotFound, err)
	}
	_, err = b.s.Inspect(ctx, one(secret))
	requireCode(t, model.CodeNotFound, err)
	_, err = b.s.History(ctx, one(secret))
	requireCode(t, model.CodeNotFound, err)
	list, err := b.s.List(ctx, membrain.ListRequest{Namespace: team})
	require.NoError(t, err)
	require.Len(t, list.Memories, 1)
	require.Contains(t, found(a.recall("vault code 4156")), secret)
	require.Contains(t, found(h.recall("vault code 4156")), secret, "the operator sees it")
}

func TestEncode_GOV_5_ATwinThatOneMayNotSeeIsNoTwin(t *testing.T) {
	h := newHost(t)
	a, b := h.as("a"), h.as("b")
	const secret = "The vault code is 4156."
	id := a.encode(secret).ID
	got := b.encode(secret)
	require.Equal(t, model.RouteMintedNew, got.Duplicate.Route)
	require.True(t, got.Duplicate.FamilyID.Zero())
	require.Zero(t, got.Duplicate.CandidatesInspected)
	require.Nil(t, got.Duplicate.NearestSimilarity)
	require.Equal(t, 1.0, got.Duplicate.Novelty)
	require.Equal(t, id, a.encode(secret).Duplicate.FamilyID)
}

func TestEncode_DUP_1_DUP_2_TheSameTextTwice(t *testing.T) {
	h := newHost(t)
	first := h.put(membrain.EncodeRequest{Text: "The lighthouse of the harbour.", SourceRef: "doc/1", Tags: []string{"one"}})
	require.Equal(t, model.RouteMintedNew, first.Duplicate.Route)
	second := h.put(membrain.EncodeRequest{Text: "the  LIGHTHOUSE of the harbour.", SourceRef: "doc/2", Tags: []string{"two"}, Retention: model.RetainDurable})
	require.Equal(t, model.RouteAttachedToFamily, second.Duplicate.Route)
	require.Equal(t, first.ID, second.Duplicate.FamilyID)
	require.NotEqual(t, first.ID, second.ID)
	x, y := h.inspect(first.ID), h.inspect(second.ID)
	require.Equal(t, []string{"doc/1", "doc/2"}, []string{*x.SourceRef, *y.SourceRef})
	require.Equal(t, []string{"The lighthouse of the harbour.", "the  LIGHTHOUSE of the harbour."}, []string{x.CompactText, y.CompactText})
	require.Equal(t, [][]string{{"one"}, {"two"}}, [][]string{x.Tags, y.Tags})
	require.Equal(t, model.RetainNormal, x.Retention)
	require.Equal(t, uint64(1), x.Version, "nothing of the first is touched")
	require.Equal(t, *x.Fingerprint, *y.Fingerprint)
	require.Equal(t, first.ID, *y.DuplicateFamilyID)
	other := h.encode("Something else of another day.")
	require.Equal(t, model.RouteMintedNew, other.Duplicate.Route)
	require.Len(t, h.look("lighthouse harbour").Results, 2, "the family is shown once, beside what else there is")
}
