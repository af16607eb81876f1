package projections_test

import (
	"context"
	"testing"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/stretchr/testify/require"
)

// large writes a namespace of some memories and ten times as many facts: imports of 1,000, then recalls of ten.
func large(b *testing.B, memories int) (*store, *namespace) {
	s := newStore(b, 99)
	n := s.create("team")
	for len(n.memories) < memories {
		n.tick++
		d := s.draft(n)
		for range min(1000, memories-len(n.memories)) {
			d.encode()
		}
		d.submit()
	}
	for s.facts < 10*memories {
		s.recall(n)
	}
	return s, n
}

// recall writes the commit of a recall that returned ten memories.
func (s *store) recall(n *namespace) {
	n.tick++
	d := s.draft(n)
	d.request(model.VerbRecall)
	for range 10 {
		i := s.rng.IntN(len(n.memories))
		m := n.memories[i]
		d.memory(i, model.MemoryRecalled{
			Cause: 1, At: model.Millis(n.millis), Tick: model.Tick(n.tick), DeltaTicks: 3, Decayed: 0.2, BaseStrength: 0.4, Stability: 2400,
			RecallCount: m.RecallCount + 1, Utility: 0.4, Lifecycle: model.Labile, RestabiliseTo: model.SynapticDone, LabileUntil: model.Tick(n.tick + 30),
		})
	}
	d.submit()
}

// benchMemories is the size of the benchmarks' namespace.
const benchMemories = 100_000

// BenchmarkOpen opens 100,000 memories after a million facts: with all files in place, and from nothing.
func BenchmarkOpen(b *testing.B) {
	s, _ := large(b, benchMemories)
	open := func(b *testing.B) {
		p, err := projections.Open(context.Background(), s.options())
		require.NoError(b, err)
		b.StopTimer()
		require.NoError(b, p.Close())
		b.StartTimer()
	}
	b.Run("from nothing", func(b *testing.B) {
		for range b.N {
			s.dir = b.TempDir()
			open(b)
		}
	})
	b.Run("from files", func(b *testing.B) {
		for range b.N {
			open(b)
		}
	})
	b.Run("replay", func(b *testing.B) {
		for range b.N {
			_, err := projections.Replay(context.Background(), s.mem.Log(), projections.Until{}, nil, nil)
			require.NoError(b, err)
		}
	})
}

// BenchmarkApply applies recalls of ten memories, beside background flushes.
func BenchmarkApply(b *testing.B) {
	s, n := large(b, 20_000)
	p := s.live()
	s.p = nil
	var records []eventlog.Record
	for range 20_000 {
		s.recall(n)
		record, err := s.mem.Log().At(s.mem.Log().Head().Seq)
		require.NoError(b, err)
		records = append(records, record)
	}
	b.ResetTimer()
	i := 0
	for ; i < b.N && i < len(records); i++ {
		p.Apply(records[i : i+1])
	}
	if i > 0 {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(i), "µs/recall")
	}
}
