package model_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

// rejected normalises a request that must be refused and returns the fault.
func rejected(t *testing.T, req model.EncodeRequest, c model.Caller) *model.Error {
	t.Helper()
	got, err := model.Normalise(req, c, model.DefaultParams())
	require.Error(t, err)
	require.Equal(t, model.Envelope{}, got, "nothing to persist after a refusal")
	return fault(t, err)
}

// with returns a request changed by f.
func with(f func(*model.EncodeRequest)) model.EncodeRequest {
	req := request("Bob moved the staging database to Frankfurt")
	f(&req)
	return req
}

func TestNormalise_NRM_1_OneEnvelopeForEveryDoor(t *testing.T) {
	req := with(func(r *model.EncodeRequest) { r.SourceRef = "ticket-7" })
	want := normalised(t, req, agent())
	for _, door := range []model.SourceKind{model.SourceCLI, model.SourceAPI, model.SourceMCP} {
		c := agent()
		c.Door = door
		got := normalised(t, req, c)
		require.Equal(t, door, got.SourceKind)
		got.SourceKind = want.SourceKind
		require.Equal(t, want, got)
	}
}

func TestNormalise_NRM_1_Defaults(t *testing.T) {
	e := normalised(t, request("tea"), agent())
	require.Equal(t, model.TypeEvent, e.Type)
	require.Equal(t, model.Episodic, e.Kind)
	require.Equal(t, model.OriginDerived, e.KindOf)
	require.Equal(t, model.RetainNormal, e.Retention)
	require.Equal(t, 0.5, e.Authoritativeness)
	require.Equal(t, 0.7, e.Cues.Attention)
	require.Zero(t, e.EmotionOf)
	require.Zero(t, e.OccurredAt)
	require.Empty(t, e.Lineage)
}

func TestNormalise_SHR_2_DefaultVisibilityIsPrivate(t *testing.T) {
	require.Equal(t, model.Private, normalised(t, request("tea"), agent()).Visibility)
}

func TestNormalise_NRM_2_DefaultTypes(t *testing.T) {
	tool := &model.ToolRunIn{Tool: "go test", Outcome: model.ToolSuccess}
	observing := agent()
	observing.Door = model.SourceObserve
	for _, c := range []struct {
		name   string
		req    model.EncodeRequest
		caller model.Caller
		want   model.MemoryType
	}{
		{"raw message", with(func(*model.EncodeRequest) {}), agent(), model.TypeEvent},
		{"finished tool run", with(func(r *model.EncodeRequest) { r.Tool = tool }), agent(), model.TypeToolOutcome},
		{"observation fields", with(func(r *model.EncodeRequest) { r.Observation = &model.ObservationIn{} }), agent(), model.TypeObservation},
		{"observe path", with(func(*model.EncodeRequest) {}), observing, model.TypeObservation},
		{"observe claimed", with(func(r *model.EncodeRequest) { r.SourceKind = model.SourceObserve }), agent(), model.TypeObservation},
		{"standing preference", with(func(r *model.EncodeRequest) { r.Type = model.TypeUserPreference }), agent(), model.TypeUserPreference},
		{"session boundary", with(func(r *model.EncodeRequest) { r.Type = model.TypeSessionMarker }), agent(), model.TypeSessionMarker},
	} {
		require.Equal(t, c.want, normalised(t, c.req, c.caller).Type, c.name)
	}
}

func TestNormalise_NRM_3_ObservationFields(t *testing.T) {
	req := with(func(r *model.EncodeRequest) {
		r.Observation = &model.ObservationIn{Source: model.ObservedWatch, Chunk: "pass-1"}
	})
	e := normalised(t, req, agent())
	require.Equal(t, model.ObservationIn{Source: model.ObservedWatch, Chunk: "pass-1"}, e.Observation)
	require.Equal(t, model.RetainVolatile, e.Retention)

	_, err := model.ParseObservationSource("camera")
	require.Equal(t, "stdin, file, watch", fault(t, err).Allowed)
	require.Equal(t, "observation_source", rejected(t, with(func(r *model.EncodeRequest) {
		r.Observation = &model.ObservationIn{Source: 99}
	}), agent()).Field)
	require.Equal(t, "observation", rejected(t, with(func(r *model.EncodeRequest) {
		r.Type, r.Observation = model.TypeFact, &model.ObservationIn{Source: model.ObservedFile}
	}), agent()).Field)
}

func TestNormalise_NRM_4_ToolOutcomeNeedsToolAndCategory(t *testing.T) {
	for field, tool := range map[string]*model.ToolRunIn{
		"tool":    {Outcome: model.ToolFailure},
		"outcome": {Tool: "go test"},
	} {
		require.Equal(t, field, rejected(t, with(func(r *model.EncodeRequest) { r.Tool = tool }), agent()).Field)
	}
	require.Equal(t, "tool", rejected(t, with(func(r *model.EncodeRequest) { r.Type = model.TypeToolOutcome }), agent()).Field)

	run := &model.ToolRunIn{Tool: "go test", ExecutionRef: "run/7", Context: "ci", Outcome: model.ToolTimeout}
	require.Equal(t, *run, normalised(t, with(func(r *model.EncodeRequest) { r.Tool = run }), agent()).Tool)
	require.Equal(t, "tool", rejected(t, with(func(r *model.EncodeRequest) { r.Type, r.Tool = model.TypeFact, run }), agent()).Field)
}

func TestNormalise_TAX_4_RelationsAndConflictsNeedTwoEnds(t *testing.T) {
	for _, typ := range []model.MemoryType{model.TypeRelation, model.TypeConflictRecord} {
		for _, ends := range [][]model.MemoryID{nil, {id(1)}, {id(1), id(1)}} {
			got := rejected(t, with(func(r *model.EncodeRequest) { r.Type, r.Endpoints = typ, ends }), agent())
			require.Equal(t, "endpoints", got.Field, "%s %v", typ, ends)
		}
		e := normalised(t, with(func(r *model.EncodeRequest) { r.Type, r.Endpoints = typ, []model.MemoryID{id(1), id(2)} }), agent())
		require.Len(t, e.Endpoints, 2)
	}
	require.Equal(t, "endpoints", rejected(t, with(func(r *model.EncodeRequest) {
		r.Type, r.Endpoints = model.TypeFact, []model.MemoryID{id(1), id(2)}
	}), agent()).Field)
}

func TestNormalise_NRM_5_TextThatLooksLikeAFactStaysAnEvent(t *testing.T) {
	for _, text := range []string{
		"The capital of France is Paris.", "Always answer in French.", "GOAL: ship on Friday", "session started",
	} {
		require.Equal(t, model.TypeEvent, normalised(t, request(text), agent()).Type, text)
	}
}

func TestNormalise_NRM_6_CompactTextIsBoundedAndTheTextUntouched(t *testing.T) {
	long := strings.Repeat("Ω≈ç√ ", 200_000)
	e := normalised(t, request(long), agent())
	text, _ := e.Texts()
	require.Equal(t, long, text)
	require.True(t, e.OutOfLine())
	require.LessOrEqual(t, len(e.Compact()), model.CompactBytesMax)
	require.True(t, strings.HasPrefix(long, e.Compact()))
	require.NotEmpty(t, e.Compact())

	short := " as it is \n"
	require.Equal(t, short, normalised(t, request(short), agent()).Compact())
	require.False(t, normalised(t, request(short), agent()).OutOfLine())

	zalgo := "a" + strings.Repeat("\u0301", 3_000) // one grapheme cluster that is longer than the bound
	require.Len(t, normalised(t, request(zalgo), agent()).Compact(), model.CompactBytesMax-1)
	padded := strings.Repeat(" ", 5_000) + "word"
	require.Equal(t, "word", normalised(t, request(padded), agent()).Compact())
}

func TestNormalise_NRM_7_RefusesWhatIsNotValid(t *testing.T) {
	nan, big := math.NaN(), 1.5
	epoch, zero := time.Unix(0, 0), time.Time{}
	for _, c := range []struct {
		field string
		code  model.Code
		f     func(*model.EncodeRequest)
	}{
		{"namespace", model.CodeValidation, func(r *model.EncodeRequest) { r.Namespace = "" }},
		{"namespace", model.CodeValidation, func(r *model.EncodeRequest) { r.Namespace = "../etc" }},
		{"request_id", model.CodeTooLarge, func(r *model.EncodeRequest) { r.RequestID = strings.Repeat("r", 129) }},
		{"memory_type", model.CodeValidation, func(r *model.EncodeRequest) { r.Type = 16 }},
		{"kind", model.CodeValidation, func(r *model.EncodeRequest) { r.Kind = 5 }},
		{"text", model.CodeValidation, func(r *model.EncodeRequest) { r.Text = "" }},
		{"text", model.CodeValidation, func(r *model.EncodeRequest) { r.Text = " \n\t\u200b\u2060" }},
		{"text", model.CodeValidation, func(r *model.EncodeRequest) { r.Text = "a\xffb" }},
		{"text", model.CodeTooLarge, func(r *model.EncodeRequest) { r.Text = strings.Repeat("a", model.TextBytesMax+1) }},
		{"context", model.CodeTooLarge, func(r *model.EncodeRequest) { r.Context = strings.Repeat("a", model.ContextBytesMax+1) }},
		{"context", model.CodeValidation, func(r *model.EncodeRequest) { r.Context = "\xc3" }},
		{"tags", model.CodeValidation, func(r *model.EncodeRequest) { r.Tags = []string{"a\x00b"} }},
		{"tags", model.CodeValidation, func(r *model.EncodeRequest) { r.Tags = []string{"  "} }},
		{"tags", model.CodeValidation, func(r *model.EncodeRequest) { r.Tags = []string{""} }},
		{"tags", model.CodeTooLarge, func(r *model.EncodeRequest) { r.Tags = []string{strings.Repeat("t", 257)} }},
		{"tags", model.CodeValidation, func(r *model.EncodeRequest) { r.Tags = make([]string, 65) }},
		{"source_ref", model.CodeValidation, func(r *model.EncodeRequest) { r.SourceRef = "a\nb" }},
		{"session_id", model.CodeValidation, func(r *model.EncodeRequest) { r.SessionID = "a\x1b[0m" }},
		{"occurred_at", model.CodeValidation, func(r *model.EncodeRequest) { r.OccurredAt = &epoch }},
		{"occurred_at", model.CodeValidation, func(r *model.EncodeRequest) { r.OccurredAt = &zero }},
		{"occurred_at", model.CodeValidation, func(r *model.EncodeRequest) { r.OccurredAt = ptr(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)) }},
		{"authoritativeness", model.CodeValidation, func(r *model.EncodeRequest) { r.Authoritativeness = &big }},
		{"attention", model.CodeValidation, func(r *model.EncodeRequest) { r.Attention = &nan }},
		{"task_relevance", model.CodeValidation, func(r *model.EncodeRequest) { r.TaskRelevance = ptr(math.Inf(1)) }},
		{"retention_class", model.CodeValidation, func(r *model.EncodeRequest) { r.Retention = 9 }},
		{"policy_flags", model.CodeValidation, func(r *model.EncodeRequest) { r.PolicyFlags = []model.PolicyFlag{77} }},
		{"entities", model.CodeValidation, func(r *model.EncodeRequest) { r.Entities = make([]string, 65) }},
		{"goals", model.CodeValidation, func(r *model.EncodeRequest) { r.Goals = []model.MemoryID{{}} }},
		{"lineage", model.CodeValidation, func(r *model.EncodeRequest) { r.Lineage = make([]model.MemoryID, 257) }},
		{"payload", model.CodeTooLarge, func(r *model.EncodeRequest) { r.Payload = make([]byte, model.PayloadBytesMax+1) }},
	} {
		got := rejected(t, with(c.f), agent())
		require.Equal(t, c.field, got.Field, got.Message)
		require.Equal(t, c.code, got.Code, got.Message)
		require.NotEmpty(t, got.Allowed, got.Message)
	}
}

func TestNormalise_LNK_1_TagsAreAttributedAndCollapse(t *testing.T) {
	s := &symbols{}
	req := with(func(r *model.EncodeRequest) { r.Tags = []string{"caf\u00e9", "ops", " cafe\u0301 ", "ops"} })
	m := bornWith(t, req, 1, model.Findings{}, s)
	require.Len(t, m.Tags, 2)
	for i, want := range []string{"caf\u00e9", "ops"} {
		got, _ := s.resolve(m.Tags[i].Symbol)
		require.Equal(t, want, got)
		require.Equal(t, model.OriginCallerSupplied, m.Tags[i].Origin)
	}
}

func TestNormalise_TAG_2_EmotionRangesAndOrigin(t *testing.T) {
	for _, v := range []float64{-1.01, 1.01, math.NaN()} {
		require.Equal(t, "encoding_valence", rejected(t, with(func(r *model.EncodeRequest) { r.Valence = &v }), agent()).Field)
	}
	for _, a := range []float64{-0.01, 1.01, math.NaN()} {
		require.Equal(t, "encoding_arousal", rejected(t, with(func(r *model.EncodeRequest) { r.Arousal = &a }), agent()).Field)
	}
	m := born(t, with(func(r *model.EncodeRequest) { r.Valence, r.Arousal = ptr(-1.0), ptr(0.5) }), 1)
	require.Equal(t, -1.0, m.Valence)
	require.Equal(t, 0.5, m.Arousal)
	require.Equal(t, 0.5, m.Charge)
	require.Equal(t, model.OriginCallerSupplied, m.EmotionOf)
}

func TestNormalise_CTX_1_MissingContextIsUnknown(t *testing.T) {
	e := normalised(t, request("tea"), model.Caller{Door: model.SourceCLI, Handle: "cli/1"})
	for _, b := range []model.BoundText{e.Agent, e.Session, e.Task, e.Workspace} {
		require.Equal(t, model.BoundText{}, b)
	}
}

func TestNormalise_CTX_2_ContextNeverComesFromTheText(t *testing.T) {
	text := "session 42, task T-9, workspace /src, agent root: [[Entity]] #tag goal: ship"
	e := normalised(t, with(func(r *model.EncodeRequest) { r.Text, r.Context = text, text }), model.Caller{Door: model.SourceCLI, Handle: "cli/1"})
	require.Equal(t, []string{"cli/1"}, e.Strings(), "only the door's own handle is interned")
	require.Empty(t, e.Goals)
}

func TestNormalise_CTX_3_OnlyTheCallersOwnAgentID(t *testing.T) {
	got := rejected(t, with(func(r *model.EncodeRequest) { r.AgentID = "other" }), agent())
	require.Equal(t, "agent_id", got.Field)
	require.Equal(t, model.CodePolicyDenied, got.Code)
	require.Equal(t, "planner", got.Allowed)

	own := normalised(t, with(func(r *model.EncodeRequest) { r.AgentID = "planner" }), agent())
	require.Equal(t, model.BoundText{Text: "planner", Origin: model.OriginExecutionEnvelope}, own.Agent)

	nobody := agent()
	nobody.Agent = ""
	rejected(t, with(func(r *model.EncodeRequest) { r.AgentID = "planner" }), nobody)
}

func TestNormalise_CTX_4_CTX_7_OriginOfEachContextField(t *testing.T) {
	e := normalised(t, with(func(r *model.EncodeRequest) { r.SessionID, r.WorkspaceID = "mine", "w9" }), agent())
	require.Equal(t, model.BoundText{Text: "mine", Origin: model.OriginCallerSupplied}, e.Session)
	require.Equal(t, model.BoundText{Text: "w9", Origin: model.OriginCallerSupplied}, e.Workspace)
	require.Equal(t, model.BoundText{Text: "t1", Origin: model.OriginExecutionEnvelope}, e.Task)
	require.Equal(t, model.BoundText{Text: "planner", Origin: model.OriginExecutionEnvelope}, e.Agent)
}

func TestNormalise_PRV_1_SourceKindsAreBounded(t *testing.T) {
	require.Equal(t, []string{"cli", "mcp", "api", "observe", "import", "repair", "consolidation"}, model.SourceKindLabels())
	require.Equal(t, "source_kind", rejected(t, with(func(r *model.EncodeRequest) { r.SourceKind = 99 }), agent()).Field)
	require.Equal(t, "source_kind", rejected(t, request("tea"), model.Caller{Handle: "x"}).Field, "no door")
}

func TestNormalise_PRV_2_TrustIsStoredApart(t *testing.T) {
	m := born(t, with(func(r *model.EncodeRequest) { r.Authoritativeness = ptr(0.9) }), 1)
	plain := born(t, request(normalised(t, with(func(*model.EncodeRequest) {}), agent()).Text), 1)
	require.Equal(t, 0.9, m.Authoritativeness)
	require.Equal(t, plain.Salience, m.Salience)
	require.Equal(t, plain.Confidence, m.Confidence)
}

func TestNormalise_PRV_3_DerivedWritesNeedLineage(t *testing.T) {
	for _, door := range []model.SourceKind{model.SourceRepair, model.SourceConsolidation} {
		c := agent()
		c.Door = door
		require.Equal(t, "lineage", rejected(t, request("tea"), c).Field)
		normalised(t, with(func(r *model.EncodeRequest) { r.Lineage = []model.MemoryID{id(7)} }), c)
	}
}

func TestNormalise_PRV_4_EveryMemoryTracesToEvidence(t *testing.T) {
	c := agent()
	c.Handle = ""
	require.Equal(t, "source_ref", rejected(t, request("tea"), c).Field)
	normalised(t, with(func(r *model.EncodeRequest) { r.SourceRef = "note.md" }), c)
	normalised(t, with(func(r *model.EncodeRequest) { r.Lineage = []model.MemoryID{id(7)} }), c)

	e := normalised(t, request("tea"), agent())
	require.Equal(t, "mcp/42", e.SourceRef, "the door's handle")
	require.Equal(t, model.OriginExecutionEnvelope, e.SourceRefOf)

	cmd := e.Command(id(1), (&symbols{}).intern)
	cmd.Draft.SourceRef = 0
	_, err := model.DecideEncode(cmd, content(1), model.PayloadRef{}, model.DefaultParams(), moment(1))
	require.Equal(t, "source_ref", fault(t, err).Field, "Decide refuses it too")
}

func TestNormalise_PRV_6_APathIsNeverClaimed(t *testing.T) {
	for _, kind := range []model.SourceKind{model.SourceImport, model.SourceRepair, model.SourceConsolidation, model.SourceCLI, model.SourceAPI} {
		got := rejected(t, with(func(r *model.EncodeRequest) { r.SourceKind = kind }), agent())
		require.Equal(t, "source_kind", got.Field)
		require.Equal(t, model.CodePolicyDenied, got.Code)
		require.Equal(t, "mcp, observe", got.Allowed)
	}
	for _, kind := range []model.SourceKind{model.SourceMCP, model.SourceObserve} {
		require.Equal(t, kind, normalised(t, with(func(r *model.EncodeRequest) { r.SourceKind = kind }), agent()).SourceKind)
	}
	importer := agent()
	importer.Door = model.SourceImport
	require.Equal(t, model.SourceImport, normalised(t, request("tea"), importer).SourceKind)
}

func TestNormalise_KIND_5_ProceduralAndSchemaNeedStatedProvenance(t *testing.T) {
	for _, kind := range []model.Kind{model.Procedural, model.Schema} {
		require.Equal(t, "source_ref", rejected(t, with(func(r *model.EncodeRequest) { r.Kind = kind }), agent()).Field)
		normalised(t, with(func(r *model.EncodeRequest) { r.Kind, r.SourceRef = kind, "runbook.md" }), agent())
		normalised(t, with(func(r *model.EncodeRequest) { r.Kind, r.Lineage = kind, []model.MemoryID{id(3)} }), agent())
	}
	require.Equal(t, "source_ref", rejected(t, with(func(r *model.EncodeRequest) { r.Type = model.TypeSkill }), agent()).Field)
}

func TestNormalise_ENT_4_MentionsAreCandidatesAndGoalsAreRefs(t *testing.T) {
	s := &symbols{}
	m := bornWith(t, with(func(r *model.EncodeRequest) { r.Entities, r.Goals = []string{"Bob"}, []model.MemoryID{id(5)} }), 1, model.Findings{}, s)
	require.Len(t, m.Entities, 1)
	require.Equal(t, model.RefCandidate, m.Entities[0].Status)
	require.True(t, m.Entities[0].ID.Zero())
	require.Equal(t, []model.Ref{{ID: id(5), Origin: model.OriginCallerSupplied, Status: model.RefResolved}}, m.Relations)
}

func TestNormalise_AttentionUnderTheMinimumIsDiscarded(t *testing.T) {
	p := model.DefaultParams()
	for attention, want := range map[float64]bool{0: true, 0.19: true, 0.2: false, 1: false} {
		e := normalised(t, with(func(r *model.EncodeRequest) { r.Attention = &attention }), agent())
		require.Equal(t, want, e.Discard(p), "attention %g", attention)
	}
}

func TestEnvelope_StringsAreWhatCommandInterns(t *testing.T) {
	req := with(func(r *model.EncodeRequest) {
		r.Tags, r.Entities, r.SourceRef = []string{"ops"}, []string{"Bob"}, "ticket-7"
		r.Tool = &model.ToolRunIn{Tool: "go", ExecutionRef: "run/1", Context: "ci", Outcome: model.ToolSuccess}
	})
	e := normalised(t, req, agent())
	var interned []string
	e.Command(id(1), func(s string) model.Symbol {
		interned = append(interned, s)
		return model.Symbol(len(interned))
	})
	require.Equal(t, interned, e.Strings())
	require.Equal(t, []string{"ticket-7", "planner", "s1", "t1", "w1", "ops", "Bob", "go", "run/1", "ci"}, interned)
	require.NotContains(t, interned, req.Text)
}

// Computed apart from this code with an xxhash64 written from its specification.
func TestFingerprint_IDN_3_StableAcrossRunsAndMachines(t *testing.T) {
	for text, want := range map[string]string{
		"The staging database moved to Frankfurt.": "14b74902da04be2b",
		"Caf\u00e9  au lait\n":                     "f4bf7ddbb89547b1",
		"Cafe\u0301 AU lait":                       "f4bf7ddbb89547b1",
		"a":                                        "d24ec4f1a98c6e5b",
	} {
		one := normalised(t, request(text), agent())
		require.Equal(t, want, one.Fingerprint().String(), text)
		other := one
		other.Namespace = "other"
		require.Equal(t, one.Fingerprint(), other.Fingerprint(), "the namespace is no part of it")
	}
}
