package model_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestApply_VER_1_EveryAcceptedMutationAddsOne(t *testing.T) {
	m := born(t, request("tea"), 1)
	require.Equal(t, uint64(1), m.Version)
	for want, cmd := range []model.Command{
		2: model.Reinforce{Cause: model.CauseRecall}, 3: newText(2), 4: model.Pin{}, 5: model.Unpin{},
		6: model.Revise{Retention: model.RetainDurable},
	} {
		if cmd == nil {
			continue
		}
		m = done(t, m, cmd, model.Tick(want))
		require.Equal(t, uint64(want), m.Version, "%T", cmd)
	}
}

func TestApply_VER_2_RefusalsAndNoOpsAddNothing(t *testing.T) {
	m := done(t, born(t, request("tea"), 1), model.Pin{}, 2)
	for _, cmd := range []model.Command{
		model.Pin{}, model.Revise{}, model.Revise{Type: m.Type}, model.Revise{Retention: m.Retention},
		model.Revise{PolicyFlags: ptr(m.PolicyFlags)}, model.Revise{Tags: &[]model.Tag{}},
		model.Revise{Content: &model.NewContent{Content: m.Content}},
	} {
		facts, err := model.Decide(m, cmd, model.DefaultParams(), moment(3))
		require.NoError(t, err)
		require.Empty(t, facts, "%#v", cmd)
	}
	refused(t, m, model.Archive{Reason: model.ArchivedForgotten}, 3, model.CodePolicyDenied)
	require.Equal(t, uint64(2), m.Version)
}

func TestApply_VER_3_CreatedAtNeverMoves(t *testing.T) {
	m := born(t, request("tea"), 100)
	after := model.Apply(m, model.MemoryPinned{At: 5, Tick: 101, Was: m.Retention})
	require.Equal(t, m.CreatedAt, after.CreatedAt)
	require.Equal(t, m.UpdatedAt, after.UpdatedAt, "a clock that went back moves nothing back")
	later := done(t, m, model.Pin{}, 200)
	require.Equal(t, moment(200).Now, later.UpdatedAt)
	require.Equal(t, m.CreatedAt, later.CreatedAt)
}

func TestApply_LeavesItsArgumentsAlone(t *testing.T) {
	m := born(t, request("tea"), 1)
	before := *m
	done(t, m, model.Reinforce{Cause: model.CauseRecall}, 50)
	done(t, m, newText(2), 50)
	done(t, m, model.Archive{Reason: model.ArchivedForgotten}, 50)
	require.Equal(t, before, *m)
}

func TestApply_AnUnknownCombinationReturnsTheStateAsItIs(t *testing.T) {
	m := born(t, request("tea"), 1)
	require.Same(t, m, model.Apply(m, model.ParamsChanged{}))
	require.Nil(t, model.Apply(nil, model.MemoryPinned{}))
	b := &model.Brain{Version: 3}
	require.Same(t, b, model.ApplyBrain(b, model.MemoryPinned{}))
	require.Nil(t, model.ApplyBrain(nil, model.MemoryPinned{}))
}

func TestApplyBrain_FoldsTheLifeOfANamespace(t *testing.T) {
	p := model.DefaultParams()
	changed := p
	changed.Strength.LTPDelta = 0.2
	b := model.ApplyBrain(nil, model.NamespaceCreated{Params: p, Embedder: model.EmbedderRef{ID: 1, Dim: 8}})
	b = b.WithHead(model.CommitHead{Tick: 0, Millis: 1000, ContentHigh: 0, SymbolHigh: 1})
	for _, f := range []model.Fact{
		model.RequestAccepted{Verb: model.VerbEncode},
		model.RequestAccepted{Verb: model.VerbEncode, Discarded: &model.DiscardReceipt{Attention: 0.1, Threshold: 0.2}},
		model.RequestRefused{Count: 1},
		model.RequestRefused{Count: 4},
		model.ParamsChanged{Params: changed},
		model.EmbedderChanged{Embedder: model.EmbedderRef{ID: 2, Dim: 4}},
		model.ImportStarted{First: 1, Last: 9},
	} {
		b = model.ApplyBrain(b, f)
	}
	b = b.WithHead(model.CommitHead{Tick: 7, Millis: 2000, ContentHigh: 9, SymbolHigh: 3})
	require.Equal(t, model.Brain{
		Version: 8, CreatedAt: 1000, Params: changed, Embedder: model.EmbedderRef{ID: 2, Dim: 4},
		Import: &model.ImportStarted{First: 1, Last: 9}, Accepted: 2, Refused: 5, Discarded: 1,
		Tick: 7, Millis: 2000, ContentHigh: 9, SymbolHigh: 3,
	}, *b)
	require.Nil(t, model.ApplyBrain(b, model.ImportAborted{}).Import)
	require.Nil(t, model.ApplyBrain(b, model.RequestAccepted{Import: &model.ImportReceipt{}}).Import)
	require.NotNil(t, b.Import, "the state before is untouched")
}

// Random histories: whatever is asked in whatever order, the laws hold.
func TestHistories_VER_1_VER_3_CNF_1_RandomCommandsKeepEveryLaw(t *testing.T) {
	for seed := range uint64(300) {
		runHistory(t, seed, rand.New(rand.NewPCG(seed, 1)))
	}
}

func runHistory(t *testing.T, seed uint64, r *rand.Rand) {
	p := model.DefaultParams()
	p.Strength.Spacing = r.IntN(2) == 0
	req := request("tea")
	req.Type, req.Kind, req.SourceRef = model.TypeFact, model.Kind(r.IntN(5)), "note.md"
	req.Arousal, req.Valence, req.Attention = ptr(r.Float64()), ptr(2*r.Float64()-1), ptr(r.Float64())
	tick := model.Tick(r.IntN(1_000))
	m := born(t, req, tick)
	created, versions, counts := m.CreatedAt, m.Version, m.RecallCount
	for step := range 60 {
		tick += model.Tick(r.IntN(3) * r.IntN(1+r.IntN(4_000)))
		cmd := randomCommand(r, m)
		facts, err := model.Decide(m, cmd, p, moment(tick))
		if err != nil {
			require.Contains(t, []model.Code{model.CodeStateConflict, model.CodePolicyDenied, model.CodeValidation}, model.CodeOf(err), "seed %d step %d", seed, step)
			require.Empty(t, facts)
		}
		before := m
		for _, f := range facts {
			m = model.Apply(m, f)
			versions++
			require.Equal(t, versions, m.Version, "seed %d step %d", seed, step)
			require.NoError(t, model.MemoryInvariants(m), "seed %d step %d %#v", seed, step, f)
		}
		require.Equal(t, created, m.CreatedAt, "seed %d step %d", seed, step)
		require.Equal(t, before.ID, m.ID, "IDN-1, seed %d", seed)
		require.GreaterOrEqual(t, m.RecallCount, counts)
		require.GreaterOrEqual(t, m.Decay.LastAccessedTick, before.Decay.LastAccessedTick, "the anchor never goes back, seed %d", seed)
		counts = m.RecallCount
		_, score, interval := m.Uncertainty(tick)
		require.True(t, score >= 0 && score <= 1 && interval.Low >= 0.1 && interval.High <= 1 && interval.Low <= interval.High, "seed %d", seed)
		if _, revised := cmd.(model.Revise); !revised && len(facts) > 0 {
			if _, recalled := cmd.(model.Reinforce); !recalled {
				require.Equal(t, before.Decay, m.Decay, "only recall and revision touch decay, seed %d", seed)
			}
		}
	}
}

func randomCommand(r *rand.Rand, m *model.Memory) model.Command {
	switch r.IntN(10) {
	case 0:
		return model.Pin{}
	case 1:
		return model.Unpin{}
	case 2:
		return model.Archive{Reason: model.ArchiveReason(r.IntN(5))}
	case 3:
		return model.Restore{}
	case 4:
		return newText(m.Content.Number + 1)
	case 5:
		flags := model.PolicyFlags(0)
		if r.IntN(4) == 0 {
			flags = flags.With(model.PolicyFlag(1 + r.IntN(5)))
		}
		return model.Revise{PolicyFlags: &flags, Retention: model.Retention(r.IntN(5))}
	case 6:
		return model.Revise{Type: model.MemoryType(r.IntN(16)), Kind: model.Kind(r.IntN(5)), Content: &model.NewContent{Content: content(m.Content.Number + 1)}}
	}
	return model.Reinforce{Cause: model.CauseRecall, TaskMatch: r.IntN(2) == 0}
}

func BenchmarkReinforce(b *testing.B) {
	e, err := model.Normalise(request("tea"), agent(), model.DefaultParams())
	require.NoError(b, err)
	p := model.DefaultParams()
	fact, err := model.DecideEncode(e.Command(id(1), (&symbols{}).intern), content(1), model.PayloadRef{}, p, moment(1))
	require.NoError(b, err)
	m := model.Apply(nil, fact)
	b.ReportAllocs()
	for tick := model.Tick(2); b.Loop(); tick++ {
		facts, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, p, model.Moment{Tick: tick})
		if err != nil {
			b.Fatal(err)
		}
		m = model.Apply(m, facts[0])
	}
}
