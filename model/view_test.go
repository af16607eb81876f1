package model_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

// fieldTables are the names of the seed's tables: required base, strongly expected, feature-specific.
var fieldTables = []string{
	"id", "memory_type", "namespace", "created_at", "updated_at", "version",

	"workspace_id", "agent_id", "session_id", "task_id", "source_kind", "source_ref", "authoritativeness", "content_ref",
	"payload_ref", "compact_text", "fingerprint", "tier", "salience", "confidence", "utility_estimate", "recall_count",
	"last_access_at", "retention_class", "decay_state", "policy_flags", "lineage", "tags", "entity_refs", "relation_refs",

	"conflict_state", "conflict_record_ids", "superseded_by", "belief_version", "belief_chain_id", "is_landmark",
	"landmark_label", "era_id", "corroboration_count", "reconsolidation_count", "engram_id", "distilled_from_engram",
	"namespace_id", "visibility", "has_causal_parents", "has_causal_children", "compressed_into", "encoding_valence",
	"encoding_arousal", "uncertainty_score", "corroboration_uncertainty", "freshness_uncertainty",
	"contradiction_uncertainty", "missing_evidence_uncertainty", "confidence_interval", "observation_source",
	"observation_chunk_id",
}

// extraFields stand in inspect beside the tables (interfaces.md).
var extraFields = []string{
	"kind", "lifecycle_state", "restabilise_to", "labile_until", "charge", "retrieval_difficulty", "duplicate_family_id",
	"content_revision", "payload_state", "effective_strength", "context_origins", "tag_origins", "emotion_origin",
	"encode_outcome", "redactions",
}

func document(t *testing.T, v model.View) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal(b, &doc))
	return doc
}

func TestView_FLD_1_FLD_2_EveryFieldOfTheTablesIsThere(t *testing.T) {
	s := &symbols{}
	m := bornWith(t, request("tea"), 1, model.Findings{}, s)
	doc := document(t, m.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Tick: 1}))
	for _, field := range append(append([]string{}, fieldTables...), extraFields...) {
		require.Contains(t, doc, field)
	}
	for _, never := range fieldTables[:6] {
		require.NotEmpty(t, doc[never], "%s is never empty", never)
	}
	for _, absent := range []string{
		"payload_ref", "fingerprint", "last_access_at", "superseded_by", "belief_chain_id", "landmark_label", "era_id", "engram_id",
		"distilled_from_engram", "compressed_into", "encoding_valence", "encoding_arousal", "observation_source", "observation_chunk_id",
	} {
		require.Nil(t, doc[absent], "%s is null when absent", absent)
	}
	for _, list := range []string{"policy_flags", "lineage", "tags", "entity_refs", "relation_refs", "conflict_record_ids", "endpoints"} {
		require.Equal(t, []any{}, doc[list], "%s is [] when empty", list)
	}
	decay := doc["decay_state"].(map[string]any)
	for _, field := range []string{"base_strength", "stability", "last_accessed_tick", "bypass_decay", "current_tick", "delta_ticks", "decay_persisted"} {
		require.Contains(t, decay, field)
	}
}

func TestView_ShowsWhatWasEncoded(t *testing.T) {
	s := &symbols{}
	at := time.Date(2026, 5, 1, 14, 30, 0, 123_456_789, time.FixedZone("CEST", 7200))
	req := request("go test failed")
	req.Context, req.Tags, req.Entities, req.Goals = "before the release", []string{"ci"}, []string{"Bob"}, []model.MemoryID{id(8)}
	req.Tool = &model.ToolRunIn{Tool: "go test", ExecutionRef: "run/7", Outcome: model.ToolFailure}
	req.OccurredAt, req.Valence, req.Arousal = &at, ptr(-0.5), ptr(0.4)
	m := bornWith(t, req, 10, model.Findings{Inspected: 3, NearestSimilarity: 0.25}, s)
	e := normalised(t, req, agent())
	record := &model.Record{Text: e.Text, Context: e.Context, Fingerprint: e.Fingerprint()}
	v := m.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Record: record, Payload: []byte{1}, Tick: 12})

	require.Equal(t, "2026-05-01T12:30:00.123Z", *v.OccurredAt)
	require.Equal(t, "go test failed", v.CompactText)
	require.Equal(t, "go test failed", *v.Text)
	require.Equal(t, "before the release", *v.Context)
	require.Equal(t, e.Fingerprint(), *v.Fingerprint)
	require.Equal(t, []byte{1}, v.Payload)
	require.Equal(t, model.ToolRunIn{Tool: "go test", ExecutionRef: "run/7", Outcome: model.ToolFailure}, *v.Tool)
	require.Equal(t, []string{"ci"}, v.Tags)
	require.Equal(t, model.OriginCallerSupplied, v.TagOrigins["ci"])
	require.Equal(t, []model.RefView{{Mention: "Bob", Origin: model.OriginCallerSupplied, Status: model.RefCandidate}}, v.EntityRefs)
	require.Equal(t, id(8), *v.RelationRefs[0].ID)
	require.Equal(t, "s1", *v.SessionID)
	require.Equal(t, map[string]model.Origin{
		"workspace_id": model.OriginExecutionEnvelope, "agent_id": model.OriginExecutionEnvelope,
		"session_id": model.OriginExecutionEnvelope, "task_id": model.OriginExecutionEnvelope,
	}, v.ContextOrigins)
	require.Equal(t, model.Labile, v.Lifecycle)
	require.Equal(t, model.SynapticDone, *v.RestabiliseTo)
	require.Equal(t, m.LabileUntil, *v.LabileUntil)
	require.Equal(t, -0.5, *v.Valence)
	require.InDelta(t, 0.75, v.EncodeOutcome.Novelty, epsilon)
	require.Equal(t, model.Tick(10), v.EncodeOutcome.EncodedTick)
	require.Equal(t, "content/1", *v.ContentRef)

	later := m.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Tick: 100_000})
	require.Equal(t, model.SynapticDone, later.Lifecycle)
	require.Nil(t, later.RestabiliseTo)
	require.Nil(t, later.LabileUntil)
	require.Empty(t, later.CompactText, "content not loaded")
}

func TestView_FLD_3_CompactTextNeedsNoPayload(t *testing.T) {
	s := &symbols{}
	m := bornWith(t, request("tea"), 1, model.Findings{}, s)
	v := m.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Record: &model.Record{Text: "tea"}, Payload: []byte{1}, NoPayload: true, Tick: 1})
	require.Equal(t, "tea", v.CompactText)
	doc := document(t, v)
	for _, heavy := range []string{"text", "context", "payload"} {
		require.NotContains(t, doc, heavy)
	}
}

func TestView_NRM_6_TextOutOfLineHasAPayloadRef(t *testing.T) {
	long := strings.Repeat("word ", 20_000)
	e := normalised(t, request(long), agent())
	ref := content(4)
	ref.OutOfLine = e.OutOfLine()
	s := &symbols{}
	fact, err := model.DecideEncode(e.Command(id(1), s.intern), ref, model.PayloadRef{}, model.DefaultParams(), moment(1))
	require.NoError(t, err)
	v := fact.Memory.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Record: &model.Record{Text: long}, Tick: 1})
	require.Equal(t, "content/4", *v.PayloadRef)
	require.LessOrEqual(t, len(v.CompactText), model.CompactBytesMax)
	require.Equal(t, long, *v.Text)
}

func TestView_CTX_5_RedactedIsDistinctFromAbsent(t *testing.T) {
	s := &symbols{}
	c := agent()
	c.Task = ""
	m := model.Apply(nil, encoded(t, normalised(t, request("tea"), c).Command(id(1), s.intern), 1))
	v := m.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Tick: 1, Redact: map[string]string{"session_id": "policy", "task_id": "policy"}})
	require.Nil(t, v.SessionID)
	require.Equal(t, "policy", v.Redactions["session_id"].Reason)
	require.NotContains(t, v.Redactions["session_id"].Handle, "s1")
	require.Nil(t, v.TaskID)
	require.NotContains(t, v.Redactions, "task_id", "absent is not redacted")
	require.Equal(t, "w1", *v.WorkspaceID)
}

func TestView_PRV_5_ErasedStringsStayAsOpaqueHandles(t *testing.T) {
	s := &symbols{}
	req := request("tea")
	req.SourceRef, req.Tags = "alice@acme.example", []string{"alice"}
	m := bornWith(t, req, 1, model.Findings{}, s)
	s.erase("alice@acme.example")
	s.erase("alice")
	s.erase("s1")
	v := m.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Tick: 1})
	require.Equal(t, "erased/1", *v.SourceRef, "not null")
	require.Equal(t, model.Redaction{Handle: "erased/1", Reason: model.ReasonErased}, v.Redactions["source_ref"])
	require.Nil(t, v.SessionID)
	require.Equal(t, model.ReasonErased, v.Redactions["session_id"].Reason)
	require.Equal(t, []string{"erased/6"}, v.Tags)
	b, err := json.Marshal(v)
	require.NoError(t, err)
	require.NotContains(t, string(b), "alice")
}

func TestView_TAX_3_AHypothesisIsTentative(t *testing.T) {
	for typ, want := range map[model.MemoryType]bool{model.TypeHypothesis: true, model.TypeFact: false} {
		req := request("tea")
		req.Type = typ
		require.Equal(t, want, born(t, req, 1).View(model.ViewInput{Namespace: "n", Resolve: (&symbols{}).resolve, Tick: 1}).Tentative)
	}
}

func TestView_ObservationAndArchive(t *testing.T) {
	s := &symbols{}
	req := request("disk at 91 %")
	req.Observation = &model.ObservationIn{Source: model.ObservedWatch, Chunk: "pass-1"}
	m := done(t, bornWith(t, req, 1, model.Findings{}, s), model.Archive{Reason: model.ArchivedForgotten}, 2)
	v := m.View(model.ViewInput{Namespace: "team", Resolve: s.resolve, Tick: 3})
	require.Equal(t, model.ObservedWatch, *v.ObservationSource)
	require.Equal(t, "pass-1", *v.ObservationChunk)
	require.Equal(t, model.ArchivedForgotten, *v.ArchivedReason)
	require.Equal(t, model.Archived, v.Lifecycle)
	require.Nil(t, v.LabileUntil)
}

func TestTimestamp_UTCWithMilliseconds(t *testing.T) {
	for millis, want := range map[model.Millis]string{
		1_777_638_600_123:   "2026-05-01T12:30:00.123Z",
		1_777_638_600_000:   "2026-05-01T12:30:00.000Z",
		-62_135_596_799_999: "0001-01-01T00:00:00.001Z",
	} {
		require.Equal(t, want, model.Timestamp(millis))
	}
}

func TestChanges_VER_4_NameWhatEachFactChanged(t *testing.T) {
	s := &symbols{}
	req := request("tea")
	req.Tags = []string{"ops"}
	m := bornWith(t, req, 100, model.Findings{}, s)
	born := model.Changes(model.MemoryEncoded{Memory: *m}, s.resolve)
	require.Equal(t, "event", born["memory_type"])
	require.Equal(t, []string{"ops"}, born["tags"])
	require.Equal(t, uint64(137), born["labile_until"])
	require.InDelta(t, 0.4992, born["base_strength"], epsilon)
	require.Equal(t, "planner", born["agent_id"])
	require.NotContains(t, born, "nearest_similarity")

	facts, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, model.DefaultParams(), moment(500))
	require.NoError(t, err)
	recalled := model.Changes(facts[0], s.resolve)
	require.Equal(t, uint64(400), recalled["delta_ticks"])
	require.InDelta(t, 0.408710392, recalled["decayed_strength"], epsilon)
	require.InDelta(t, 0.508710392, recalled["base_strength"], epsilon)
	require.Equal(t, uint64(500), recalled["last_accessed_tick"])
	require.Equal(t, uint32(1), recalled["recall_count"])
	require.Equal(t, "Labile", recalled["lifecycle_state"])

	for _, c := range []struct {
		fact model.Fact
		want map[string]any
	}{
		{model.MemoryPinned{Was: model.RetainNormal}, map[string]any{"retention_class": "pinned", "retention_was": "normal"}},
		{model.MemoryUnpinned{Retention: model.RetainNormal}, map[string]any{"retention_class": "normal"}},
		{model.LabileWindowClosed{Lifecycle: model.SynapticDone}, map[string]any{"lifecycle_state": "SynapticDone"}},
		{
			model.MemoryArchived{From: model.SynapticDone, Reason: model.ArchivedFaded, Effective: 0.04, DeltaTicks: 900},
			map[string]any{"lifecycle_state": "Archived", "archived_from": "SynapticDone", "archived_reason": "faded", "effective_strength": 0.04, "delta_ticks": uint64(900)},
		},
		{model.MemoryRestored{To: model.Consolidated}, map[string]any{"lifecycle_state": "Consolidated"}},
		{model.MemoryRevised{Retention: model.RetainDurable}, map[string]any{"retention_class": "durable"}},
		{
			model.MemoryRevised{Kind: model.Procedural, KindOf: model.OriginCallerSupplied, Decay: &model.DecayState{BaseStrength: 0.4, Stability: 2000, LastAccessedTick: 9, Bypass: model.BypassKind}},
			map[string]any{
				"kind": "procedural", "kind_origin": "caller_supplied", "base_strength": 0.4, "stability": 2000.0,
				"last_accessed_tick": uint64(9), "bypass_decay": true, "bypass_cause": "kind",
			},
		},
		{
			model.MemoryRevised{PolicyFlags: ptr(model.PolicyFlags(0).With(model.FlagLegalHold))},
			map[string]any{"policy_flags": []string{"legal_hold"}},
		},
		{
			model.MemoryRevised{Type: model.TypeFact, Kind: model.Semantic, KindOf: model.OriginDerived, Tags: &[]model.Tag{}},
			map[string]any{"memory_type": "fact", "kind": "semantic", "kind_origin": "derived", "tags": []string{}},
		},
	} {
		require.Equal(t, c.want, model.Changes(c.fact, s.resolve))
	}
}

func TestChanges_VER_4_ANewTextShowsItsDecayInputsAndNoText(t *testing.T) {
	m := born(t, request("tea"), 100)
	facts, err := model.Decide(m, newText(2), model.DefaultParams(), moment(110))
	require.NoError(t, err)
	got := model.Changes(facts[0], (&symbols{}).resolve)
	for _, field := range []string{
		"content_ref", "payload_state", "reconsolidated", "reconsolidation_count", "delta_ticks", "decayed_strength",
		"base_strength", "last_accessed_tick", "confidence", "lifecycle_state", "restabilise_to", "labile_until",
	} {
		require.Contains(t, got, field)
	}
	require.Equal(t, "content/2", got["content_ref"])
	require.Equal(t, true, got["reconsolidated"])
	a, err := json.Marshal(got)
	require.NoError(t, err)
	b, err := json.Marshal(model.Changes(facts[0], (&symbols{}).resolve))
	require.NoError(t, err)
	require.Equal(t, a, b)
}
