package codec_test

import (
	"github.com/membrain-db/membrain/model"
)

// The rich examples below have no field at its zero value (TestExamples_LeaveNoFieldAtZero), so that their golden
// bytes hold every field that a released version stores.

// id returns an id that ends in n.
func id(n byte) model.MemoryID {
	return model.MemoryID{0x01, 0x92, 0xf0, 0xc1, 0x7b, 0x3a, 0x7e, 0x5d, 0x9c, 0x1f, 0x3b, 0x2a, 0x1d, 0x0e, 0x4f, n}
}

// digest returns a digest that starts with n.
func digest(n byte) (d [16]byte) {
	for i := range d {
		d[i] = n + byte(i)
	}
	return d
}

const exampleMillis = 1_764_579_600_123 // 2025-12-01

func exampleMemory() model.Memory {
	return model.Memory{
		ID: id(1), Type: model.TypeToolOutcome, Kind: model.Episodic, KindOf: model.OriginDerived, Version: 7,
		CreatedAt: exampleMillis, UpdatedAt: exampleMillis + 5_000, OccurredAt: -14_182_980_000,
		LastAccessAt: exampleMillis + 4_000, EncodedTick: 41,
		Content:         model.ContentRef{Number: 17, Digest: digest(0x20), TextBytes: 70_000, OutOfLine: true},
		ContentRevision: 2,
		Payload:         model.PayloadRef{Number: 18, State: model.PayloadAttached, Bytes: 1 << 20, Digest: digest(0x40)},
		SourceKind:      model.SourceMCP, SourceRef: 9, SourceRefOf: model.OriginCallerSupplied, Authoritativeness: 0.5,
		Lineage: []model.MemoryID{id(2), id(3)},
		Agent:   model.Bound{Symbol: 1, Origin: model.OriginExecutionEnvelope}, Session: model.Bound{Symbol: 2, Origin: model.OriginCallerSupplied},
		Task: model.Bound{Symbol: 3, Origin: model.OriginCallerSupplied}, Workspace: model.Bound{Symbol: 4, Origin: model.OriginDerived},
		Tier: model.Tier3, TierReason: model.TierConsolidated,
		Salience: 0.625,
		Cues: []model.Cue{
			{Name: model.CueNovelty, Value: 0.75, Weight: 0.4, Origin: model.OriginDerived},
			{Name: model.CueArousal, Value: 0.25, Weight: 0.15, Origin: model.OriginCallerSupplied},
		},
		Confidence: 0.7, Utility: 0.4125, RecallCount: 300, CorroborationCount: 2, ReconsolidationCount: 1,
		Retention: model.RetainPinned, RetentionWas: model.RetainNormal, Visibility: model.Shared, PolicyFlags: 0b110,
		Decay:     model.DecayState{BaseStrength: 0.85, Stability: 2_000, LastAccessedTick: 60, Bypass: model.BypassKind},
		Lifecycle: model.Labile, RestabiliseTo: model.Consolidated, LabileUntil: 90,
		ArchivedFrom: model.SynapticDone, ArchivedFor: model.ArchivedForgotten,
		Tags: []model.Tag{{Symbol: 5, Origin: model.OriginCallerSupplied}, {Symbol: 600, Origin: model.OriginDerived}},
		Entities: []model.Ref{
			{ID: id(4), Mention: 6, Origin: model.OriginCallerSupplied, Status: model.RefResolved},
			{ID: id(5), Mention: 7, Origin: model.OriginDerived, Status: model.RefCandidate},
		},
		Relations: []model.Ref{{ID: id(6), Mention: 8, Origin: model.OriginDerived, Status: model.RefResolved}},
		Endpoints: []model.MemoryID{id(7), id(8)},
		Valence:   -0.5, Arousal: 0.875, EmotionOf: model.OriginCallerSupplied, Charge: 0.8125, Difficulty: 0.125,
		Observation: model.Observation{Source: model.ObservedStdin, Chunk: 10},
		Tool:        model.ToolRun{Tool: 11, ExecutionRef: 12, Context: 13, Category: model.ToolSuccess},
		Outcome: model.EncodeOutcome{Route: model.RouteAttachedToFamily, Family: id(9), Inspected: 32,
			NearestSimilarity: 0.3333333333333333, Novelty: 0.6666666666666667, PatternSeparated: true},
		DuplicateOf: id(10), Conflict: model.ConflictOpen, ConflictIDs: []model.MemoryID{id(11)},
		SupersededBy: id(12), BeliefChain: id(13), BeliefVersion: 3,
		Landmark: true, LandmarkLabel: 14, Era: id(14), Engram: id(15), DistilledFrom: id(16), CompressedTo: id(17),
		CausalParents: true, CausalChildren: true,
	}
}

func exampleParams() model.Params {
	return model.Params{
		Strength: model.StrengthParams{
			BaseStrength: 0.5, MaxStrength: 1, MinStrength: 0.05, LTPDelta: 0.1, StabilityIncrement: 0.2,
			BaseStability: 2_000, SemanticStability: 2, SchemaStability: 4, MaxStability: 200_000, Spacing: true,
			SpacingFloor: 0.1, NoveltyBoost: 0.3, AttentionBoost: 0.25, ArousalBoost: 0.15, ReconsolidationBonus: 0.05,
		},
		Encode: model.EncodeParams{
			Attention: 0.6, AttentionMin: 0.2, BypassArousal: 0.9, BypassValence: 0.8, SalienceAttention: 0.3,
			SalienceNovelty: 0.35, SalienceTask: 0.2, SalienceArousal: 0.15, Confidence: 0.7, Authoritativeness: 0.5,
			DuplicateCosine: 0.97, ShortlistMax: 32,
		},
		Window: model.WindowParams{Ticks: 100, TicksMin: 10, AgeHalf: 5_000, StrengthMin: 0.1},
		Ranking: model.RankingParams{
			LexicalWeight: 0.55, VectorWeight: 0.45, ArmCandidatesMax: 200, BeforeWeights: [3]float64{0.5, 0.25, 0.125},
			AfterWeights: [3]float64{0.4, 0.2, 0.1}, EntityWeight: 0.06, EpisodeWeight: 0.07, Strength: 0.08,
			Salience: 0.09, Confidence: 0.11, Utility: 0.12, Recency: 0.13, RecencyHalf: 3_000, Context: 0.14,
			Difficulty: 0.16, Conflict: 0.17, Duplicate: 0.18, AbstainBelow: 0.19,
		},
	}
}

func exampleEmbedder() model.EmbedderRef { return model.EmbedderRef{ID: 2, Dim: 384, Form: 1} }

func exampleBrain() model.Brain {
	return model.Brain{
		Version: 12, CreatedAt: exampleMillis, Params: exampleParams(), Embedder: exampleEmbedder(),
		Import:   &model.ImportStarted{First: 100, Last: 199, At: exampleMillis + 1},
		Accepted: 9, Refused: 2, Discarded: 1, Tick: 61, Millis: exampleMillis + 6_000, ContentHigh: 99, SymbolHigh: 601,
	}
}

func exampleRecord() model.Record {
	return model.Record{
		Salt: digest(0x60), Text: "The tide table for Ålesund is kept in blue ink.", Context: "asked by the harbour master",
		Fingerprint: 0x0123456789abcdef,
		Embeddings: []model.Embedded{
			{Embedder: 2, Vector: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
			{Embedder: 300, Vector: []byte{9, 10}},
		},
	}
}

func exampleRecalled() model.MemoryRecalled {
	return model.MemoryRecalled{
		Cause: model.CauseRecall, At: exampleMillis, Tick: 123_456, DeltaTicks: 3_000, Decayed: 0.1234567890123456,
		BaseStrength: 0.22345678901234567, Stability: 2_345.678901234567, RecallCount: 17, Utility: 0.4321,
		Lifecycle: model.Labile, RestabiliseTo: model.SynapticDone, LabileUntil: 123_556,
	}
}

// exampleReceipt is the receipt of a recall that returned n memories with twelve parts each, a usual score.
func exampleReceipt(n int) model.RequestAccepted {
	f := model.RequestAccepted{
		Verb: model.VerbRecall, BodyDigest: digest(0x80), ReadSeq: 1_000_000, Tick: 123_456, At: exampleMillis,
		Recall: &model.RecallReceipt{
			Omitted:   []model.OmittedCount{{Reason: model.OmittedLimit, Count: 190}, {Reason: model.OmittedDuplicate, Count: 2}},
			Abstained: true,
		},
	}
	for i := range n {
		item := model.RecallReceiptItem{
			Memory: id(byte(i + 1)), Content: model.ContentNumber(100_000 + i), Score: 1.9 - float64(i)/7,
			Lane: model.Lane(i%7 + 1), Version: uint64(200*i + 3),
		}
		for part := range 12 {
			item.Parts = append(item.Parts, model.ScorePart{Name: model.PartName(part + 1), Value: float64(part+1) / 13})
		}
		f.Memories = append(f.Memories, item.Memory)
		f.Recall.Items = append(f.Recall.Items, item)
	}
	return f
}

// exampleFacts holds one rich example of every fact, under the name of its golden file.
func exampleFacts() map[string]model.Fact {
	flags, tags := model.PolicyFlags(0b1010), []model.Tag{{Symbol: 5, Origin: model.OriginCallerSupplied}, {Symbol: 6, Origin: model.OriginDerived}}
	accepted := exampleReceipt(3)
	accepted.Import = &model.ImportReceipt{Read: 1_000, Created: 990, Skipped: 10}
	accepted.Discarded = &model.DiscardReceipt{Attention: 0.1, Threshold: 0.2}
	memory := exampleMemory()
	return map[string]model.Fact{
		"memory.encoded":  model.MemoryEncoded{Memory: memory},
		"memory.recalled": exampleRecalled(),
		"memory.revised": model.MemoryRevised{
			At: exampleMillis, Tick: 70, Type: model.TypeFact, Kind: model.Semantic, KindOf: model.OriginDerived,
			Retention: model.RetainDurable, PolicyFlags: &flags, Tags: &tags, Decay: &memory.Decay,
			Content: &model.ContentRevised{
				Content: memory.Content, Payload: memory.Payload, Reconsolidated: true, DeltaTicks: 10, Decayed: 0.8,
				BaseStrength: 0.85, ReconsolidationCount: 2, Confidence: 0.75, Lifecycle: model.Labile,
				RestabiliseTo: model.SynapticDone, LabileUntil: 120,
			},
		},
		"memory.pinned":               model.MemoryPinned{At: exampleMillis, Tick: 71, Was: model.RetainNormal},
		"memory.unpinned":             model.MemoryUnpinned{At: exampleMillis, Tick: 72, Retention: model.RetainVolatile},
		"memory.labile_window_closed": model.LabileWindowClosed{At: exampleMillis, Tick: 73, Lifecycle: model.Consolidated},
		"memory.archived": model.MemoryArchived{At: exampleMillis, Tick: 74, From: model.SynapticDone,
			Reason: model.ArchivedFaded, Effective: 0.0123, DeltaTicks: 9_000},
		"memory.restored":            model.MemoryRestored{At: exampleMillis, Tick: 75, To: model.Consolidated},
		"namespace.created":          model.NamespaceCreated{Params: exampleParams(), Embedder: exampleEmbedder()},
		"namespace.params_changed":   model.ParamsChanged{Params: exampleParams()},
		"namespace.embedder_changed": model.EmbedderChanged{Embedder: exampleEmbedder()},
		"import.started":             model.ImportStarted{First: 100, Last: 199, At: exampleMillis},
		"import.aborted":             model.ImportAborted{At: exampleMillis},
		"request.accepted":           accepted,
		"request.refused": model.RequestRefused{Verb: model.VerbForget, Family: model.FamilyPolicyDenied, Memory: id(1),
			From: model.Labile, To: model.Archived, Flag: model.FlagLegalHold, Count: 4, At: exampleMillis},
	}
}
