package main

import (
	"context"
	"fmt"
	"io"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

// greenhouse is the namespace: a memory of its own, with its own ticks, words and parameters.
const greenhouse = "greenhouse"

// agent is one of several that share a store. Its handle speaks for it: no request can claim to be another's.
type agent struct {
	*membrain.Store
	name string
	out  io.Writer
}

// change is what Pin, Unpin, Forget, Restore and Reinforce of a handle are.
type change func(context.Context, membrain.MemoryRequest) (membrain.MutationReply, error)

func (a agent) say(format string, args ...any) {
	fmt.Fprintf(a.out, "%-9s"+format+"\n", append([]any{a.name}, args...)...)
}

// remember encodes one thing. When it returns, the thing is on disk.
func (a agent) remember(ctx context.Context, r membrain.EncodeRequest) error {
	r.Namespace = greenhouse
	got, err := a.Encode(ctx, r)
	if err == nil {
		a.say("remembers at tick %d (repeated: %t) the %s: %s", got.Tick, got.Repeated, got.Type, r.Text)
	}
	return err
}

// ask recalls, says the best two with some of the reasons, and returns the best. What is recalled grows stronger.
func (a agent) ask(ctx context.Context, query string) (best membrain.MemoryID, err error) {
	got, err := a.Recall(ctx, membrain.RecallRequest{Namespace: greenhouse, Query: query, Limit: 2})
	a.say("asks at tick %d: %s", got.Tick, query)
	for _, r := range got.Results {
		p := r.Parts // they sum to the score; the caller's session is the context
		a.say("  %.2f %s (words %.2f, meaning %.2f, neighbours %.2f, context %.2f)",
			r.Score, r.CompactText, p["lexical"], p["vector"], p["neighbours"], p["context"])
	}
	if len(got.Results) > 0 {
		best = got.Results[0].ID
	}
	return best, err
}

// change makes changes to one memory, one after the other. A refusal is an answer too; any other error ends the program.
func (a agent) change(ctx context.Context, id membrain.MemoryID, changes ...change) error {
	for _, do := range changes {
		got, err := do(ctx, membrain.MemoryRequest{Namespace: greenhouse, ID: id})
		switch {
		case model.CodeOf(err) == model.CodePolicyDenied:
			a.say("hears no: %v", err)
		case err != nil:
			return err
		default:
			a.say("%s it: version %d, %s, strength %.2f", got.Route, got.Version, got.Lifecycle, got.Effective)
		}
	}
	return nil
}
