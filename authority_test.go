package membrain_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors/embed"
)

// grow fills a host with a small life and returns its ids.
func (h *host) grow(n int) (ids []membrain.MemoryID) {
	h.t.Helper()
	ctx := context.Background()
	for i := range n {
		ids = append(ids, h.put(membrain.EncodeRequest{
			Text: fmt.Sprintf("Entry %d of the harbour log tells of ship-%d.", i, i%7), SessionID: fmt.Sprint("s", i%3), Tags: []string{fmt.Sprint("t", i%4)},
		}).ID)
		switch i % 5 {
		case 1:
			h.recall(fmt.Sprintf("harbour ship-%d", i%7), func(r *membrain.RecallRequest) { r.Limit = 3 })
		case 2:
			h.must(h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: ids[i/2], Text: ptr(fmt.Sprintf("Revised entry %d of the harbour.", i))}))
		case 3:
			h.must(h.s.Pin(ctx, one(ids[i/3])))
		case 4:
			h.must(h.s.Forget(ctx, one(ids[i])))
		}
	}
	return ids
}

// answers is what a host says about everything that was put into it.
func (h *host) answers(ids []membrain.MemoryID) (out []string) {
	h.t.Helper()
	add := func(v any) {
		b, err := json.Marshal(v)
		require.NoError(h.t, err)
		out = append(out, string(b))
	}
	for _, id := range ids {
		add(h.inspect(id))
		add(h.history(id))
	}
	list, err := h.s.List(context.Background(), membrain.ListRequest{Namespace: team, Filter: membrain.Filter{Include: []membrain.Lifecycle{model.Archived}}, Limit: 100})
	require.NoError(h.t, err)
	for _, query := range []string{"harbour log ship-3", "revised entry", "nothing of the kind"} {
		got := h.look(query)
		got.RequestID = "" // made for each
		add(got)
	}
	add(list)
	add(h.tick(team))
	return out
}

func TestDerived_AUT_1_CanAllBeDeleted(t *testing.T) {
	h := newHost(t)
	ids := h.grow(40)
	require.NoError(t, h.s.Checkpoint(context.Background(), ""))
	want, digest := h.answers(ids), h.digest()
	h.deleteAndOpen()
	require.Equal(t, digest, h.digest())
	require.Equal(t, want, h.answers(ids))
	h.verified()
	for _, name := range []string{"state.db", "index", "checkpoints"} { // one at a time
		h.close()
		require.NoError(t, os.RemoveAll(filepath.Join(h.dir, name)))
		h.open()
		require.Equal(t, digest, h.digest(), name)
		require.Equal(t, want, h.answers(ids), name)
	}
}

// TestDerived_ATextThatCannotBeReadIsToldOf damages one text, so that an index that is made anew must lack it.
func TestDerived_ATextThatCannotBeReadIsToldOf(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	lost := h.encode("The lighthouse keeper hums in the evening.").ID
	kept := h.encode("The lighthouse is repaired in spring.").ID
	digest := h.digest()
	h.close()
	h.deleteDerived()
	name := filepath.Join(h.dir, "contents.db")
	file, err := os.ReadFile(name)
	require.NoError(t, err)
	damaged := bytes.ReplaceAll(file, []byte("keeper hums"), []byte("keeper huns"))
	require.NotEqual(t, file, damaged)
	require.NoError(t, os.WriteFile(name, damaged, 0o600))
	h.open()
	require.Equal(t, digest, h.digest(), "the state is not in the texts")
	_, err = h.s.Inspect(ctx, one(lost))
	requireCode(t, model.CodeCorrupt, err)
	got := h.look("lighthouse")
	require.Equal(t, []membrain.MemoryID{kept}, found(got))
	require.Len(t, got.Notes, 1)
	require.Contains(t, got.Notes[0], "texts cannot be read: 1")
	require.Empty(t, h.look("lighthouse", func(r *membrain.RecallRequest) { r.Filter.Tags = []string{"none"} }).Notes, "nothing lacks among these")
	doctor, err := h.s.Doctor(ctx)
	require.NoError(t, err)
	require.Equal(t, membrain.Degraded, doctor.Status)
	verify, err := h.s.AuditVerify(ctx, nil)
	require.NoError(t, err)
	require.False(t, verify.OK)
}

func TestDerived_AUT_2_ARebuildAsksNoEmbedder(t *testing.T) {
	static, err := embed.Static()
	require.NoError(t, err)
	calls := &atomic.Int64{}
	h := newHost(t, func(o *membrain.Options) { o.Embedder = counting{static, calls} })
	ids := h.grow(20)
	want := h.answers(ids)
	asked := calls.Load()
	require.Positive(t, asked)
	_, err = h.s.Rebuild(context.Background(), nil)
	require.NoError(t, err)
	h.deleteAndOpen()
	require.Equal(t, want, h.answers(ids))
	require.Equal(t, asked, calls.Load())
}

func TestState_DET_2_RestartAndRebuildGiveTheSameNumbers(t *testing.T) {
	h := newHost(t)
	ids := h.grow(30)
	want, tick := h.answers(ids), h.tick(team)
	h.reopen()
	require.Equal(t, want, h.answers(ids))
	require.Equal(t, tick, h.tick(team), "AUT-4")
	_, err := h.s.Rebuild(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, want, h.answers(ids))
}

func TestReplay_DET_3_ThreeRunsOneDigest(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	h.grow(30)
	require.NoError(t, h.s.Checkpoint(ctx, "odd"))
	h.grow(7)
	digest := h.digest()
	for range 3 {
		got, err := h.s.Replay(ctx, membrain.ReplayRequest{})
		require.NoError(t, err)
		require.Equal(t, digest, got.Digest)
		from, err := h.s.Replay(ctx, membrain.ReplayRequest{FromCheckpoint: true})
		require.NoError(t, err)
		require.Equal(t, digest, from.Digest)
		require.Less(t, from.Commits, got.Commits)
	}
}

func TestVersions_VER_1_VER_4_HistoryTellsEverything(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	a := h.as("a")
	id := a.put(membrain.EncodeRequest{Text: "The lighthouse of the harbour.", Visibility: model.Shared, Tags: []string{"sea"}}).ID
	h.recall("lighthouse")
	a.must(a.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, Text: ptr("The lighthouse was painted.")}))
	h.must(h.s.Pin(ctx, one(id)))
	h.must(h.s.Unpin(ctx, one(id)))
	h.must(h.s.Forget(ctx, one(id)))
	facts := h.history(id)
	require.Equal(t, uint64(len(facts)), h.inspect(id).Version)
	seq := uint64(0)
	for i, f := range facts {
		require.Equal(t, uint64(i+1), f.Version)
		require.GreaterOrEqual(t, f.Seq, seq)
		seq = f.Seq
		require.NotEmpty(t, f.At)
		require.NotEmpty(t, f.Changes, f.Type)
		require.NotEmpty(t, f.CommandID)
	}
	require.Equal(t, "a", *facts[0].AgentID)
	require.Nil(t, facts[1].AgentID)
	require.Equal(t, "a", *facts[2].AgentID)
	require.Equal(t, "api/update", facts[2].Cause)
	require.Contains(t, facts[2].Changes, "content_ref")
	require.Equal(t, []string{"sea"}, h.inspect(id).Tags)
}

func TestVersions_VER_2_RefusalsAndNoOpsCountNothing(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id := h.put(membrain.EncodeRequest{Text: "Held.", PolicyFlags: []membrain.PolicyFlag{model.FlagLegalHold}, Tags: []string{"a"}}).ID
	before := h.inspect(id)
	_, err := h.s.Forget(ctx, one(id))
	require.Contains(t, requireCode(t, model.CodePolicyDenied, err).Error(), "legal_hold")
	_, err = h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, Text: ptr("Changed.")})
	requireCode(t, model.CodePolicyDenied, err)
	_, err = h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, IfRevision: 9, Tags: &[]string{"b"}})
	requireCode(t, model.CodeVersionConflict, err)
	got, err := h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, Tags: &[]string{"a"}})
	require.NoError(t, err)
	require.Equal(t, "unchanged", got.Route)
	require.Empty(t, got.Changed)
	h.must(h.s.Unpin(ctx, one(id)))
	require.Equal(t, before, h.inspect(id))
	refusals := 0
	for _, err := range h.s.AuditLog(ctx, membrain.AuditFilter{RefusedOnly: true}) {
		require.NoError(t, err)
		refusals++
	}
	require.Equal(t, 2, refusals, "the denials, not the version conflict")
}

func TestVersions_VER_3_CreatedNeverMoves(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id := h.encode("The lighthouse of the harbour.").ID
	created := h.inspect(id).CreatedAt
	require.Equal(t, created, h.inspect(id).UpdatedAt)
	last := created
	for i, act := range []func(){
		func() { h.recall("lighthouse") },
		func() {
			h.must(h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, Tags: &[]string{"x"}}))
		},
		func() { h.must(h.s.Pin(ctx, one(id))) },
		func() { h.clock.Add(-1 << 30); h.must(h.s.Unpin(ctx, one(id))) }, // a clock that goes back
		func() { h.must(h.s.Forget(ctx, one(id))) },
	} {
		h.clock.Add(1000)
		act()
		v := h.inspect(id)
		require.Equal(t, created, v.CreatedAt)
		require.GreaterOrEqual(t, v.UpdatedAt, last)
		if i < 3 {
			require.Greater(t, v.UpdatedAt, last)
		}
		last = v.UpdatedAt
		h.look("lighthouse")
		require.Equal(t, last, h.inspect(id).UpdatedAt, "looking changes nothing")
	}
}

func TestIdentity_IDN_2_AnIDBelongsToItsNamespace(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id := h.encode("x").ID
	h.put(membrain.EncodeRequest{Namespace: "other", Text: "y"})
	for _, ns := range []string{"other", "nowhere"} {
		for name, f := range map[string]func() error{
			"inspect":   func() error { _, err := h.s.Inspect(ctx, membrain.MemoryRequest{Namespace: ns, ID: id}); return err },
			"history":   func() error { _, err := h.s.History(ctx, membrain.MemoryRequest{Namespace: ns, ID: id}); return err },
			"reinforce": func() error { _, err := h.s.Reinforce(ctx, membrain.MemoryRequest{Namespace: ns, ID: id}); return err },
			"update": func() error {
				_, err := h.s.Update(ctx, membrain.UpdateRequest{Namespace: ns, ID: id, Tags: &[]string{"x"}})
				return err
			},
			"lineage": func() error {
				_, err := h.s.Encode(ctx, membrain.EncodeRequest{Namespace: ns, Text: "z", Lineage: []membrain.MemoryID{id}})
				return err
			},
		} {
			e := requireCode(t, model.CodeNotFound, f())
			require.NotContains(t, e.Error()+e.Hint, team, name)
		}
	}
	require.Len(t, h.history(id), 1)
}

func TestIdentity_IDN_3_AFingerprintLinksNothingAcrossNamespaces(t *testing.T) {
	h := newHost(t)
	const fact = "The lighthouse of the harbour."
	a := h.encode(fact)
	b := h.put(membrain.EncodeRequest{Namespace: "other", Text: fact})
	require.NotEqual(t, a.ID, b.ID)
	require.Equal(t, model.RouteMintedNew, b.Duplicate.Route)
	require.True(t, b.Duplicate.FamilyID.Zero())
	v, err := h.s.Inspect(context.Background(), membrain.MemoryRequest{Namespace: "other", ID: b.ID})
	require.NoError(t, err)
	require.Equal(t, *h.inspect(a.ID).Fingerprint, *v.Fingerprint)
	require.Nil(t, v.DuplicateFamilyID)
	require.Equal(t, *v.Fingerprint, *newHostEncode(t, fact).Fingerprint, "another store, another run")
}

func newHostEncode(t *testing.T, text string) membrain.View {
	h := newHost(t)
	return h.inspect(h.encode(text).ID)
}

func TestIdentity_IDN_6_AChangeOfTypeIsAuditedAndKeepsTheID(t *testing.T) {
	h := newHost(t)
	id := h.encode("The lighthouse of the harbour.").ID
	h.must(h.s.Update(context.Background(), membrain.UpdateRequest{Namespace: team, ID: id, Type: membrain.Fact, Kind: model.Semantic}))
	v := h.inspect(id)
	require.Equal(t, id, v.ID)
	require.Equal(t, uint64(2), v.Version)
	require.Equal(t, membrain.Fact, v.Type)
	facts := h.history(id)
	require.Equal(t, "event", fmt.Sprint(facts[0].Changes["memory_type"]))
	require.Equal(t, "fact", fmt.Sprint(facts[1].Changes["memory_type"]))
	require.Equal(t, "episodic", fmt.Sprint(facts[0].Changes["kind"]))
	require.Equal(t, "semantic", fmt.Sprint(facts[1].Changes["kind"]))
}

// TestPayload_FLD_4_IsNotReadToFilterOrList takes the payload files away.
func TestPayload_FLD_4_IsNotReadToFilterOrList(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	payload := make([]byte, 200<<10)
	for i := range payload {
		payload[i] = byte(i * 7)
	}
	id := h.put(membrain.EncodeRequest{Text: "The lighthouse of the harbour.", Payload: payload, Tags: []string{"sea"}, PolicyFlags: []membrain.PolicyFlag{model.FlagLegalHold}}).ID
	require.Equal(t, payload, h.inspect(id).Payload)
	require.NoError(t, os.RemoveAll(filepath.Join(h.dir, "blobs")))
	_, err := h.s.Inspect(ctx, one(id))
	require.Error(t, err, "the payload is gone")
	r := one(id)
	r.NoPayload = true
	v, err := h.s.Inspect(ctx, r)
	require.NoError(t, err)
	require.Equal(t, "The lighthouse of the harbour.", v.CompactText)
	list, err := h.s.List(ctx, membrain.ListRequest{Namespace: team, Filter: membrain.Filter{Tags: []string{"sea"}, PolicyFlags: []membrain.PolicyFlag{model.FlagLegalHold}}})
	require.NoError(t, err)
	require.Len(t, list.Memories, 1)
	require.Equal(t, []membrain.MemoryID{id}, found(h.recall("lighthouse", func(r *membrain.RecallRequest) { r.Filter.Tags = []string{"sea"} })))
}

// TestText_NRM_6_AMebibyteIsWhole: cases 17 and 18 of what broke others.
func TestText_NRM_6_AMebibyteIsWhole(t *testing.T) {
	h := newHost(t)
	long := strings.Repeat("The quay is long and the rope is wet.\n", 1<<20/38) + "The last line says xylograph."
	require.Greater(t, len(long), 1<<20-100)
	payload := []byte(strings.Repeat("\x00\xff\x80", 100_000))
	id := h.put(membrain.EncodeRequest{Text: long}).ID
	with := h.put(membrain.EncodeRequest{Text: "A short text with a long payload.", Payload: payload}).ID
	h.encode("Something short.")
	for range 2 {
		require.Equal(t, id, h.look("xylograph").Results[0].ID, "the unique word of the last line")
		v := h.inspect(id)
		require.Equal(t, long, *v.Text)
		require.LessOrEqual(t, len(v.CompactText), model.CompactBytesMax)
		require.NotNil(t, v.PayloadRef)
		require.Equal(t, uint64(len(long)), v.PayloadBytes)
		require.Equal(t, payload, h.inspect(with).Payload)
		h.deleteAndOpen()
	}
	for name, text := range map[string]string{
		"one word of 100 KB": strings.Repeat("a", 100<<10), "a million newlines and a word": strings.Repeat("\n", 1_000_000) + "end",
		"10 MB": strings.Repeat("ten megabytes of words ", 10<<20/23),
	} {
		got := h.inspect(h.encode(text).ID)
		require.Equal(t, text, *got.Text, name)
	}
	h.verified()
}
