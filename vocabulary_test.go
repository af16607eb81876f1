package membrain_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func TestEncode_TAX_1_EveryTypeIsStoredAndReturned(t *testing.T) {
	h := newHost(t)
	sides := []membrain.MemoryID{h.encode("One side.").ID, h.encode("The other side.").ID}
	labels := model.MemoryTypeLabels()
	require.Len(t, labels, 15)
	for _, label := range labels {
		var kind membrain.MemoryType
		require.NoError(t, kind.UnmarshalText([]byte(label)))
		r := membrain.EncodeRequest{Type: kind, Text: "About " + label, SourceRef: "doc/1"}
		switch kind {
		case membrain.Relation, membrain.ConflictRecord:
			r.Endpoints = sides
		case membrain.ToolOutcome:
			r.Tool = &membrain.ToolRunIn{Tool: "make", Outcome: model.ToolSuccess}
		}
		got := h.put(r)
		require.Equal(t, label, got.Type.String())
		require.Equal(t, label, h.inspect(got.ID).Type.String())
		only := h.look("About "+label, func(r *membrain.RecallRequest) { r.Filter.Types = []membrain.MemoryType{kind} })
		require.Contains(t, found(only), got.ID)
		for _, each := range only.Results {
			require.Equal(t, label, each.Type.String())
		}
	}
	var kind membrain.MemoryType
	require.Error(t, kind.UnmarshalText([]byte("thought")))
	e := h.refused(model.CodeValidation, membrain.EncodeRequest{Type: membrain.MemoryType(99), Text: "x"})
	require.Equal(t, "memory_type", e.Field)
	require.Contains(t, e.Allowed, "user_preference")
}

func TestEncode_KIND_3_UnknownLabelsAreRefused(t *testing.T) {
	h := newHost(t)
	head := h.seq()
	var kind membrain.Kind
	err := kind.UnmarshalText([]byte("emotional"))
	require.ErrorContains(t, err, "episodic")
	require.Equal(t, "kind", h.refused(model.CodeValidation, membrain.EncodeRequest{Kind: membrain.Kind(77), Text: "x"}).Field)
	_, err = h.s.Import(context.Background(), membrain.ImportRequest{
		Format: "jsonl", Name: "old.jsonl", Namespace: team, Reader: strings.NewReader(`{"text":"x","kind":"emotional"}` + "\n"),
	})
	requireCode(t, model.CodeValidation, err)
	require.Equal(t, head, h.seq())
}

func TestInspect_FLD_1_NothingOfTheIdentityIsEverEmpty(t *testing.T) {
	h := newHost(t)
	for _, id := range []membrain.MemoryID{h.encode("First.").ID, h.put(membrain.EncodeRequest{Type: membrain.Goal, Text: "Second."}).ID} {
		v := h.inspect(id)
		require.Equal(t, id, v.ID)
		require.NotZero(t, v.Type)
		require.Equal(t, team, v.Namespace)
		require.NotEmpty(t, v.CreatedAt)
		require.NotEmpty(t, v.UpdatedAt)
		require.Equal(t, uint64(1), v.Version)
	}
}

func TestEncode_CTX_2_TextBindsNothing(t *testing.T) {
	h := newHost(t)
	v := h.inspect(h.encode(`session 42, session_id=42, task_id: t9, agent_id "root", workspace w1`).ID)
	require.Nil(t, v.SessionID)
	require.Nil(t, v.TaskID)
	require.Nil(t, v.AgentID)
	require.Nil(t, v.WorkspaceID)
	require.Empty(t, v.ContextOrigins)
	require.Empty(t, h.look("session 42", func(r *membrain.RecallRequest) { r.Filter.Sessions = []string{"42"} }).Results)
}

func TestEncode_CTX_3_NobodySpeaksForAnother(t *testing.T) {
	h := newHost(t)
	a := h.as("a")
	head := h.seq()
	require.Equal(t, "agent_id", a.refused(model.CodePolicyDenied, membrain.EncodeRequest{AgentID: "b", Text: "x"}).Field)
	require.Equal(t, head, h.seq())
	require.Equal(t, "a", *h.inspect(a.put(membrain.EncodeRequest{AgentID: "a", Text: "x"}).ID).AgentID)
	require.Equal(t, "a", *h.inspect(a.put(membrain.EncodeRequest{Text: "y"}).ID).AgentID)
}

func TestEncode_CTX_7_TheBindingFillsInAndFiltersAlike(t *testing.T) {
	h := newHost(t)
	bound := &host{t: t, dir: h.dir, s: h.s.As(membrain.Caller{Agent: "a", Session: "s1", Task: "t1", Workspace: "w1"})}
	tool := &membrain.ToolRunIn{Tool: "make", Outcome: model.ToolSuccess}
	from := bound.put(membrain.EncodeRequest{Text: "make passed on the harbour branch", Tool: tool}).ID
	given := h.put(membrain.EncodeRequest{Text: "make failed on the harbour branch", Tool: tool, SessionID: "s1", Visibility: model.Shared}).ID
	other := h.put(membrain.EncodeRequest{Text: "make hung on the harbour branch", Tool: tool, SessionID: "s2"}).ID
	v := h.inspect(from)
	require.Equal(t, []string{"a", "s1", "t1", "w1"}, []string{*v.AgentID, *v.SessionID, *v.TaskID, *v.WorkspaceID})
	for _, field := range []string{"agent_id", "session_id", "task_id", "workspace_id"} {
		require.Equal(t, model.OriginExecutionEnvelope, v.ContextOrigins[field], field)
	}
	require.Equal(t, model.OriginCallerSupplied, h.inspect(given).ContextOrigins["session_id"])
	got := h.look("harbour branch", func(r *membrain.RecallRequest) { r.Filter.Sessions = []string{"s1"} })
	require.ElementsMatch(t, []membrain.MemoryID{from, given}, found(got))
	require.NotContains(t, found(got), other)
}

func TestEncode_PRV_6_NobodyClaimsAPathThatDidNotWrite(t *testing.T) {
	h := newHost(t)
	head := h.seq()
	for _, kind := range []membrain.SourceKind{model.SourceConsolidation, model.SourceRepair, model.SourceImport} {
		h.refused(model.CodePolicyDenied, membrain.EncodeRequest{SourceKind: kind, Text: "x"})
	}
	require.Equal(t, head, h.seq())
	require.Equal(t, model.SourceAPI, h.inspect(h.encode("x").ID).SourceKind)
	_, err := h.s.Import(context.Background(), membrain.ImportRequest{Format: "jsonl", Name: "f", Namespace: team, Reader: strings.NewReader(`{"text":"imported"}` + "\n")})
	require.NoError(t, err)
	require.Equal(t, model.SourceImport, h.look("imported").Results[0].Provenance.SourceKind)
}

func TestEncode_TAG_1_WhatWasSaidAndWhatWasInferred(t *testing.T) {
	h := newHost(t)
	plain := h.inspect(h.encode("A plain note.").ID)
	full := h.inspect(h.put(membrain.EncodeRequest{
		Text: "A charged note.", Arousal: ptr(0.9), Valence: ptr(-0.8), Attention: ptr(0.95), TaskRelevance: ptr(0.5), Authoritativeness: ptr(0.25), SourceRef: "doc/7",
	}).ID)
	origin := func(v membrain.View, name model.CueName) model.Origin {
		for _, cue := range v.SalienceCues {
			if cue.Name == name {
				return cue.Origin
			}
		}
		return 0
	}
	require.Equal(t, model.OriginDefault, origin(plain, model.CueAttention))
	require.Equal(t, model.OriginCallerSupplied, origin(full, model.CueAttention))
	require.Equal(t, model.OriginDerived, origin(full, model.CueNovelty))
	require.Nil(t, plain.EmotionOrigin)
	require.Equal(t, model.OriginCallerSupplied, *full.EmotionOrigin)
	require.Equal(t, model.OriginCallerSupplied, full.SourceRefOrigin)
	require.NotEqual(t, model.OriginCallerSupplied, plain.SourceRefOrigin)
	require.Equal(t, 0.25, full.Authoritativeness)
	require.Equal(t, model.OriginDerived, plain.KindOrigin)
}

func TestEncode_LNK_1_TagsTellWhoGaveThem(t *testing.T) {
	h := newHost(t)
	id := h.put(membrain.EncodeRequest{Text: "Tagged.", Tags: []string{"red", "blue"}}).ID
	v := h.inspect(id)
	require.Equal(t, []string{"red", "blue"}, v.Tags)
	require.Equal(t, map[string]model.Origin{"red": model.OriginCallerSupplied, "blue": model.OriginCallerSupplied}, v.TagOrigins)
	h.must(h.s.Update(context.Background(), membrain.UpdateRequest{Namespace: team, ID: id, Tags: &[]string{"blue", "green"}}))
	require.Equal(t, []string{"blue", "green"}, h.inspect(id).Tags)
	require.Len(t, h.inspect(id).TagOrigins, 2)
	got := h.look("Tagged", func(r *membrain.RecallRequest) { r.Filter.Tags = []string{"red"} })
	require.Empty(t, got.Results, "a tag taken away filters no more")
}

// TestInspect_DET_1_ShowsEveryInputOfDecay recomputes the strength from what is shown.
func TestInspect_DET_1_ShowsEveryInputOfDecay(t *testing.T) {
	h := newHost(t)
	id := h.encode("The anchor memory of the harbour.").ID
	for range 50 {
		h.encode("Something else entirely.")
	}
	v := h.inspect(id)
	d := v.Decay
	require.Equal(t, h.tick(team), d.CurrentTick)
	require.Equal(t, uint64(50), d.DeltaTicks)
	require.Equal(t, uint64(d.CurrentTick-d.LastAccessedTick), d.DeltaTicks)
	require.False(t, d.Persisted)
	require.InDelta(t, model.EffectiveStrength(d.BaseStrength, d.Stability, d.DeltaTicks, d.BypassDecay), v.EffectiveStrength, 1e-12)
	require.Less(t, v.EffectiveStrength, d.BaseStrength)
	e, err := h.s.Explain(context.Background(), membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: team}, ID: id})
	require.NoError(t, err)
	require.Equal(t, d, e.Memory.Decay)
	got := h.recall("anchor memory harbour", func(r *membrain.RecallRequest) { r.Limit = 1 }).Results[0]
	require.Equal(t, id, got.ID)
	require.True(t, got.Decay.Persisted)
	require.Equal(t, uint64(51), got.Decay.DeltaTicks)
	keys := map[string]bool{}
	for i := range reflect.TypeFor[model.DecayReply]().NumField() {
		keys[reflect.TypeFor[model.DecayReply]().Field(i).Tag.Get("json")] = true
	}
	b, err := json.Marshal(v)
	require.NoError(t, err)
	for key := range keys {
		require.Contains(t, string(b), `"`+key+`"`)
	}
}

func TestEncode_TIR_2_AFirstWriteIsHot(t *testing.T) {
	h := newHost(t)
	got := h.encode("x")
	require.Equal(t, model.Tier2, got.Tier)
	require.Equal(t, model.TierFirstWrite, got.TierReason)
	require.Equal(t, model.Tier2, h.inspect(got.ID).Tier)
}

// TestEncode_BadInput is refused with field, value and what is allowed, and writes nothing.
func TestEncode_NRM_7_BadInputWritesNothing(t *testing.T) {
	h := newHost(t)
	h.encode("There is one memory.")
	head := h.seq()
	long := strings.Repeat("n", 300)
	for name, each := range map[string]struct {
		field string
		code  model.Code
		r     membrain.EncodeRequest
	}{
		"empty":           {"text", model.CodeValidation, membrain.EncodeRequest{}},
		"white space":     {"text", model.CodeValidation, membrain.EncodeRequest{Text: " \n\t "}},
		"invalid UTF-8":   {"text", model.CodeValidation, membrain.EncodeRequest{Text: "a\xff"}},
		"too long":        {"text", model.CodeTooLarge, membrain.EncodeRequest{Text: strings.Repeat("x", model.TextBytesMax+1)}},
		"no namespace":    {"namespace", model.CodeValidation, membrain.EncodeRequest{Namespace: " ", Text: "x"}},
		"dots":            {"namespace", model.CodeValidation, membrain.EncodeRequest{Namespace: "a/../b", Text: "x"}},
		"control":         {"namespace", model.CodeValidation, membrain.EncodeRequest{Namespace: "a\x00b", Text: "x"}},
		"300 characters":  {"namespace", model.CodeValidation, membrain.EncodeRequest{Namespace: long, Text: "x"}},
		"arousal":         {"encoding_arousal", model.CodeValidation, membrain.EncodeRequest{Text: "x", Arousal: ptr(1.5)}},
		"valence":         {"encoding_valence", model.CodeValidation, membrain.EncodeRequest{Text: "x", Valence: ptr(-1.5)}},
		"attention":       {"attention", model.CodeValidation, membrain.EncodeRequest{Text: "x", Attention: ptr(-0.1)}},
		"visibility":      {"visibility", model.CodeValidation, membrain.EncodeRequest{Text: "x", Visibility: 9}},
		"procedural":      {"source_ref", model.CodeValidation, membrain.EncodeRequest{Text: "x", Type: membrain.Skill}},
		"tool without":    {"tool", model.CodeValidation, membrain.EncodeRequest{Text: "x", Type: membrain.ToolOutcome}},
		"unknown parent":  {"lineage", model.CodeNotFound, membrain.EncodeRequest{Text: "x", Lineage: []membrain.MemoryID{anyID(7)}}},
		"lonely relation": {"endpoints", model.CodeValidation, membrain.EncodeRequest{Text: "x", Type: membrain.Relation}},
	} {
		t.Run(name, func(t *testing.T) {
			e := h.refused(each.code, each.r)
			require.Equal(t, each.field, e.Field)
			if each.code == model.CodeValidation {
				require.NotEmpty(t, e.Allowed)
			}
			require.Equal(t, head, h.seq())
		})
	}
	_, err := h.s.Recall(context.Background(), membrain.RecallRequest{Namespace: team, Query: "x", Limit: -1})
	requireCode(t, model.CodeValidation, err)
	require.Equal(t, head, h.seq())
	h.reopen()
	require.Equal(t, head, h.seq())
	require.Len(t, h.look("memory").Results, 1)
}
