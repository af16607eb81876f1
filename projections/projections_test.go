package projections_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/stretchr/testify/require"
)

func TestOpen_AUT_1_EveryDerivedFileComesBackEqual(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newStore(t, seed)
			p := s.live()
			s.create("team")
			s.create("other")
			s.history(600)
			want, wantDigest := answers(t, s, p), digest(t, p)
			require.NoError(t, p.Close())
			for _, file := range append(derived(t, s.dir), "") {
				if file == "" {
					for _, each := range derived(t, s.dir) {
						require.NoError(t, os.Remove(each))
					}
				} else {
					require.NoError(t, os.Remove(file))
				}
				again := s.open(s.options())
				require.Equal(t, wantDigest, digest(t, again), "without %q", file)
				require.Equal(t, want, answers(t, s, again), "without %q", file)
				require.NoError(t, again.Close())
			}
		})
	}
}

func TestApply_MatchesTheWritersOwnFold(t *testing.T) {
	s := newStore(t, 7)
	p := s.live()
	n := s.create("team")
	s.history(400)
	space, ok := p.Space(n.ordinal)
	require.True(t, ok)
	space.Read(func(v *projections.View) {
		require.Equal(t, len(n.memories), v.Len())
		require.Equal(t, model.Tick(n.tick), v.Tick)
		require.Equal(t, s.mem.Log().Head().Seq, v.Seq)
		for _, m := range n.memories {
			ordinal, ok := v.Ordinal(m.ID)
			require.True(t, ok)
			require.EqualValues(t, m.Content.Number, ordinal)
			require.Equal(t, m.EffectiveAt(v.Tick), v.Hot(ordinal).EffectiveAt(v.Tick))
			require.Equal(t, m.LifecycleAt(v.Tick), v.Hot(ordinal).LifecycleAt(v.Tick))
			r, err := space.Record(m.Content.Number)
			require.NoError(t, err)
			require.Contains(t, v.FingerprintOrdinals(r.Fingerprint, nil), ordinal)
		}
	})
}

func TestMatch_GOV_2_PrivateMemoriesOfOthersAreInNoAnswer(t *testing.T) {
	s := newStore(t, 8)
	p := s.live()
	n := s.create("team")
	s.history(400)
	space, _ := p.Space(n.ordinal)
	alice := model.Viewer{Agent: model.Symbol(n.symbols["alice"])}
	hidden := map[uint32]bool{}
	for _, m := range n.memories {
		if !alice.CanSee(m) {
			hidden[uint32(m.Content.Number)] = true
		}
	}
	require.NotEmpty(t, hidden)
	for _, f := range someFilters(n) {
		c := space.Compile(f, alice, model.Tick(n.tick))
		space.Read(func(v *projections.View) {
			match := v.Match(c)
			for _, ordinal := range match.ToArray() {
				require.False(t, hidden[ordinal])
				before, after := v.Neighbours(ordinal, 3, match, nil, nil)
				for _, near := range append(before, after...) {
					require.False(t, hidden[near])
				}
			}
			for _, hit := range v.Lexical("melanie painted the lake at sunrise", 100, match) {
				require.False(t, hidden[hit.Ordinal])
			}
			for _, hit := range v.Vector(embedding(vector(n.embedder.ID, "lake")), 100, match) {
				require.False(t, hidden[hit.Key])
			}
		})
	}
}

func TestMemory_IDN_2_OtherNamespaceDoesNotFindIt(t *testing.T) {
	s := newStore(t, 9)
	p := s.live()
	one, two := s.create("one"), s.create("two")
	s.history(50)
	space, _ := p.Space(two.ordinal)
	_, err := space.Memory(one.memories[0].ID)
	require.ErrorIs(t, err, projections.ErrNotFound)
}

func TestDigest_DET_3_ReplayRebuildAndCheckpointAgree(t *testing.T) {
	s := newStore(t, 10)
	checkpoints := s.checkpoints()
	o := s.options()
	o.Snapshots, o.CheckpointEvery = checkpoints, 3333
	p := s.open(o)
	s.p = p
	s.create("team")
	s.create("other")
	s.history(10_500)
	ctx := context.Background()
	_, err := p.Checkpoint(ctx, "odd-point")
	require.NoError(t, err)
	s.history(777)
	want, wantAnswers := digest(t, p), answers(t, s, p)
	for range 3 {
		got, err := projections.Replay(ctx, s.mem.Log(), projections.Until{}, nil, nil)
		require.NoError(t, err)
		require.Equal(t, want, got.Digest)
		require.EqualValues(t, s.facts, got.Facts)
	}
	metas, errs := checkpoints.List()
	require.Empty(t, errs)
	require.GreaterOrEqual(t, len(metas), 2)
	for _, m := range metas {
		got, err := projections.Replay(ctx, s.mem.Log(), projections.Until{}, &projections.Start{Store: checkpoints, Meta: m}, nil)
		require.NoError(t, err)
		require.Equal(t, want, got.Digest, "from commit %d", m.Seq)
	}
	require.NoError(t, p.Rebuild(ctx, nil))
	require.Equal(t, want, digest(t, p))
	require.Equal(t, wantAnswers, answers(t, s, p))
	s.history(100) // goes on after a rebuild
	require.Equal(t, len(s.spaces[1].memories), p.Namespaces()[0].Memories)
	want, wantAnswers = digest(t, p), answers(t, s, p)
	require.NoError(t, p.Close())
	require.NoError(t, os.Remove(filepath.Join(s.dir, "state.db")))
	again := s.open(o) // from the newest checkpoint and the tail
	require.Equal(t, want, digest(t, again))
	require.Equal(t, wantAnswers, answers(t, s, again))
}

func TestDigest_DET_3_RandomHistoriesFoldAlikeHoweverTheyAreFolded(t *testing.T) {
	for seed := range uint64(8) {
		s := newStore(t, 100+seed)
		checkpoints := s.checkpoints()
		o := s.options()
		o.Snapshots, o.FlushRows = checkpoints, 1+s.rng.IntN(40)
		p := s.open(o)
		s.p = p
		ctx := context.Background()
		for i := range 1 + s.rng.IntN(3) {
			s.create(fmt.Sprint("space ", i))
		}
		for range 4 {
			s.history(1 + s.rng.IntN(120))
			meta, err := p.Checkpoint(ctx, "")
			require.NoError(t, err)
			s.history(1 + s.rng.IntN(120))
			want := digest(t, p)
			replayed, err := projections.Replay(ctx, s.mem.Log(), projections.Until{}, nil, nil)
			require.NoError(t, err)
			require.Equal(t, want, replayed.Digest, "seed %d, replayed", seed)
			replayed, err = projections.Replay(ctx, s.mem.Log(), projections.Until{}, &projections.Start{Store: checkpoints, Meta: meta}, nil)
			require.NoError(t, err)
			require.Equal(t, want, replayed.Digest, "seed %d, from commit %d", seed, meta.Seq)
			before := answers(t, s, p)
			require.NoError(t, p.Rebuild(ctx, nil))
			require.Equal(t, want, digest(t, p), "seed %d, rebuilt", seed)
			require.Equal(t, before, answers(t, s, p), "seed %d, rebuilt", seed)
		}
	}
}

func TestReplay_DET_3_StopsWhereAsked(t *testing.T) {
	s := newStore(t, 11)
	p := s.live()
	n := s.create("team")
	s.history(200)
	ctx, middle := context.Background(), p.AppliedSeq()
	want, tick := digest(t, p), n.tick
	n.tick++ // so that the next commit lies beyond
	s.history(200)
	bySeq, err := projections.Replay(ctx, s.mem.Log(), projections.Until{Seq: middle}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, want, bySeq.Digest)
	require.Equal(t, middle, bySeq.Seq)
	byTick, err := projections.Replay(ctx, s.mem.Log(), projections.Until{Tick: tick}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, want, byTick.Digest)
	record, err := s.mem.Log().At(middle)
	require.NoError(t, err)
	byTime, err := projections.Replay(ctx, s.mem.Log(), projections.Until{Time: record.TimeMillis}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, want, byTime.Digest)
}

func TestOpen_AUT_4_DET_2_TickAndStrengthSurviveAnUnflushedEnd(t *testing.T) {
	s := newStore(t, 12)
	s.live()
	n := s.create("team")
	s.history(300)
	// The process ends without Close: another one opens a copy of the files as they are.
	o := s.options()
	o.Dir = filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(o.Dir, os.DirFS(s.dir)))
	again := s.open(o)
	space, _ := again.Space(n.ordinal)
	require.Equal(t, model.Tick(n.tick), space.Brain().Tick)
	for _, m := range n.memories {
		got, err := space.Memory(m.ID)
		require.NoError(t, err)
		require.Equal(t, m.Decay, got.Memory.Decay)
		require.Equal(t, m.EffectiveAt(model.Tick(n.tick+9)), got.Memory.EffectiveAt(model.Tick(n.tick+9)))
	}
	require.Equal(t, answers(t, s, s.p), answers(t, s, again))
}

func TestOpen_CrashBetweenSavingIndexesAndTable(t *testing.T) {
	s := newStore(t, 13)
	p := s.live()
	s.create("team")
	s.history(200)
	require.NoError(t, p.Close())
	early := t.TempDir()
	require.NoError(t, os.CopyFS(early, os.DirFS(s.dir)))
	p = s.live()
	s.history(200)
	want, wantDigest := answers(t, s, p), digest(t, p)
	require.NoError(t, p.Close())
	late := s.dir
	for _, c := range []struct{ name, table, index string }{{"index ahead", early, late}, {"table ahead", late, early}} {
		t.Run(c.name, func(t *testing.T) {
			o := s.options()
			o.Dir = t.TempDir()
			require.NoError(t, os.CopyFS(filepath.Join(o.Dir, "index"), os.DirFS(filepath.Join(c.index, "index"))))
			b, err := os.ReadFile(filepath.Join(c.table, "state.db"))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(o.Dir, "state.db"), b, 0o600))
			again := s.open(o)
			require.Equal(t, wantDigest, digest(t, again))
			require.Equal(t, want, answers(t, s, again))
			require.NoError(t, again.Close())
		})
	}
}

func TestOpen_SweepsWhatNoCommitNames(t *testing.T) {
	s := newStore(t, 14)
	p := s.live()
	n := s.create("team")
	s.history(50)
	require.NoError(t, p.Close())
	ctx := context.Background()
	require.NoError(t, s.mem.Contents().Put(ctx, []eventlog.ContentBatch{
		{Namespace: n.ordinal, Contents: []eventlog.Content{{Number: n.contents + 5, Body: []byte("x")}}, Symbols: []eventlog.Symbol{{Number: 999, Text: "orphan"}}},
		{Symbols: []eventlog.Symbol{{Number: 2, Text: "never created"}}},
	}))
	again := s.open(s.options())
	_, err := s.mem.Contents().Get(n.ordinal, n.contents+5)
	require.ErrorIs(t, err, eventlog.ErrNotFound)
	space, _ := again.Space(n.ordinal)
	_, known := space.Lookup("orphan")
	require.False(t, known)
	_, known = again.SpaceByName("never created")
	require.False(t, known)
	_, known = again.SpaceByName("team")
	require.True(t, known)
}

func TestApply_AUT_5_BadFactQuarantinesOneStream(t *testing.T) {
	s := newStore(t, 15)
	p := s.live()
	n := s.create("team")
	s.history(100)
	d := s.draft(n)
	victim := n.memories[0]
	d.memory(0, model.MemoryPinned{At: 1, Was: model.RetainNormal})
	d.commit.Facts[0].Version += 3 // as if commits of the stream had been lost
	d.submit()
	n.memories = n.memories[1:]
	space, _ := p.Space(n.ordinal)
	check := func(p *projections.Projections) {
		space, _ := p.Space(n.ordinal)
		_, err := space.Memory(victim.ID)
		require.ErrorIs(t, err, projections.ErrQuarantined)
		require.Len(t, p.Stats().Quarantined, 1)
		space.Read(func(v *projections.View) {
			_, ok := v.Ordinal(victim.ID)
			require.False(t, ok)
			require.False(t, v.Live().Contains(uint32(victim.Content.Number)))
		})
	}
	check(p)
	_, head := space.BrainHead()
	require.NotZero(t, head)
	s.history(100) // the others go on
	want, wantDigest := answers(t, s, p), digest(t, p)
	require.NoError(t, p.Close())
	again := s.live()
	check(again)
	require.Equal(t, want, answers(t, s, again))
	require.NoError(t, again.Rebuild(context.Background(), nil))
	check(again)
	require.Equal(t, wantDigest, digest(t, again))
	require.Equal(t, want, answers(t, s, again))
}

func TestApply_PassesOverWhatIsAppliedAndFetchesWhatIsMissing(t *testing.T) {
	s := newStore(t, 16)
	p := s.live()
	s.create("team")
	s.history(50)
	s.p = nil
	s.history(50)
	head := s.mem.Log().Head().Seq
	last, err := s.mem.Log().At(head)
	require.NoError(t, err)
	p.Apply([]eventlog.Record{last})
	p.Apply([]eventlog.Record{last})
	require.Equal(t, head, p.AppliedSeq())
	replayed, err := projections.Replay(context.Background(), s.mem.Log(), projections.Until{}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, replayed.Digest, digest(t, p))
}

func TestOpen_RefusesFactsOfANewerVersion(t *testing.T) {
	s := newStore(t, 17)
	n := s.create("team")
	d := s.draft(n)
	d.memory(d.blank(), model.MemoryPinned{})
	d.commit.Facts[len(d.commit.Facts)-1].Type = "memory.dreamt.v9"
	d.submit()
	_, err := projections.Open(context.Background(), s.options())
	require.ErrorIs(t, err, codec.ErrUnsupported)
	_, err = projections.Replay(context.Background(), s.mem.Log(), projections.Until{}, nil, nil)
	require.ErrorIs(t, err, codec.ErrUnsupported)
}

// blank encodes a memory and returns its place.
func (d *draft) blank() int {
	d.encode()
	return len(d.n.memories) - 1
}

func TestRead_DEC_4_ReadsAtLaterTicksChangeNothing(t *testing.T) {
	s := newStore(t, 18)
	p := s.live()
	n := s.create("team")
	s.history(200)
	want, unflushed := digest(t, p), p.Stats().Unflushed
	space, _ := p.Space(n.ordinal)
	for _, f := range someFilters(n) {
		c := space.Compile(f, model.Viewer{Operator: true}, model.Tick(n.tick+1_000_000))
		space.Read(func(v *projections.View) { v.Match(c) })
	}
	require.Equal(t, want, digest(t, p))
	require.Equal(t, unflushed, p.Stats().Unflushed)
	require.EqualValues(t, p.AppliedSeq(), s.mem.Log().Head().Seq)
}

func TestApply_DamageWhileRunningIsRebuilt(t *testing.T) {
	s := newStore(t, 19)
	s.live()
	n := s.create("team")
	s.history(400)
	require.NoError(t, s.p.Close())
	p := s.live() // with nothing in memory, every row comes from the file
	require.NoError(t, os.Truncate(filepath.Join(s.dir, "state.db"), 8192))
	s.history(50)
	require.Contains(t, reported(s.events), "state.db")
	require.Equal(t, len(n.memories), p.Stats().Memories)
	replayed, err := projections.Replay(context.Background(), s.mem.Log(), projections.Until{}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, replayed.Digest, digest(t, p))
	want := answers(t, s, p)
	require.NoError(t, p.Close())
	require.Equal(t, want, answers(t, s, s.live()))
}

func TestRun_FlushesAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 25)
		p := s.live()
		s.create("team")
		s.history(20)
		require.NotZero(t, p.Stats().Unflushed)
		time.Sleep(6 * time.Second) // of the bubble's clock
		synctest.Wait()
		require.Zero(t, p.Stats().Unflushed)
		require.NoError(t, p.Close())
	})
}

func TestCheckpoint_DueAfterSoManyFacts(t *testing.T) {
	s := newStore(t, 26)
	checkpoints := s.checkpoints()
	o := s.options()
	o.Snapshots, o.CheckpointEvery, o.FlushRows = checkpoints, 100, 1
	written := make(chan projections.Event, 100)
	o.Listener = func(e projections.Event) {
		if e.Kind == projections.EventCheckpoint {
			written <- e
		}
	}
	p := s.open(o)
	s.p = p
	s.create("team")
	s.history(150)
	require.NotZero(t, (<-written).Seq)
	for range 20 {
		_, err := p.Checkpoint(context.Background(), "")
		require.NoError(t, err)
		s.history(1)
	}
	metas, errs := checkpoints.List()
	require.Empty(t, errs)
	require.LessOrEqual(t, len(metas), 16)
	_, err := s.open(projections.Options{Dir: t.TempDir(), Log: s.mem.Log(), Contents: s.mem.Contents()}).Checkpoint(context.Background(), "x")
	require.ErrorIs(t, err, projections.ErrUnavailable)
}

func TestOpen_ReportsEveryFaultOfItsOptions(t *testing.T) {
	_, err := projections.Open(context.Background(), projections.Options{})
	require.ErrorContains(t, err, "Dir")
	require.ErrorContains(t, err, "Log")
	require.ErrorContains(t, err, "Contents")
}
