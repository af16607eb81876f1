package model_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestVocabulary_TAX_1_FifteenTypes(t *testing.T) {
	want := []string{
		"event", "episode", "fact", "relation", "summary", "goal", "skill", "constraint", "hypothesis",
		"conflict_record", "policy_artifact", "observation", "tool_outcome", "user_preference", "session_marker",
	}
	require.Equal(t, want, model.MemoryTypeLabels())
	for i, label := range want {
		got, err := model.ParseMemoryType(label)
		require.NoError(t, err)
		require.Equal(t, model.MemoryType(i+1), got, "stored values never move")
		require.Equal(t, label, got.String())
	}
	_, err := model.ParseMemoryType("rumour")
	require.Equal(t, "memory_type", fault(t, err).Field)
	require.Contains(t, fault(t, err).Allowed, "session_marker")
}

func TestVocabulary_TAX_2_OneSpellingOnEverySurface(t *testing.T) {
	for _, spelling := range []string{`"tool_outcome"`, `"ToolOutcome"`, `"TOOL_OUTCOME"`} {
		var got model.MemoryType
		require.NoError(t, json.Unmarshal([]byte(spelling), &got))
		out, err := json.Marshal(got)
		require.NoError(t, err)
		require.JSONEq(t, `"tool_outcome"`, string(out))
	}
}

func TestVocabulary_KIND_1_KindIsAnAxisOfItsOwn(t *testing.T) {
	for _, c := range []struct {
		typ  model.MemoryType
		kind model.Kind
	}{
		{model.TypeFact, model.Semantic}, {model.TypeEvent, model.Semantic}, {model.TypeSkill, model.Episodic},
	} {
		req := request("x")
		req.Type, req.Kind = c.typ, c.kind
		m := born(t, req, 1)
		require.Equal(t, c.typ, m.Type)
		require.Equal(t, c.kind, m.Kind)
		require.Equal(t, model.OriginCallerSupplied, m.KindOf)
	}
}

func TestVocabulary_KIND_2_NoKindEmotional(t *testing.T) {
	_, err := model.ParseKind("emotional")
	require.Equal(t, "episodic, semantic, procedural, schema", fault(t, err).Allowed)
	require.Contains(t, err.Error(), "emotional")
}

func TestVocabulary_KIND_3_UnknownLabelsAreNeverAccepted(t *testing.T) {
	var req model.EncodeRequest
	require.Error(t, json.Unmarshal([]byte(`{"kind":"emotional"}`), &req))
	require.Error(t, json.Unmarshal([]byte(`{"memory_type":"memo"}`), &req))
	require.Error(t, json.Unmarshal([]byte(`{"source_kind":"carrier_pigeon"}`), &req))
}

func TestVocabulary_KIND_6_KindFollowsTheType(t *testing.T) {
	for label, want := range map[string]model.Kind{
		"event": model.Episodic, "episode": model.Episodic, "observation": model.Episodic, "tool_outcome": model.Episodic,
		"session_marker": model.Episodic, "conflict_record": model.Episodic,
		"skill": model.Procedural,
		"fact":  model.Semantic, "summary": model.Semantic, "goal": model.Semantic, "relation": model.Semantic,
		"constraint": model.Semantic, "hypothesis": model.Semantic, "policy_artifact": model.Semantic, "user_preference": model.Semantic,
	} {
		typ, err := model.ParseMemoryType(label)
		require.NoError(t, err)
		require.Equal(t, want, model.KindOf(typ), label)
	}
	e := normalised(t, request("tea"), agent())
	require.Equal(t, model.OriginDerived, e.KindOf)
}

func TestVocabulary_UTL_3_RetentionFollowsTheType(t *testing.T) {
	for i := range model.MemoryTypeLabels() {
		typ := model.MemoryType(i + 1)
		want := model.RetainNormal
		switch typ {
		case model.TypeUserPreference, model.TypeConstraint, model.TypePolicyArtifact:
			want = model.RetainDurable
		case model.TypeObservation:
			want = model.RetainVolatile
		}
		require.Equal(t, want, model.RetentionOf(typ), typ)
	}
}

func TestVocabulary_INH_2_VisibilityIsPrivateSharedOrPublic(t *testing.T) {
	require.Equal(t, []string{"private", "shared", "public"}, model.VisibilityLabels())
	_, err := model.ParseVisibility("team")
	require.Equal(t, "private, shared, public", fault(t, err).Allowed)
	require.Equal(t, "visibility", rejected(t, with(func(r *model.EncodeRequest) { r.Visibility = 4 }), agent()).Field)
}

func TestVocabulary_LabelsAreTheCallersOwnCopy(t *testing.T) {
	model.KindLabels()[0] = "spoiled"
	require.Equal(t, "episodic", model.KindLabels()[0])
}
