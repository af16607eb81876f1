package membrain_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

// TestTicks_DEC_3_DEC_8 is the table of what advances the interaction tick, and by how much.
func TestTicks_DEC_3_DEC_8(t *testing.T) {
	ctx := context.Background()
	h := newHost(t)
	id := h.encode("The lighthouse of the harbour.").ID
	dead := h.encode("The old crane of the harbour.").ID
	h.must(h.s.Forget(ctx, one(dead)))
	pinned := h.encode("The pinned pier.").ID
	h.must(h.s.Pin(ctx, one(pinned)))
	mutation := func(f func(context.Context, membrain.MemoryRequest) (membrain.MutationReply, error), id membrain.MemoryID) func() error {
		return func() error {
			_, err := f(ctx, one(id))
			return err
		}
	}
	recall := func(r membrain.RecallRequest) func() error {
		return func() error {
			r.Namespace = team
			_, err := h.s.Recall(ctx, r)
			return err
		}
	}
	encode := func(r membrain.EncodeRequest) func() error {
		return func() error {
			r.Namespace = team
			_, err := h.s.Encode(ctx, r)
			return err
		}
	}
	load := func(lines, id string) func() error {
		return func() error {
			_, err := h.s.Import(ctx, membrain.ImportRequest{Format: "jsonl", Name: "f", Namespace: team, Reader: strings.NewReader(lines), RequestID: id})
			return err
		}
	}
	before := h.tick(team)
	for _, each := range []struct {
		name string
		by   membrain.Tick
		want model.Code
		run  func() error
	}{
		{"encode", 1, "", encode(membrain.EncodeRequest{Text: "A new memory."})},
		{"encode under a request id", 1, "", encode(membrain.EncodeRequest{Text: "Once.", RequestID: "e"})},
		{"the same again", 0, "", encode(membrain.EncodeRequest{Text: "Once.", RequestID: "e"})},
		{"encode without attention", 0, "", encode(membrain.EncodeRequest{Text: "Noise.", Attention: ptr(0.01)})},
		{"refused encode", 0, model.CodeValidation, encode(membrain.EncodeRequest{})},
		{"recall", 1, "", recall(membrain.RecallRequest{Query: "harbour"})},
		{"recall without result", 1, "", recall(membrain.RecallRequest{Query: "harbour", Filter: membrain.Filter{Tags: []string{"none"}}})},
		{"recall under a request id", 1, "", recall(membrain.RecallRequest{Query: "harbour", RequestID: "r"})},
		{"the same again", 0, "", recall(membrain.RecallRequest{Query: "harbour", RequestID: "r"})},
		{"recall without reinforcing", 0, "", recall(membrain.RecallRequest{Query: "harbour", NoReinforce: true})},
		{"refused recall", 0, model.CodeValidation, recall(membrain.RecallRequest{})},
		{"reinforce", 1, "", mutation(h.s.Reinforce, id)},
		{"refused reinforce", 0, model.CodeStateConflict, mutation(h.s.Reinforce, dead)},
		{"reinforce of what is not there", 0, model.CodeNotFound, mutation(h.s.Reinforce, anyID(1))},
		{"import", 1, "", load(`{"text":"a"}`+"\n"+`{"text":"b"}`+"\n", "i")},
		{"the same again", 0, "", load(`{"text":"a"}`+"\n"+`{"text":"b"}`+"\n", "i")},
		{"refused import", 0, model.CodeValidation, load(`{"text":""}`+"\n", "j")},
		{"pin", 0, "", mutation(h.s.Pin, id)},
		{"refused forget", 0, model.CodePolicyDenied, mutation(h.s.Forget, pinned)},
		{"unpin", 0, "", mutation(h.s.Unpin, id)},
		{"forget", 0, "", mutation(h.s.Forget, id)},
		{"restore", 0, "", mutation(h.s.Restore, id)},
		{"update", 0, "", func() error {
			_, err := h.s.Update(ctx, membrain.UpdateRequest{Namespace: team, ID: id, Text: ptr("Another text."), Tags: &[]string{"t"}})
			return err
		}},
		{"inspect", 0, "", func() error { _, err := h.s.Inspect(ctx, one(id)); return err }},
		{"history", 0, "", func() error { _, err := h.s.History(ctx, one(id)); return err }},
		{"list", 0, "", func() error { _, err := h.s.List(ctx, membrain.ListRequest{Namespace: team}); return err }},
		{"timeline", 0, "", func() error {
			_, err := h.s.List(ctx, membrain.ListRequest{Namespace: team, Timeline: true})
			return err
		}},
		{"explain", 0, "", func() error {
			_, err := h.s.Explain(ctx, membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: team, Query: "harbour"}})
			return err
		}},
		{"params", 0, "", func() error { return h.s.SetParams(ctx, team, membrain.DefaultParams()) }},
		{"another namespace", 0, "", func() error {
			_, err := h.s.Encode(ctx, membrain.EncodeRequest{Namespace: "other", Text: "x"})
			return err
		}},
		{"rebuild", 0, "", func() error { _, err := h.s.Rebuild(ctx, nil); return err }},
		{"audit", 0, "", func() error { _, err := h.s.AuditVerify(ctx, nil); return err }},
	} {
		err := each.run()
		require.Equal(t, each.want, model.CodeOf(err), "%s: %v", each.name, err)
		before += each.by
		require.Equal(t, before, h.tick(team), each.name)
	}
	h.reopen()
	require.Equal(t, before, h.tick(team))
	h.verified()
}

// TestClock_DEC_2_UTL_2_WallTimeChangesNoStrength lives the same life under three clocks.
func TestClock_DEC_2_UTL_2_WallTimeChangesNoStrength(t *testing.T) {
	ctx := context.Background()
	lived := func(step time.Duration) (out []any) {
		h := newHost(t)
		pass := func() { h.clock.Add(step.Milliseconds()) }
		id := h.encode("The lighthouse of the harbour.").ID
		for range 30 {
			pass()
			h.encode("Noise of the market.")
		}
		got := h.recall("lighthouse harbour", func(r *membrain.RecallRequest) { r.Limit = 3 })
		pass()
		h.must(h.s.Reinforce(ctx, one(id)))
		pass()
		v := h.inspect(id)
		out = append(out, got.Results[0].Score, got.Results[0].Parts, v.EffectiveStrength, v.Decay, v.Lifecycle, v.LabileUntil, v.RecallCount, v.Salience, v.Utility)
		return out
	}
	want := lived(0)
	require.Equal(t, want, lived(365*24*time.Hour))
	require.Equal(t, want, lived(-time.Hour), "a clock that goes back stands still")
}

// TestIdle_DEC_4_NothingIsRewrittenPerTick looks at what a memory costs that nobody asks for.
func TestIdle_DEC_4_NothingIsRewrittenPerTick(t *testing.T) {
	h := newHost(t)
	idle := h.encode("The forgotten cellar.").ID
	busy := h.encode("The lighthouse of the harbour.").ID
	for range 40 {
		h.recall("lighthouse harbour", func(r *membrain.RecallRequest) { r.Limit = 1 })
	}
	require.Len(t, h.history(idle), 1)
	require.Len(t, h.history(busy), 41)
	require.Less(t, h.inspect(idle).EffectiveStrength, h.inspect(idle).Decay.BaseStrength, "it decays all the same")
}
