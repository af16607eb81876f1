package projections_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/snapshots"
	"github.com/membrain-db/membrain/text"
	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

// store is a log with contents, and a writer of random but valid histories that knows what it wrote.
type store struct {
	t      testing.TB
	mem    *eventlog.Memory
	dir    string
	rng    *rand.Rand
	heads  map[eventlog.Stream]streamEnd
	spaces map[eventlog.Ordinal]*namespace
	p      *projections.Projections // told of every commit when set
	facts  int
	events []projections.Event
}

type streamEnd struct {
	version uint64
	seq     eventlog.Seq
}

// namespace is what the writer knows of one.
type namespace struct {
	ordinal  eventlog.Ordinal
	tick     uint64
	millis   int64
	contents uint64
	symbols  map[string]uint64
	news     []eventlog.Symbol
	memories []*model.Memory
	embedder model.EmbedderRef
	requests map[[16]byte]eventlog.Seq
}

func newStore(t testing.TB, seed uint64) *store {
	return &store{
		t: t, mem: eventlog.NewMemory(), dir: t.TempDir(), rng: rand.New(rand.NewPCG(seed, 1)),
		heads: map[eventlog.Stream]streamEnd{}, spaces: map[eventlog.Ordinal]*namespace{},
	}
}

func (s *store) options() projections.Options {
	return projections.Options{
		Dir: s.dir, Log: s.mem.Log(), Contents: s.mem.Contents(), CheckpointEvery: -1,
		Listener: func(e projections.Event) { s.events = append(s.events, e) },
	}
}

func (s *store) open(o projections.Options) *projections.Projections {
	s.t.Helper()
	p, err := projections.Open(context.Background(), o)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { require.NoError(s.t, p.Close()) })
	return p
}

// live opens the projections that follow the log from now on.
func (s *store) live() *projections.Projections {
	s.p = s.open(s.options())
	return s.p
}

func (s *store) checkpoints() *snapshots.Store {
	store, err := snapshots.Open(filepath.Join(s.dir, "checkpoints"))
	require.NoError(s.t, err)
	return store
}

// draft is a commit in the making.
type draft struct {
	s        *store
	n        *namespace
	commit   eventlog.Commit
	contents []eventlog.Content
}

func (s *store) draft(n *namespace) *draft {
	n.millis += int64(s.rng.IntN(5_000_000))
	return &draft{s: s, n: n, commit: eventlog.Commit{Namespace: n.ordinal, Door: "api", Verb: "test"}}
}

func (d *draft) add(family eventlog.Family, id model.MemoryID, f model.Fact) {
	stream := eventlog.Stream{Namespace: d.n.ordinal, Family: family, ID: id}
	encoded, err := codec.EncodeFact(f)
	require.NoError(d.s.t, err)
	end := d.s.heads[stream]
	d.commit.Facts = append(d.commit.Facts, eventlog.Fact{
		Stream: stream, Version: end.version + 1, Prev: end.seq, Type: encoded.Type, Schema: encoded.Schema, Body: encoded.Body,
	})
	d.s.heads[stream] = streamEnd{end.version + 1, eventlog.SameCommit}
}

func (d *draft) brain(f model.Fact) { d.add(eventlog.FamilyBrain, model.MemoryID{}, f) }

// memory adds a fact of a memory and folds it into what the writer knows.
func (d *draft) memory(i int, f model.Fact) {
	m := d.n.memories[i]
	d.add(eventlog.FamilyMemory, m.ID, f)
	d.n.memories[i] = model.Apply(m, f)
}

func (d *draft) submit() eventlog.Seq {
	s, ctx := d.s, context.Background()
	d.commit.Tick, d.commit.TimeMillis = d.n.tick, d.n.millis
	d.commit.ContentHigh, d.commit.SymbolHigh = d.n.contents, uint64(len(d.n.symbols))
	batch := []eventlog.ContentBatch{{Namespace: d.n.ordinal, Contents: d.contents, Symbols: d.n.news}}
	require.NoError(s.t, s.mem.Contents().Put(ctx, batch))
	if s.p != nil {
		s.p.LearnSymbols(d.n.ordinal, d.n.news)
	}
	d.n.news = nil
	head, err := s.mem.Log().Append(ctx, s.mem.Log().Head().Seq, []*eventlog.Commit{&d.commit})
	require.NoError(s.t, err)
	for _, f := range d.commit.Facts {
		s.heads[f.Stream] = streamEnd{f.Version, head.Seq}
	}
	s.facts += len(d.commit.Facts)
	if s.p != nil {
		record, err := s.mem.Log().At(head.Seq)
		require.NoError(s.t, err)
		s.p.Apply([]eventlog.Record{record})
	}
	return head.Seq
}

func (n *namespace) symbol(s string) model.Symbol {
	if s == "" {
		return 0
	}
	if _, ok := n.symbols[s]; !ok {
		n.symbols[s] = uint64(len(n.symbols) + 1)
		n.news = append(n.news, eventlog.Symbol{Number: n.symbols[s], Text: s})
	}
	return model.Symbol(n.symbols[s])
}

const dim = 8

func (s *store) create(name string) *namespace {
	n := &namespace{
		ordinal: eventlog.Ordinal(len(s.spaces) + 1), millis: 1_700_000_000_000,
		symbols: map[string]uint64{}, requests: map[[16]byte]eventlog.Seq{},
	}
	s.spaces[n.ordinal] = n
	names := []eventlog.ContentBatch{{Symbols: []eventlog.Symbol{{Number: uint64(n.ordinal), Text: name}}}}
	require.NoError(s.t, s.mem.Contents().Put(context.Background(), names))
	if s.p != nil {
		s.p.LearnSymbols(0, names[0].Symbols)
	}
	n.embedder = model.EmbedderRef{ID: n.symbol("embedder-a"), Dim: dim, Form: uint8(vectors.FormInt8)}
	d := s.draft(n)
	d.brain(model.NamespaceCreated{Params: model.DefaultParams(), Embedder: n.embedder})
	d.submit()
	return n
}

var words = strings.Fields("staging database moved frankfurt deploy failed melanie kids painted sunrise lake camping guitar lesson october budget review hiking trail coffee")

func (s *store) sentence() string {
	list := make([]string, 3+s.rng.IntN(8))
	for i := range list {
		list[i] = words[s.rng.IntN(len(words))]
	}
	return strings.Join(list, " ")
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

func (s *store) id() (id model.MemoryID) {
	binary.BigEndian.PutUint64(id[:], s.rng.Uint64())
	binary.BigEndian.PutUint64(id[8:], s.rng.Uint64())
	return id
}

// vector is a function of the text and the embedder, as a real one would be.
func vector(embedder model.Symbol, s string) model.Embedded {
	e := vectors.Embedding{Form: vectors.FormInt8, Int8: make([]int8, dim)}
	rng := rand.New(rand.NewPCG(text.Fingerprint(s), uint64(embedder)))
	for i := range e.Int8 {
		e.Int8[i] = int8(rng.IntN(200) - 100)
	}
	e.Int8[0] |= 1
	return model.Embedded{Embedder: embedder, Vector: e.AppendBinary(nil)}
}

func embedding(e model.Embedded) vectors.Embedding {
	v, _, err := vectors.ParseEmbedding(e.Vector)
	if err != nil {
		panic(err)
	}
	return v
}

// content stages a text and returns the reference to it.
func (d *draft) content(s string) model.ContentRef {
	d.n.contents++
	r := model.Record{Text: s, Fingerprint: model.Fingerprint(text.Fingerprint(s))}
	if d.s.rng.IntN(10) > 0 {
		r.Embeddings = []model.Embedded{vector(d.n.embedder.ID, s)}
	}
	number := model.ContentNumber(d.n.contents)
	d.contents = append(d.contents, eventlog.Content{Number: uint64(number), Body: codec.EncodeRecord(r)})
	if d.s.p != nil && d.s.rng.IntN(2) == 0 {
		d.s.p.Stage(d.n.ordinal, number, &r)
	}
	return model.ContentRef{Number: number, Digest: codec.ContentDigest(r), TextBytes: uint64(len(s))}
}

func (d *draft) encode() {
	s, n := d.s, d.n
	m := model.Memory{
		ID: s.id(), Version: 1, Type: pick(s.rng, model.TypeEvent, model.TypeFact, model.TypeObservation), Kind: pick(s.rng, model.Episodic, model.Semantic),
		CreatedAt: model.Millis(n.millis), UpdatedAt: model.Millis(n.millis), EncodedTick: model.Tick(n.tick),
		Content: d.content(s.sentence()), ContentRevision: 1, SourceKind: model.SourceAPI,
		SourceRef: n.symbol(pick(s.rng, "", "ref-1", "ref-2")),
		Agent:     model.Bound{Symbol: n.symbol(pick(s.rng, "", "alice", "bob"))},
		Session:   model.Bound{Symbol: n.symbol(pick(s.rng, "", "s1", "s2", "s3"))},
		Task:      model.Bound{Symbol: n.symbol(pick(s.rng, "", "t1"))},
		Workspace: model.Bound{Symbol: n.symbol(pick(s.rng, "", "w1", "w2"))},
		Tier:      model.Tier2, Salience: s.rng.Float64(), Confidence: 0.1 + 0.9*s.rng.Float64(), Utility: s.rng.Float64(),
		Retention: pick(s.rng, model.RetainNormal, model.RetainDurable), Visibility: pick(s.rng, model.Private, model.Shared, model.Public),
		Decay:     model.DecayState{BaseStrength: s.rng.Float64(), Stability: 1 + 100*s.rng.Float64(), LastAccessedTick: model.Tick(n.tick)},
		Lifecycle: model.Labile, RestabiliseTo: model.SynapticDone, LabileUntil: model.Tick(n.tick + uint64(s.rng.IntN(30))),
		Conflict: model.ConflictNone,
	}
	if s.rng.IntN(2) == 0 {
		m.OccurredAt = model.Millis(n.millis - int64(s.rng.IntN(1_000_000_000)))
	}
	if s.rng.IntN(3) == 0 {
		m.Entities = []model.Ref{{Mention: n.symbol(pick(s.rng, "Melanie", "Lake District", "The Who"))}}
	}
	if s.rng.IntN(3) == 0 {
		m.Tags = []model.Tag{{Symbol: n.symbol(pick(s.rng, "red", "blue"))}}
	}
	if s.rng.IntN(5) == 0 {
		m.PolicyFlags = model.PolicyFlags(0).With(model.FlagLegalHold)
	}
	if len(n.memories) > 0 && s.rng.IntN(5) == 0 {
		m.DuplicateOf = n.memories[0].ID
	}
	n.memories = append(n.memories, nil)
	d.add(eventlog.FamilyMemory, m.ID, model.MemoryEncoded{Memory: m})
	n.memories[len(n.memories)-1] = &m
}

// request makes the commit an acknowledged one.
func (d *draft) request(verb model.Verb) {
	binary.BigEndian.PutUint64(d.commit.RequestDigest[:], d.s.rng.Uint64()|1)
	d.brain(model.RequestAccepted{Verb: verb, Tick: model.Tick(d.n.tick), At: model.Millis(d.n.millis)})
}

// act writes one random commit.
func (s *store) act(n *namespace) {
	d := s.draft(n)
	any := func() int { return s.rng.IntN(len(n.memories)) }
	at, tick := model.Millis(n.millis), model.Tick(n.tick)
	action := s.rng.IntN(20)
	if len(n.memories) == 0 {
		action = 0
	}
	switch action {
	case 0, 1, 2, 3, 4, 5:
		n.tick++
		d.request(model.VerbEncode)
		for range 1 + s.rng.IntN(3) {
			d.encode()
		}
	case 6, 7, 8, 9, 10, 11, 12:
		n.tick++
		d.request(model.VerbRecall)
		tick = model.Tick(n.tick)
		for _, i := range s.rng.Perm(len(n.memories))[:min(len(n.memories), 1+s.rng.IntN(4))] {
			if m := n.memories[i]; m.Lifecycle != model.Archived {
				d.memory(i, model.MemoryRecalled{
					Cause: 1, At: at, Tick: tick, DeltaTicks: 1, Decayed: 0.2, BaseStrength: s.rng.Float64(), Stability: 1 + 500*s.rng.Float64(),
					RecallCount: m.RecallCount + 1, Utility: s.rng.Float64(), Lifecycle: model.Labile, RestabiliseTo: model.SynapticDone,
					LabileUntil: tick + model.Tick(s.rng.IntN(30)),
				})
			}
		}
	case 13, 14:
		i := any()
		d.memory(i, model.MemoryRevised{At: at, Tick: tick, Content: &model.ContentRevised{
			Content: d.content(s.sentence()), BaseStrength: s.rng.Float64(), Confidence: 0.1 + 0.9*s.rng.Float64(),
			Lifecycle: model.Labile, RestabiliseTo: model.SynapticDone, LabileUntil: tick + 20,
		}})
	case 15:
		tags := []model.Tag{{Symbol: n.symbol(pick(s.rng, "red", "green"))}}
		d.memory(any(), model.MemoryRevised{At: at, Tick: tick, Type: model.TypeSummary, Tags: &tags})
	case 16, 17:
		i := any()
		if m := n.memories[i]; m.Lifecycle == model.Archived {
			d.memory(i, model.MemoryRestored{At: at, Tick: tick, To: model.SynapticDone})
		} else {
			d.memory(i, model.LabileWindowClosed{At: at, Tick: tick, Lifecycle: model.SynapticDone})
			d.memory(i, model.MemoryArchived{At: at, Tick: tick, From: model.SynapticDone, Reason: 1})
		}
	case 18:
		d.brain(model.RequestRefused{Verb: model.VerbForget, Count: 1, At: at})
	case 19:
		d.memory(any(), model.MemoryPinned{At: at, Tick: tick, Was: model.RetainNormal})
	}
	seq := d.submit()
	if d.commit.RequestDigest != [16]byte{} {
		n.requests[d.commit.RequestDigest] = seq
	}
}

// history writes commits until the log has some number of facts more.
func (s *store) history(facts int) {
	for want := s.facts + facts; s.facts < want; {
		s.act(s.spaces[eventlog.Ordinal(1+s.rng.IntN(len(s.spaces)))])
	}
}

// viewers and filters that answers asks with.
func (n *namespace) viewers() map[string]model.Viewer {
	return map[string]model.Viewer{
		"operator": {Operator: true}, "nobody": {}, "alice": {Agent: model.Symbol(n.symbols["alice"])}, "bob": {Agent: model.Symbol(n.symbols["bob"])},
	}
}

func someFilters(n *namespace) []model.Filter {
	half := 0.3
	tick := model.Tick(n.tick / 2)
	return []model.Filter{
		{}, {Types: []model.MemoryType{model.TypeFact, model.TypeSummary}}, {Sessions: []string{"s1"}}, {Tags: []string{"red", "green"}},
		{Workspaces: []string{"w1"}}, {MinStrength: &half}, {MinConfidence: &half}, {Include: []model.Lifecycle{model.Archived}},
		{Lifecycles: []model.Lifecycle{model.Labile}}, {Entities: []string{"Melanie"}}, {SinceTick: &tick}, {Sessions: []string{"never"}},
	}
}

// answers is everything that readers can ask, in a form that compares.
func answers(t testing.TB, s *store, p *projections.Projections) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, "applied", p.AppliedSeq())
	for _, info := range p.Namespaces() {
		fmt.Fprintln(&b, "namespace", info)
		n := s.spaces[info.Ordinal]
		space, ok := p.SpaceByName(info.Name)
		require.True(t, ok)
		version, seq := space.BrainHead()
		fmt.Fprintln(&b, version, seq, *space.Brain())
		for _, m := range n.memories {
			got, err := space.Memory(m.ID)
			require.NoError(t, err)
			require.Equal(t, m.Version, got.Memory.Version)
			fmt.Fprintln(&b, got.Head, string(codec.AppendMemory(nil, got.Memory)))
		}
		for digest, seq := range n.requests {
			got, ok, err := p.Request(info.Ordinal, digest)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, seq, got)
		}
		asked(&b, n, space)
	}
	return b.String()
}

func asked(b *strings.Builder, n *namespace, space *projections.Space) {
	names := []string{"alice", "bob", "nobody", "operator"}
	for i, f := range someFilters(n) {
		for _, name := range names {
			c := space.Compile(f, n.viewers()[name], model.Tick(n.tick+uint64(i%3)))
			space.Read(func(v *projections.View) {
				match := v.Match(c)
				fmt.Fprintln(b, i, name, match.ToArray())
				for _, query := range []string{"melanie painted the lake", "budget review october", "staging"} {
					fmt.Fprintln(b, v.Lexical(query, 5, match), v.Vector(embedding(vector(n.embedder.ID, query)), 5, match))
				}
			})
			ids, next, err := space.List(c, "", 7, i%2 == 0)
			fmt.Fprintln(b, ids, next, err)
		}
	}
	space.Read(func(v *projections.View) {
		for _, ordinal := range v.Live().ToArray() {
			before, after := v.Neighbours(ordinal, 3, nil, nil, nil)
			fmt.Fprintln(b, ordinal, *v.Hot(ordinal), before, after)
		}
		for _, m := range v.Mentioned("did Melanie see the lakes of that district with The Who?") {
			fmt.Fprintln(b, m.Symbol, m.Ordinals.ToArray())
		}
		terms, docs := v.Weigh("melanie painted")
		fmt.Fprintln(b, terms, docs)
	})
}

func digest(t testing.TB, p *projections.Projections) [32]byte {
	t.Helper()
	_, d, err := p.Digest(context.Background())
	require.NoError(t, err)
	return d
}

// derived lists the derived files of a data directory.
func derived(t testing.TB, dir string) (list []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.Contains(path, "checkpoints") {
			list = append(list, path)
		}
		return err
	}))
	slices.Sort(list)
	return list
}
