package codec_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// usualMemory is a memory as encode makes it: four cues, a session, three tags, one entity.
func usualMemory() model.Memory {
	rich := exampleMemory()
	return model.Memory{
		ID: rich.ID, Type: model.TypeFact, Kind: model.Semantic, KindOf: model.OriginDerived, Version: 1,
		CreatedAt: exampleMillis, UpdatedAt: exampleMillis, EncodedTick: 41,
		Content:         model.ContentRef{Number: 17, Digest: digest(1), TextBytes: 120},
		ContentRevision: 1, Payload: model.PayloadRef{State: model.PayloadNone},
		SourceKind: model.SourceMCP, SourceRef: 9, SourceRefOf: model.OriginDefault, Authoritativeness: 0.5,
		Agent: rich.Agent, Session: rich.Session, Tier: model.Tier2, TierReason: model.TierFirstWrite,
		Salience: 0.6, Cues: append(rich.Cues, rich.Cues...), Confidence: 0.7, Utility: 0.3,
		Retention: model.RetainNormal, Visibility: model.Private, Decay: rich.Decay, Lifecycle: model.Labile,
		RestabiliseTo: model.SynapticDone, LabileUntil: 141, Tags: append(rich.Tags, rich.Tags[0]), Entities: rich.Entities[:1],
		Charge: 0.2, Outcome: model.EncodeOutcome{Route: model.RouteMintedNew, Inspected: 32, NearestSimilarity: 0.4, Novelty: 0.6},
		Conflict: model.ConflictNone,
	}
}

func benchmarkEncode(b *testing.B, f model.Fact) {
	b.ReportAllocs()
	var encoded codec.Encoded
	for b.Loop() {
		encoded, _ = codec.EncodeFact(f)
	}
	b.ReportMetric(float64(len(encoded.Body)), "stored-bytes")
}

func benchmarkDecode(b *testing.B, f model.Fact) {
	b.ReportAllocs()
	encoded, err := codec.EncodeFact(f)
	require.NoError(b, err)
	for b.Loop() {
		if _, err := codec.DecodeFact(encoded.Type, encoded.Schema, encoded.Body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeFact(b *testing.B) {
	b.Run("encoded", func(b *testing.B) { benchmarkEncode(b, model.MemoryEncoded{Memory: usualMemory()}) })
	b.Run("recalled", func(b *testing.B) { benchmarkEncode(b, exampleRecalled()) })
	b.Run("receipt of ten", func(b *testing.B) { benchmarkEncode(b, exampleReceipt(10)) })
}

func BenchmarkDecodeFact(b *testing.B) {
	b.Run("encoded", func(b *testing.B) { benchmarkDecode(b, model.MemoryEncoded{Memory: usualMemory()}) })
	b.Run("recalled", func(b *testing.B) { benchmarkDecode(b, exampleRecalled()) })
	b.Run("receipt of ten", func(b *testing.B) { benchmarkDecode(b, exampleReceipt(10)) })
}

func BenchmarkMemoryRow(b *testing.B) {
	m := usualMemory()
	row := codec.AppendMemory(nil, &m)
	b.Run("append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			row = codec.AppendMemory(row[:0], &m)
		}
		b.ReportMetric(float64(len(row)), "stored-bytes")
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := codec.DecodeMemory(row); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkContentDigest(b *testing.B) {
	b.ReportAllocs()
	r := exampleRecord()
	for b.Loop() {
		codec.ContentDigest(r)
	}
}

// What a recall of ten writes is bounded here, because every recall of every reader pays it.
func TestRecall_OfTenStaysSmall(t *testing.T) {
	recalled, err := codec.EncodeFact(exampleRecalled())
	require.NoError(t, err)
	require.Less(t, len(recalled.Body), 100)
	receipt, err := codec.EncodeFact(exampleReceipt(10))
	require.NoError(t, err)
	require.Less(t, len(receipt.Body)+10*len(recalled.Body), 3<<10)
}

// Encoding a usual memory allocates its body and nothing else, a state row into a roomy buffer nothing at all.
func TestEncode_AllocatesTheBodyOnly(t *testing.T) {
	m := usualMemory()
	var f model.Fact = model.MemoryEncoded{Memory: m}
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { codec.EncodeFact(f) }), 1.0)
	f = exampleRecalled()
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { codec.EncodeFact(f) }), 1.0)
	row := codec.AppendMemory(nil, &m)
	require.Zero(t, testing.AllocsPerRun(100, func() { row = codec.AppendMemory(row[:0], &m) }))
}
