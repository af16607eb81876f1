package membrain_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func fake(id string, dim int) hashing {
	return hashing{id: id, dim: dim, calls: &atomic.Int64{}}
}

// openWith reopens a host with another embedder.
func (h *host) openWith(change func(*membrain.Options)) {
	h.t.Helper()
	h.close()
	change(&h.o)
	h.open()
}

// embedder asks explain which embedder a namespace is at.
func (h *host) embedder() (id, note string) {
	h.t.Helper()
	e, err := h.s.Explain(context.Background(), membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: team, Query: "lighthouse"}})
	require.NoError(h.t, err)
	return e.Query.Embedder, e.Query.Note
}

// TestEmbedder_AnotherOneIsRefusedButWordsStillWork is case 29, with the same and with another dimension.
func TestEmbedder_AnotherOneIsRefusedButWordsStillWork(t *testing.T) {
	ctx := context.Background()
	for _, dim := range []int{384, 768} {
		h := newHost(t, func(o *membrain.Options) { o.Embedder = fake("model-a", 384) })
		id := h.encode("The lighthouse of the harbour.").ID
		h.encode("The market of the town.")
		h.openWith(func(o *membrain.Options) { o.Embedder = fake("model-b", dim) })
		head := h.seq()
		e := h.refused(model.CodeStateConflict, membrain.EncodeRequest{Text: "Something new."})
		require.Contains(t, e.Message, "model-a")
		require.Contains(t, e.Message, "model-b")
		require.NotEmpty(t, e.Hint)
		_, err := h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, Text: ptr("Changed.")})
		requireCode(t, model.CodeStateConflict, err)
		require.Equal(t, head, h.seq())
		got := h.recall("lighthouse", func(r *membrain.RecallRequest) { r.Limit = 1 })
		require.Equal(t, []membrain.MemoryID{id}, found(got))
		at, note := h.embedder()
		require.Equal(t, "model-a", at)
		require.Contains(t, note, "model-b")
		doctor, err := h.s.Doctor(ctx)
		require.NoError(t, err)
		require.Equal(t, membrain.Degraded, doctor.Status)
		h.put(membrain.EncodeRequest{Namespace: "fresh", Text: "A namespace of its own."})
		h.openWith(func(o *membrain.Options) { o.Embedder = fake("model-a", 384) })
		h.encode("Something new.")
		h.verified()
	}
	h := newHost(t, func(o *membrain.Options) { o.Embedder = fake("model-a", 384) })
	h.encode("x")
	h.openWith(func(o *membrain.Options) { o.Embedder = fake("model-a", 100) })
	h.refused(model.CodeStateConflict, membrain.EncodeRequest{Text: "One name, two dimensions."})
}

// finished waits for the background to end what it does.
func finished(o *membrain.Options) <-chan struct{} {
	done := make(chan struct{})
	var once atomic.Bool
	o.Progress = func(stage string, n, total uint64) {
		if stage == "reembed" && n >= total && !once.Swap(true) {
			close(done)
		}
	}
	return done
}

func TestEmbedder_ReembedSwitchesAtOnceAndNeverMixes(t *testing.T) {
	ctx := context.Background()
	h := newHost(t, func(o *membrain.Options) { o.Embedder = fake("model-a", 64) })
	ids := h.grow(150) // three batches
	tick := h.tick(team)
	b, gate, entered := fake("model-b", 96), make(chan struct{}), make(chan struct{}, 16)
	b.fail = func() error {
		entered <- struct{}{}
		<-gate
		return nil
	}
	var done <-chan struct{}
	h.openWith(func(o *membrain.Options) { o.Embedder, o.Reembed = b, true; done = finished(o) })
	<-entered
	at, note := h.embedder()
	require.Equal(t, "model-a", at, "until all is embedded")
	require.NotEmpty(t, note)
	require.NotEmpty(t, h.look("harbour log").Results, "words go on meanwhile")
	h.refused(model.CodeStateConflict, membrain.EncodeRequest{Text: "Not now."})
	close(gate)
	<-done
	for { // the switch is a commit of its own
		if at, _ = h.embedder(); at == "model-b" {
			break
		}
	}
	require.Equal(t, tick, h.tick(team))
	got := h.encode("The lighthouse is embedded by b.")
	require.Equal(t, tick+1, got.Tick)
	live := 0
	list, err := h.s.List(ctx, membrain.ListRequest{Namespace: team, Limit: 1000, Filter: membrain.Filter{Include: []membrain.Lifecycle{model.Archived}}})
	require.NoError(t, err)
	live = len(list.Memories)
	require.Len(t, ids, live-1)
	stats, err := h.s.Stats(ctx)
	require.NoError(t, err)
	require.Equal(t, live, stats.Index.Vectors, "every memory has a vector of the new embedder")
	want, digest := h.answers(ids), h.digest()
	h.verified()
	h.o.Reembed = false
	calls := b.calls.Load()
	h.deleteAndOpen()
	require.Equal(t, digest, h.digest())
	require.Equal(t, want, h.answers(ids))
	require.Equal(t, calls, b.calls.Load(), "AUT-2: the new vectors are durable, too")
}

// TestEmbedder_ReembedGoesOnAfterACrash fails in the second batch, and opens what a killed process would have left.
func TestEmbedder_ReembedGoesOnAfterACrash(t *testing.T) {
	h := newHost(t, func(o *membrain.Options) { o.Embedder = fake("model-a", 64) })
	ids := h.grow(150)
	b := fake("model-b", 64)
	failed := make(chan struct{})
	b.fail = func() error {
		if b.calls.Load() == 2 {
			close(failed)
			return errors.New("the server is gone")
		}
		return nil
	}
	h.openWith(func(o *membrain.Options) { o.Embedder, o.Reembed = b, true })
	<-failed
	at, _ := h.embedder()
	require.Equal(t, "model-a", at)
	h.o.Embedder, h.o.Reembed = fake("model-a", 64), false
	back := h.crashed()
	require.Equal(t, 150, len(back.look("harbour log", func(r *membrain.RecallRequest) { r.Limit = 1000 }).Results)+archived(back))
	back.encode("The old embedder still serves.")
	back.verified()

	again := fake("model-b", 64)
	h.o.Embedder, h.o.Reembed = again, true
	done := finished(&h.o)
	on := h.crashed()
	<-done
	for {
		if at, _ = on.embedder(); at == "model-b" {
			break
		}
	}
	require.Equal(t, int64(2), again.calls.Load(), "the first batch of three is not embedded again")
	require.Equal(t, on.inspect(ids[3]).CompactText, h.inspect(ids[3]).CompactText)
	on.verified()
}

func archived(h *host) int {
	h.t.Helper()
	list, err := h.s.List(context.Background(), membrain.ListRequest{Namespace: team, Limit: 1000, Filter: membrain.Filter{Lifecycles: []membrain.Lifecycle{model.Archived}}})
	require.NoError(h.t, err)
	return len(list.Memories)
}
