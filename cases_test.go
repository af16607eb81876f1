package membrain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

// The cases are inputs that broke other systems of this kind; each number is that of its report.

func TestCase1_AnotherNamespacesTextIsNowhere(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	mine := h.encode("The lighthouse stands by the harbour.").ID
	const theirs = "The xylograph hangs in the vault of Zanzibar."
	foreign := h.put(membrain.EncodeRequest{Namespace: "other", Text: theirs, Entities: []string{"Zanzibar"}, SessionID: "s"}).ID
	got := h.recall(theirs, func(r *membrain.RecallRequest) { r.Explain, r.Limit = true, 100 })
	for _, id := range found(got) {
		require.Equal(t, mine, id)
	}
	b, err := json.Marshal(got)
	require.NoError(t, err)
	e, err := h.s.Explain(ctx, membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: team, Query: theirs}})
	require.NoError(t, err)
	c, err := json.Marshal(e)
	require.NoError(t, err)
	list, err := h.s.List(ctx, membrain.ListRequest{Namespace: team})
	require.NoError(t, err)
	d, err := json.Marshal(list)
	require.NoError(t, err)
	for _, s := range []string{string(b), string(c), string(d)} {
		require.NotContains(t, s, foreign.String())
		require.NotContains(t, s, "vault of")
	}
	for _, stage := range append(got.Trace.Stages, e.Stages...) {
		require.LessOrEqual(t, stage.In, 1, stage.Name)
	}
	for _, term := range got.Trace.Query.Terms {
		require.LessOrEqual(t, term.DF, uint32(1), term.Term)
	}
	require.Empty(t, got.Trace.Query.Entities)
	require.Empty(t, got.Omitted)
}

func TestCase2_AFullNeighbourCrowdsNobodyOut(t *testing.T) {
	h := newHost(t)
	mine := h.encode("The lighthouse stands by the harbour.").ID
	var rows strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&rows, "{\"namespace\":\"crowd\",\"text\":\"lighthouse harbour lighthouse %d\"}\n", i)
	}
	_, err := h.s.Import(context.Background(), membrain.ImportRequest{Format: "jsonl", Name: "crowd", Reader: strings.NewReader(rows.String())})
	require.NoError(t, err)
	got := h.recall("lighthouse harbour", func(r *membrain.RecallRequest) { r.Limit = 5 })
	require.Equal(t, []membrain.MemoryID{mine}, found(got))
}

func TestCase4_ReadingMakesNothing(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	got := h.recall("anything")
	require.True(t, got.Abstained)
	require.NotNil(t, got.Results)
	require.Empty(t, got.Results)
	require.Zero(t, got.Tick)
	_, err := h.s.Inspect(ctx, one(anyID(1)))
	requireCode(t, model.CodeNotFound, err)
	list, err := h.s.List(ctx, membrain.ListRequest{Namespace: team})
	require.NoError(t, err)
	require.Empty(t, list.Memories)
	all, err := h.s.Namespaces(ctx)
	require.NoError(t, err)
	require.Empty(t, all)
	require.Zero(t, h.seq())
}

func TestCase5_AMisspeltNamespaceIsOneOfItsOwn(t *testing.T) {
	h := newHost(t)
	h.encode("x")
	got := h.put(membrain.EncodeRequest{Namespace: "taem", Text: "Written to a misspelt name."})
	reply, err := h.s.Recall(context.Background(), membrain.RecallRequest{Namespace: "taem", Query: "misspelt"})
	require.NoError(t, err)
	require.Equal(t, []membrain.MemoryID{got.ID}, found(reply))
	require.NotContains(t, found(h.look("misspelt name written")), got.ID, "and not in the other")
}

func TestCase8_TheSameTextTwoAndAHundredTimes(t *testing.T) {
	h := newHost(t)
	first := h.encode("The lighthouse stands by the harbour.")
	var group sync.WaitGroup
	for range 99 {
		group.Go(func() {
			got, err := h.s.Encode(context.Background(), membrain.EncodeRequest{Namespace: team, Text: "The lighthouse stands by the harbour."})
			if err != nil || got.Duplicate.Route != model.RouteAttachedToFamily || got.Duplicate.FamilyID != first.ID {
				t.Errorf("route %v of family %v, %v", got.Duplicate.Route, got.Duplicate.FamilyID, err)
			}
		})
	}
	group.Wait()
	stats, err := h.s.Stats(context.Background())
	require.NoError(t, err)
	require.Equal(t, 100, stats.Memories)
	require.Len(t, h.recall("lighthouse harbour").Results, 1, "one of the family is shown")
}

func TestCase9_TwoFactsOfOneUserAreTwo(t *testing.T) {
	h := newHost(t)
	a, b := h.encode("Ann likes tea."), h.encode("Ann moved to Oslo in May.")
	require.NotEqual(t, a.ID, b.ID)
	require.Equal(t, model.RouteMintedNew, b.Duplicate.Route)
	require.Len(t, h.look("Ann").Results, 2)
}

func TestCase10_AnUpdateOfTheTextChangesNothingElse(t *testing.T) {
	h := newHost(t)
	id := h.put(membrain.EncodeRequest{
		Text: "The lighthouse stands.", Type: membrain.Fact, Tags: []string{"sea", "light"}, SourceRef: "doc/1", Retention: model.RetainDurable,
		PolicyFlags: []membrain.PolicyFlag{model.FlagNoShare}, SessionID: "s1", Visibility: model.Shared, Entities: []string{"Pharos"}, Authoritativeness: ptr(0.9),
	}).ID
	before := h.inspect(id)
	h.clock.Add(5000)
	h.must(h.s.Update(context.Background(), membrain.UpdateRequest{Namespace: team, ID: id, Text: ptr("The lighthouse fell.")}))
	after := h.inspect(id)
	require.Equal(t, before.Version+1, after.Version)
	require.Equal(t, "The lighthouse fell.", after.CompactText)
	require.Equal(t, before.CreatedAt, after.CreatedAt)
	require.Greater(t, after.UpdatedAt, before.UpdatedAt)
	for name, pair := range map[string][2]any{
		"type": {before.Type, after.Type}, "kind": {before.Kind, after.Kind}, "tags": {before.Tags, after.Tags}, "origins": {before.TagOrigins, after.TagOrigins},
		"source": {before.SourceRef, after.SourceRef}, "kind of source": {before.SourceKind, after.SourceKind}, "retention": {before.Retention, after.Retention},
		"flags": {before.PolicyFlags, after.PolicyFlags}, "session": {before.SessionID, after.SessionID}, "visibility": {before.Visibility, after.Visibility},
		"entities": {before.EntityRefs, after.EntityRefs}, "authority": {before.Authoritativeness, after.Authoritativeness}, "salience": {before.Salience, after.Salience},
	} {
		require.Equal(t, pair[0], pair[1], name)
	}
	require.Equal(t, []membrain.MemoryID{id}, found(h.look("fell")))
}

func TestCase13_FiftyCallersUpdateOneMemory(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id := h.encode("Version one.").ID
	var group sync.WaitGroup
	var mu sync.Mutex
	versions := map[uint64]bool{1: true}
	conflicts := 0
	for i := range 50 {
		group.Go(func() {
			r := membrain.UpdateRequest{Namespace: team, ID: id, Text: ptr(fmt.Sprintf("Version of caller %d.", i))}
			if i%5 == 0 {
				r.IfRevision = 1
			}
			got, err := h.s.Update(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && !versions[got.Version]:
				versions[got.Version] = true
			case model.CodeOf(err) == model.CodeVersionConflict && r.IfRevision != 0:
				conflicts++
			default:
				t.Errorf("version %d, %v", got.Version, err)
			}
		})
	}
	group.Wait()
	require.Len(t, versions, 51-conflicts)
	require.GreaterOrEqual(t, conflicts, 9)
	facts := h.history(id)
	for i, f := range facts {
		require.Equal(t, uint64(i+1), f.Version)
	}
	require.Len(t, facts, len(versions))
	h.verified()
}

func TestCase14_ARandomIDIsNotFoundAndLeavesNoFact(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	h.encode("x")
	head := h.seq()
	for _, f := range []func(context.Context, membrain.MemoryRequest) (membrain.MutationReply, error){
		h.s.Reinforce, h.s.Pin, h.s.Unpin, h.s.Forget, h.s.Restore,
		func(ctx context.Context, r membrain.MemoryRequest) (membrain.MutationReply, error) {
			return h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: r.ID, Text: ptr("y"), Tags: &[]string{"never-interned"}})
		},
	} {
		_, err := f(ctx, one(anyID(99)))
		requireCode(t, model.CodeNotFound, err)
	}
	require.Equal(t, head, h.seq())
}

// TestCase19 has two claims about one thing: both are kept, and both are found.
func TestCase19_BothClaimsAreKept(t *testing.T) {
	h := newHost(t)
	a, b := h.encode("My name is Ann."), h.encode("My name is Bea.")
	require.ElementsMatch(t, []membrain.MemoryID{a.ID, b.ID}, found(h.recall("what is my name")))
	require.Equal(t, "contradiction", b.Deferred[0].Lane, "the reply says that claims were not compared")
	require.Equal(t, "My name is Ann.", h.inspect(a.ID).CompactText)
}

func TestCase21_Scripts(t *testing.T) {
	h := newHost(t)
	nfc, nfd := "caf\u00e9 Z\u00fcrich", "cafe\u0301 Zu\u0308rich"
	for _, text := range []string{
		nfc, "The \U0001F6A2 ship \U0001F468\u200D\U0001F469\u200D\U0001F467 family", "\u0130stanbul ve \u0131\u015F\u0131k", "\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD", "\u0645\u0631\u062D\u0628\u0627",
		"zero\u200Bwidth\u200Djoin", "\u6771\u4EAC\u306E\u6E2F",
	} {
		got := h.encode(text)
		require.Equal(t, text, *h.inspect(got.ID).Text, "stored as given")
		require.Contains(t, found(h.look(text)), got.ID, text)
	}
	require.Equal(t, nfc, h.look(nfd).Results[0].CompactText, "NFC and NFD find each other")
	other := h.encode(nfd)
	require.Equal(t, model.RouteAttachedToFamily, other.Duplicate.Route)
	require.Equal(t, nfd, *h.inspect(other.ID).Text, "the bytes are untouched")
	h.refused(model.CodeValidation, membrain.EncodeRequest{Text: "broken \xc3\x28"})
	_, err := h.s.Recall(context.Background(), membrain.RecallRequest{Namespace: team, Query: "broken \xc3\x28"})
	requireCode(t, model.CodeValidation, err)
}

func TestCase23_NonsenseIsAnEmptyListNotAFailure(t *testing.T) {
	h := newHost(t)
	h.encode("The lighthouse stands by the harbour.")
	got := h.recall("qwzxv jjkq", func(r *membrain.RecallRequest) { r.Filter.Tags = []string{"none"} })
	b, err := json.Marshal(got)
	require.NoError(t, err)
	require.Contains(t, string(b), `"results":[]`)
	require.True(t, got.Abstained)
}

// TestCase24_FiltersComeBeforeSearch has the one memory of a type, a tag and a time rank behind five hundred others.
func TestCase24_FiltersComeBeforeSearch(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	var rows strings.Builder
	for i := range 600 {
		fmt.Fprintf(&rows, "{\"text\":\"lighthouse harbour lighthouse harbour %d\",\"occurred_at\":\"2025-01-02T00:00:00Z\"}\n", i)
	}
	_, err := h.s.Import(ctx, membrain.ImportRequest{Format: "jsonl", Name: "f", Namespace: team, Reader: strings.NewReader(rows.String())})
	require.NoError(t, err)
	id := h.put(membrain.EncodeRequest{Type: membrain.Goal, Text: "Paint a very long list of other things, of which the last is the lighthouse.", Tags: []string{"rare"}}).ID
	for name, f := range map[string]membrain.Filter{
		"type":  {Types: []membrain.MemoryType{membrain.Goal}},
		"tag":   {Tags: []string{"rare"}},
		"since": {Since: ptr(h.o.Clock().AddDate(0, 0, -1))},
		"tick":  {SinceTick: ptr(membrain.Tick(2))},
	} {
		got := h.look("lighthouse harbour", func(r *membrain.RecallRequest) { r.Limit, r.Filter = 5, f })
		require.Equal(t, []membrain.MemoryID{id}, found(got), name)
	}
}

func TestCase25_LimitsHold(t *testing.T) {
	h := newHost(t)
	for i := range 50 {
		h.encode(fmt.Sprintf("Lighthouse number %d stands by harbour %d.", i, i))
	}
	for limit, want := range map[int]int{1: 1, 7: 7, 50: 50, 1000: 50} {
		got := h.look("lighthouse harbour", func(r *membrain.RecallRequest) { r.Limit = limit })
		require.Len(t, got.Results, want)
		require.Equal(t, 50-want, got.Omitted["limit"], "what is left out is counted")
	}
}

func TestCase53_OneTimeIsOneString(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	h.clock.Add(123)
	id := h.encode("The lighthouse stands by the harbour.").ID
	h.clock.Add(10_000)
	at := h.look("lighthouse").Results[0].CreatedAt
	require.Equal(t, "2025-06-15T15:06:40.123Z", at)
	require.Equal(t, at, h.inspect(id).CreatedAt)
	list, err := h.s.List(ctx, membrain.ListRequest{Namespace: team})
	require.NoError(t, err)
	require.Equal(t, at, list.Memories[0].CreatedAt)
	require.Equal(t, at, h.history(id)[0].At)
	require.Contains(t, string(h.export(team)), at)
	h.reopen()
	require.Equal(t, at, h.inspect(id).CreatedAt)
}

func TestCase54_TicksAndDecayOutliveEverything(t *testing.T) {
	h := newHost(t)
	ids := h.grow(20)
	want, tick := h.answers(ids), h.tick(team)
	file := h.export("")
	h.reopen()
	h.deleteAndOpen()
	require.Equal(t, want, h.answers(ids))
	backup := newHost(t)
	_, err := backup.restore(file, "")
	require.NoError(t, err)
	require.Equal(t, want, backup.answers(ids))
	require.Equal(t, tick, backup.tick(team))
	require.Equal(t, tick+1, backup.encode("One more.").Tick)
}

func TestCase59_FortyParallelCallsOfTwoSessions(t *testing.T) {
	h := newHost(t)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			_, err := h.s.As(membrain.Caller{Agent: "a", Session: fmt.Sprint("s", i%2)}).Encode(context.Background(), membrain.EncodeRequest{Namespace: team, Text: fmt.Sprintf("Call %d of the lighthouse.", i)})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, session := range []string{"s0", "s1"} {
		got, err := h.s.List(context.Background(), membrain.ListRequest{Namespace: team, Limit: 100, Filter: membrain.Filter{Sessions: []string{session}}})
		require.NoError(t, err)
		require.Len(t, got.Memories, 20)
	}
	require.Equal(t, membrain.Tick(40), h.tick(team))
	h.verified()
}

// TestCase63_TenThousandFactsAndOddCheckpoints replays from the beginning and from checkpoints in odd places.
func TestCase63_TenThousandFactsAndOddCheckpoints(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	var rows strings.Builder
	for i := range 9_000 {
		fmt.Fprintf(&rows, "{\"text\":\"Row %d of the lighthouse log\",\"tags\":[\"t%d\"]}\n", i, i%9)
	}
	_, err := h.s.Import(ctx, membrain.ImportRequest{Format: "jsonl", Name: "f", Namespace: team, Reader: strings.NewReader(rows.String())})
	require.NoError(t, err)
	for i := range 120 {
		h.recall(fmt.Sprintf("row %d lighthouse", i*7))
		if i == 13 || i == 77 {
			require.NoError(t, h.s.Checkpoint(ctx, ""))
		}
	}
	digest := h.digest()
	whole, err := h.s.Replay(ctx, membrain.ReplayRequest{})
	require.NoError(t, err)
	require.Greater(t, whole.Facts, uint64(10_000))
	require.Equal(t, digest, whole.Digest)
	tail, err := h.s.Replay(ctx, membrain.ReplayRequest{FromCheckpoint: true})
	require.NoError(t, err)
	require.Equal(t, digest, tail.Digest)
	require.Less(t, tail.Commits, uint64(60))
	h.reopen()
	require.Equal(t, digest, h.digest())
}

func TestCase67_FoundAtOnceAndLaterAlike(t *testing.T) {
	h := newHost(t)
	id := h.encode("The lighthouse stands by the harbour.").ID
	ask := func() model.RecallResult {
		got := h.look("lighthouse harbour")
		require.Equal(t, []membrain.MemoryID{id}, found(got))
		return got.Results[0]
	}
	want := ask()
	for _, ms := range []int64{1000, 10_000} {
		h.clock.Add(ms)
		require.Equal(t, want, ask())
	}
	h.reopen()
	require.Equal(t, want, ask())
}
