package model_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func recall(f func(*model.RecallRequest)) *model.RecallRequest {
	r := &model.RecallRequest{Namespace: "team", Query: "where is staging hosted?"}
	f(r)
	return r
}

func TestValidate_RecallIsCompleted(t *testing.T) {
	r := recall(func(r *model.RecallRequest) {
		r.Namespace = "cafe\u0301"
		r.Filter.Tags = []string{"e\u0301", "\u00e9"}
		r.Filter.Types = []model.MemoryType{model.TypeFact, model.TypeFact}
		r.Filter.SourceRefs = []string{"e\u0301"}
	})
	require.NoError(t, r.Validate())
	require.Equal(t, "caf\u00e9", r.Namespace)
	require.Equal(t, model.DefaultLimit, r.Limit)
	require.Equal(t, model.DetailNormal, r.Detail)
	require.Equal(t, []string{"\u00e9"}, r.Filter.Tags)
	require.Equal(t, []model.MemoryType{model.TypeFact}, r.Filter.Types)
	require.Equal(t, []string{"e\u0301"}, r.Filter.SourceRefs, "a reference is kept as it was given")

	again := *r
	require.NoError(t, again.Validate())
	require.Equal(t, *r, again, "validating twice changes nothing")
}

func TestValidate_RecallRefusals(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		field string
		f     func(*model.RecallRequest)
	}{
		{"namespace", func(r *model.RecallRequest) { r.Namespace = "a b" }},
		{"request_id", func(r *model.RecallRequest) { r.RequestID = "a\nb" }},
		{"query", func(r *model.RecallRequest) { r.Query = "" }},
		{"query", func(r *model.RecallRequest) { r.Query = "  \u200b" }},
		{"query", func(r *model.RecallRequest) { r.Query = "a\xff" }},
		{"query", func(r *model.RecallRequest) { r.Query = strings.Repeat("q", model.QueryBytesMax+1) }},
		{"limit", func(r *model.RecallRequest) { r.Limit = -1 }},
		{"limit", func(r *model.RecallRequest) { r.Limit = model.LimitMax + 1 }},
		{"token_budget", func(r *model.RecallRequest) { r.TokenBudget = -1 }},
		{"detail", func(r *model.RecallRequest) { r.Detail = 9 }},
		{"types", func(r *model.RecallRequest) { r.Filter.Types = []model.MemoryType{0} }},
		{"kinds", func(r *model.RecallRequest) { r.Filter.Kinds = []model.Kind{5} }},
		{"lifecycle_states", func(r *model.RecallRequest) { r.Filter.Lifecycles = []model.Lifecycle{7} }},
		{"tiers", func(r *model.RecallRequest) { r.Filter.Tiers = []model.Tier{4} }},
		{"visibilities", func(r *model.RecallRequest) { r.Filter.Visibilities = []model.Visibility{4} }},
		{"retention_classes", func(r *model.RecallRequest) { r.Filter.Retentions = []model.Retention{5} }},
		{"policy_flags", func(r *model.RecallRequest) { r.Filter.PolicyFlags = []model.PolicyFlag{6} }},
		{"source_kinds", func(r *model.RecallRequest) { r.Filter.SourceKinds = []model.SourceKind{8} }},
		{"conflict_states", func(r *model.RecallRequest) { r.Filter.Conflicts = []model.ConflictState{6} }},
		{"tags", func(r *model.RecallRequest) { r.Filter.Tags = make([]string, model.FilterValuesMax+1) }},
		{"session_ids", func(r *model.RecallRequest) { r.Filter.Sessions = []string{""} }},
		{"duplicate_families", func(r *model.RecallRequest) { r.Filter.Families = []model.MemoryID{{}} }},
		{"since", func(r *model.RecallRequest) { r.Filter.Since, r.Filter.Until = &now, &now }},
		{"until", func(r *model.RecallRequest) { r.Filter.Until = ptr(now.AddDate(9000, 0, 0)) }},
		{"since_tick", func(r *model.RecallRequest) {
			r.Filter.SinceTick, r.Filter.UntilTick = ptr(model.Tick(5)), ptr(model.Tick(5))
		}},
		{"min_strength", func(r *model.RecallRequest) { r.Filter.MinStrength = ptr(math.NaN()) }},
		{"min_confidence", func(r *model.RecallRequest) { r.Filter.MinConfidence = ptr(1.1) }},
		{"include", func(r *model.RecallRequest) { r.Filter.Include = []model.Lifecycle{model.Labile} }},
	} {
		err := recall(c.f).Validate()
		got := fault(t, err)
		require.Equal(t, c.field, got.Field, got.Message)
		require.NotEmpty(t, got.Allowed)
	}
	require.Contains(t, fault(t, recall(func(r *model.RecallRequest) { r.Query = "" }).Validate()).Hint, "list")
}

func TestValidate_Update(t *testing.T) {
	good := model.UpdateRequest{Namespace: "team", ID: id(1), Text: ptr("new"), Tags: &[]string{"e\u0301", "\u00e9"}}
	require.NoError(t, good.Validate())
	require.Equal(t, []string{"\u00e9"}, *good.Tags)
	cleared := model.UpdateRequest{Namespace: "team", ID: id(1), Tags: &[]string{}}
	require.NoError(t, cleared.Validate())
	require.Empty(t, *cleared.Tags)
	require.NotNil(t, cleared.Tags, "an empty list clears the tags")
	for field, r := range map[string]model.UpdateRequest{
		"id":              {Namespace: "team"},
		"namespace":       {ID: id(1)},
		"text":            {Namespace: "team", ID: id(1), Text: ptr(" ")},
		"memory_type":     {Namespace: "team", ID: id(1), Type: 16},
		"kind":            {Namespace: "team", ID: id(1), Kind: 9},
		"tags":            {Namespace: "team", ID: id(1), Tags: &[]string{"\x00"}},
		"retention_class": {Namespace: "team", ID: id(1), Retention: 9},
		"policy_flags":    {Namespace: "team", ID: id(1), PolicyFlags: &[]model.PolicyFlag{0}},
	} {
		require.Equal(t, field, fault(t, r.Validate()).Field)
	}
}

func TestValidate_MemoryListAndExplain(t *testing.T) {
	m := model.MemoryRequest{Namespace: "cafe\u0301", ID: id(1)}
	require.NoError(t, m.Validate())
	require.Equal(t, "caf\u00e9", m.Namespace)
	require.Equal(t, "id", fault(t, (&model.MemoryRequest{Namespace: "n"}).Validate()).Field)

	l := model.ListRequest{Namespace: "n"}
	require.NoError(t, l.Validate())
	require.Equal(t, model.DefaultLimit, l.Limit)
	require.Equal(t, "limit", fault(t, (&model.ListRequest{Namespace: "n", Limit: -3}).Validate()).Field)
	require.Equal(t, "cursor", fault(t, (&model.ListRequest{Namespace: "n", Cursor: "\x00"}).Validate()).Field)

	for _, r := range []model.ExplainRequest{
		{Recall: model.RecallRequest{Namespace: "n", Query: "q"}, WhyNot: id(2)},
		{Recall: model.RecallRequest{Namespace: "n"}, Request: "r1"},
		{Recall: model.RecallRequest{Namespace: "n"}, ID: id(1)},
	} {
		require.NoError(t, r.Validate())
	}
	for field, r := range map[string]model.ExplainRequest{
		"explain":   {Recall: model.RecallRequest{Namespace: "n", Query: "q"}, ID: id(1)},
		"namespace": {ID: id(1)},
		"why_not":   {Recall: model.RecallRequest{Namespace: "n"}, ID: id(1), WhyNot: id(2)},
	} {
		require.Equal(t, field, fault(t, r.Validate()).Field)
	}
}
