package filters_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/filters"
	"github.com/stretchr/testify/require"
)

// world is an index beside the memories that it should know.
type world struct {
	rng      *rand.Rand
	x        *filters.Index
	tick     model.Tick
	next     model.ContentNumber
	memories []*model.Memory
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

func (w *world) symbol(most int) model.Symbol { return model.Symbol(w.rng.IntN(most + 1)) }

func (w *world) random(m model.Memory) *model.Memory {
	m.Type = model.MemoryType(1 + w.rng.IntN(15))
	m.Kind = model.Kind(1 + w.rng.IntN(4))
	m.Tier = model.Tier(2 + w.rng.IntN(2))
	m.Visibility = model.Visibility(w.rng.IntN(4)) // 0 is seen by nobody
	m.Retention = model.Retention(1 + w.rng.IntN(4))
	m.SourceKind = model.SourceKind(1 + w.rng.IntN(7))
	m.Conflict = model.ConflictState(1 + w.rng.IntN(5))
	m.PolicyFlags = model.PolicyFlags(w.rng.IntN(64) &^ 1)
	m.Lifecycle = model.Lifecycle(1 + w.rng.IntN(6))
	m.RestabiliseTo = pick(w.rng, model.SynapticDone, model.Consolidated)
	m.LabileUntil = w.tick + model.Tick(w.rng.IntN(6))
	m.Confidence = w.rng.Float64()
	m.Decay = model.DecayState{BaseStrength: w.rng.Float64(), Stability: 1 + 5*w.rng.Float64(), LastAccessedTick: w.tick, Bypass: model.BypassCause(w.rng.IntN(2))}
	m.Tags = nil
	for range w.rng.IntN(3) {
		m.Tags = append(m.Tags, model.Tag{Symbol: w.symbol(3)})
	}
	m.Entities = nil
	for range w.rng.IntN(3) {
		m.Entities = append(m.Entities, model.Ref{Mention: w.symbol(3)})
	}
	m.DuplicateOf = model.MemoryID{byte(w.rng.IntN(3))}
	m.Era = model.MemoryID{byte(w.rng.IntN(3))}
	m.Version++
	return &m
}

func (w *world) step() {
	w.tick += model.Tick(w.rng.IntN(2))
	w.x.Advance(w.tick)
	if len(w.memories) == 0 || w.rng.IntN(3) == 0 {
		w.next += 1 + model.ContentNumber(w.rng.IntN(3))
		m := w.random(model.Memory{
			ID: model.MemoryID{1, byte(w.next >> 8), byte(w.next)}, Content: model.ContentRef{Number: w.next},
			CreatedAt: model.Millis(1e12 + w.rng.Int64N(1e10)), EncodedTick: w.tick,
			Agent: model.Bound{Symbol: w.symbol(2)}, Session: model.Bound{Symbol: w.symbol(2)}, Task: model.Bound{Symbol: w.symbol(2)},
			Workspace: model.Bound{Symbol: w.symbol(2)}, SourceRef: w.symbol(2),
			OccurredAt: model.Millis(pick(w.rng, int64(0), -5e9, 1e12) + w.rng.Int64N(1e10)),
		})
		w.memories = append(w.memories, m)
		w.x.Put(nil, m)
		return
	}
	i := w.rng.IntN(len(w.memories))
	before := w.memories[i]
	if w.rng.IntN(20) == 0 {
		w.x.Drop(before)
		w.memories = slices.Delete(w.memories, i, i+1)
		return
	}
	after := *before
	if w.rng.IntN(3) > 0 {
		after = *w.random(after)
	}
	if w.rng.IntN(4) == 0 {
		w.next++
		after.Content.Number = w.next
	}
	w.memories[i] = &after
	w.x.Put(before, &after)
}

// name of a symbol, and back.
func lookup(s string) (symbol model.Symbol, ok bool) {
	_, err := fmt.Sscanf(s, "s%d", &symbol)
	return symbol, err == nil
}

func (w *world) names() []string {
	return pick(w.rng, []string{"s1"}, []string{"s2", "s3"}, []string{"never"}, []string{"never", "s1"}, []string{"s0"}, []string{""})
}

func (w *world) filter() (f model.Filter) {
	for range 1 + w.rng.IntN(3) {
		switch w.rng.IntN(24) {
		case 0:
			f.Types = []model.MemoryType{model.MemoryType(1 + w.rng.IntN(15)), model.TypeFact, model.TypeGoal}
		case 1:
			f.Kinds = []model.Kind{model.Semantic, model.Episodic}
		case 2, 3:
			f.Lifecycles = []model.Lifecycle{model.Lifecycle(1 + w.rng.IntN(6)), model.Labile}
		case 4:
			f.Tiers = []model.Tier{model.Tier3}
		case 5:
			f.Visibilities = []model.Visibility{model.Private}
		case 6:
			f.Retentions = []model.Retention{model.RetainPinned, model.RetainNormal}
		case 7:
			f.PolicyFlags = []model.PolicyFlag{model.FlagLegalHold}
		case 8:
			f.SourceKinds = []model.SourceKind{model.SourceCLI, model.SourceAPI}
		case 9:
			f.Conflicts = []model.ConflictState{model.ConflictOpen, model.ConflictNone}
		case 10:
			f.Tags = w.names()
		case 11:
			f.Sessions = w.names()
		case 12:
			f.Tasks = w.names()
		case 13:
			f.Workspaces = w.names()
		case 14:
			f.Agents = w.names()
		case 15:
			f.SourceRefs = w.names()
		case 16:
			f.Entities = w.names()
		case 17:
			f.Families = []model.MemoryID{{1}, {}}
		case 18:
			f.Eras = []model.MemoryID{{2}}
		case 19:
			since := time.UnixMilli(1_000_000_000_000 + w.rng.Int64N(1e10)).Add(time.Duration(w.rng.IntN(2)))
			f.Since = &since
		case 20:
			until := time.UnixMilli(1_000_000_000_000 + w.rng.Int64N(1e10)).Add(time.Duration(w.rng.IntN(2)))
			f.Until = &until
		case 21:
			tick := model.Tick(w.rng.IntN(int(w.tick) + 2))
			f.SinceTick = &tick
		case 22:
			tick := model.Tick(w.rng.IntN(int(w.tick) + 2))
			f.UntilTick = &tick
		case 23:
			least := w.rng.Float64()
			f.MinStrength, f.MinConfidence = &least, &least
		}
	}
	if w.rng.IntN(2) == 0 {
		f.Include = []model.Lifecycle{pick(w.rng, model.Archived, model.Superseded)}
	}
	return f
}

func oneOf[E comparable](wanted []E, got ...E) bool {
	return len(wanted) == 0 || slices.ContainsFunc(got, func(v E) bool { return slices.Contains(wanted, v) })
}

func named(wanted []string, symbols ...model.Symbol) bool {
	if len(wanted) == 0 {
		return true
	}
	for _, s := range symbols {
		if s != 0 && slices.Contains(wanted, fmt.Sprintf("s%d", s)) {
			return true
		}
	}
	return false
}

// matches is what a filter means, by the model's own functions.
func matches(f model.Filter, viewer model.Viewer, tick model.Tick, m *model.Memory) bool {
	lifecycle := m.LifecycleAt(tick)
	hidden := lifecycle == model.Archived || lifecycle == model.Superseded
	if hidden && !slices.Contains(f.Include, lifecycle) && !slices.Contains(f.Lifecycles, lifecycle) {
		return false
	}
	var tags, entities []model.Symbol
	for _, t := range m.Tags {
		tags = append(tags, t.Symbol)
	}
	for _, e := range m.Entities {
		entities = append(entities, e.Mention)
	}
	when := m.OccurredAt
	if when == 0 {
		when = m.CreatedAt
	}
	at := time.UnixMilli(int64(when))
	family := len(f.Families) == 0 || !m.DuplicateOf.Zero() && oneOf(f.Families, m.DuplicateOf)
	era := len(f.Eras) == 0 || !m.Era.Zero() && oneOf(f.Eras, m.Era)
	return viewer.CanSee(m) && oneOf(f.Types, m.Type) && oneOf(f.Kinds, m.Kind) && oneOf(f.Lifecycles, lifecycle) && oneOf(f.Tiers, m.Tier) &&
		oneOf(f.Visibilities, m.Visibility) && oneOf(f.Retentions, m.Retention) && oneOf(f.PolicyFlags, m.PolicyFlags.List()...) &&
		oneOf(f.SourceKinds, m.SourceKind) && oneOf(f.Conflicts, m.Conflict) && named(f.Tags, tags...) && named(f.Sessions, m.Session.Symbol) &&
		named(f.Tasks, m.Task.Symbol) && named(f.Workspaces, m.Workspace.Symbol) && named(f.Agents, m.Agent.Symbol) &&
		named(f.SourceRefs, m.SourceRef) && named(f.Entities, entities...) && family && era &&
		(f.Since == nil || !at.Before(*f.Since)) && (f.Until == nil || at.Before(*f.Until)) &&
		(f.SinceTick == nil || m.EncodedTick >= *f.SinceTick) && (f.UntilTick == nil || m.EncodedTick < *f.UntilTick) &&
		(f.MinStrength == nil || m.EffectiveAt(tick) >= *f.MinStrength) && (f.MinConfidence == nil || m.Confidence >= *f.MinConfidence)
}

func TestMatch_DEC_7_GOV_2_CTX_1_IsAScanByTheModelsOwnFunctions(t *testing.T) {
	for seed := range uint64(20) {
		w := &world{rng: rand.New(rand.NewPCG(seed, 2)), x: filters.New()}
		for range 300 {
			w.step()
			f, tick := w.filter(), w.tick+model.Tick(pick(w.rng, 0, 0, 1, 4))
			viewer := pick(w.rng, model.Viewer{}, model.Viewer{Agent: 1}, model.Viewer{Agent: 2}, model.Viewer{Operator: true})
			want := roaring.New()
			for _, m := range w.memories {
				if matches(f, viewer, tick, m) {
					want.Add(uint32(m.Content.Number))
				}
			}
			c := filters.Compile(f, viewer, tick, lookup)
			got := w.x.Match(&c)
			require.Equal(t, want.ToArray(), got.ToArray(), "seed %d, filter %+v, viewer %+v, tick %d of %d", seed, f, viewer, tick, w.tick)
			got.AddRange(0, 1000) // the caller owns it
			require.Equal(t, len(w.memories), int(w.x.Live().GetCardinality()))
		}
	}
}

func TestPut_ShowsTheLatestStateInTheColumns(t *testing.T) {
	w := &world{rng: rand.New(rand.NewPCG(5, 5)), x: filters.New()}
	for range 500 {
		w.step()
	}
	for _, m := range w.memories {
		ordinal, ok := w.x.Ordinal(m.ID)
		require.True(t, ok)
		h := w.x.Hot(ordinal)
		require.Equal(t, m.Version, h.Version)
		require.Equal(t, m.Decay, h.Decay)
		require.Equal(t, m.LifecycleAt(w.tick+3), h.LifecycleAt(w.tick+3))
		require.Equal(t, m.EffectiveAt(w.tick+3), h.EffectiveAt(w.tick+3))
	}
	require.Nil(t, w.x.Hot(0))
	require.Nil(t, w.x.Hot(1<<31))
	require.Equal(t, len(w.memories), w.x.Len())
}

func TestAdvance_LIF_2_WindowEndsWithoutAFact(t *testing.T) {
	x := filters.New()
	m := &model.Memory{ID: model.MemoryID{1}, Content: model.ContentRef{Number: 3}, Visibility: model.Public, Lifecycle: model.Labile, RestabiliseTo: model.Consolidated, LabileUntil: 10}
	x.Put(nil, m)
	for tick, want := range map[model.Tick]model.Lifecycle{9: model.Labile, 10: model.Consolidated, 11: model.Consolidated} {
		c := filters.Compile(model.Filter{Lifecycles: []model.Lifecycle{want}}, model.Viewer{}, tick, lookup)
		require.EqualValues(t, 1, x.Match(&c).GetCardinality(), "asked ahead, at tick %d", tick)
	}
	x.Advance(9)
	require.Equal(t, map[model.Lifecycle]int{model.Labile: 1}, x.CountLifecycles())
	x.Advance(10)
	require.Equal(t, map[model.Lifecycle]int{model.Consolidated: 1}, x.CountLifecycles())
}

func TestPage_WalksAnImportsBucketInOrder(t *testing.T) {
	x := filters.New()
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 2000 {
		x.Put(nil, &model.Memory{
			ID: model.MemoryID{byte(rng.IntN(256)), byte(i), byte(i >> 8)}, Content: model.ContentRef{Number: model.ContentNumber(i + 1)},
			CreatedAt: model.Millis(1_700_000_000_000 + rng.Int64N(30)), Visibility: model.Public,
		})
	}
	var after *filters.Place
	for seen := 0; ; {
		page, more := x.Page(x.Live(), after, 17, false)
		for _, place := range page {
			place := place
			if after != nil {
				require.False(t, place.At < after.At || place.At == after.At && slices.Compare(place.ID[:], after.ID[:]) <= 0)
			}
			after = &place
		}
		if seen += len(page); !more {
			require.Equal(t, 2000, seen)
			return
		}
		require.Len(t, page, 17)
	}
}

func BenchmarkMatch(b *testing.B) {
	const n = 100_000
	x := filters.New()
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		x.Put(nil, &model.Memory{
			ID: model.MemoryID{byte(i), byte(i >> 8), byte(i >> 16), 1}, Content: model.ContentRef{Number: model.ContentNumber(i + 1)},
			Type: model.MemoryType(1 + rng.IntN(15)), Visibility: pick(rng, model.Private, model.Shared), Lifecycle: model.SynapticDone,
			Agent: model.Bound{Symbol: model.Symbol(rng.IntN(4))}, Session: model.Bound{Symbol: model.Symbol(rng.IntN(1000))},
			CreatedAt: model.Millis(1.7e12 + rng.Int64N(1e10)), Decay: model.DecayState{BaseStrength: rng.Float64(), Stability: 2000},
		})
	}
	least, since := 0.5, time.UnixMilli(1.705e12)
	for name, f := range map[string]model.Filter{
		"all": {}, "type": {Types: []model.MemoryType{model.TypeFact}}, "session": {Sessions: []string{"s7"}},
		"since": {Since: &since}, "strength": {MinStrength: &least},
	} {
		b.Run(name, func(b *testing.B) {
			c := filters.Compile(f, model.Viewer{Agent: 1}, 100, lookup)
			for b.Loop() {
				x.Match(&c)
			}
		})
	}
}
