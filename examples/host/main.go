// Command host shows how a program embeds membrain. Two agents of a greenhouse share a namespace: they remember what
// people want, what they see and what their tools did, ask before they answer, change their minds, and go on after a
// restart. Run it with "go run ./examples/host". Read run first, then the chapters; a turn of an agent is in agent.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func main() {
	dir, err := os.MkdirTemp("", "greenhouse-") // a host that keeps its memory names a directory of its own
	if err == nil {
		err = errors.Join(run(context.Background(), os.Stdout, dir, membrain.Options{
			Clock:  time.Now,                                      // stamps commits for people; strength fades by ticks, never by time
			Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)), // warnings and errors, never what is remembered
			// A host that is an actor system itself hands it in as ActorSystem: see ExampleOptions_actorSystem.
		}), os.RemoveAll(dir))
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run lets the agents live through two days; in the night between, the program ends and starts again.
func run(ctx context.Context, out io.Writer, dir string, o membrain.Options) error {
	if err := day(ctx, out, dir, o, "monday", conversation, question, revision, forgetting, retry, state); err != nil {
		return err
	}
	return day(ctx, out, dir, o, "tuesday", state, question)
}

type chapter func(ctx context.Context, grower, mechanic agent) error

// day opens the store, makes a handle for each agent, plays the chapters and closes the store.
func day(ctx context.Context, out io.Writer, dir string, o membrain.Options, name string, chapters ...chapter) (err error) {
	store, err := membrain.Open(ctx, dir, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	fmt.Fprintf(out, "\n== %s\n", name)
	grower := agent{store.As(membrain.Caller{Agent: "grower", Session: name}), "grower", out}
	mechanic := agent{store.As(membrain.Caller{Agent: "mechanic", Session: name}), "mechanic", out}
	for _, play := range chapters {
		if err := play(ctx, grower, mechanic); err != nil {
			return err
		}
	}
	return nil
}

// conversation is a chat agent's loop on canned input: ask, then remember. What is not shared is private to who wrote it.
func conversation(ctx context.Context, grower, mechanic agent) error {
	seen, heater := &membrain.ObservationIn{Source: model.ObservedWatch}, &membrain.ToolRunIn{Tool: "heater.set", Outcome: model.ToolFailure}
	turns := []struct {
		to   agent
		said membrain.EncodeRequest
	}{
		{grower, membrain.EncodeRequest{Type: membrain.UserPreference, Visibility: model.Shared, Text: "Nora wants the tomatoes above 16 degrees at night."}},
		{mechanic, membrain.EncodeRequest{Type: membrain.Observation, Visibility: model.Shared, Text: "The tomatoes were at 14 degrees.", Observation: seen}},
		{mechanic, membrain.EncodeRequest{Type: membrain.ToolOutcome, Visibility: model.Shared, Text: "Setting the heater to 18 degrees failed.", Tool: heater}},
		{grower, membrain.EncodeRequest{Type: membrain.Fact, Text: "Nora leaves the greenhouse in March.", Context: "She has not told the others yet."}},
	}
	for _, t := range turns {
		if _, err := t.to.ask(ctx, t.said.Text); err != nil {
			return err
		}
		if err := t.to.remember(ctx, t.said); err != nil {
			return err
		}
	}
	return nil
}

// question is the same to both, but each recalls only what it may see.
func question(ctx context.Context, grower, mechanic agent) error {
	_, err := grower.ask(ctx, "When does Nora leave?")
	_, other := mechanic.ask(ctx, "When does Nora leave?")
	return errors.Join(err, other)
}

// revision rewrites a memory. What was recalled a moment ago is open: its update is a reconsolidation.
func revision(ctx context.Context, _, mechanic agent) error {
	heater, err := mechanic.ask(ctx, "Does the heater work?")
	if err != nil {
		return err
	}
	text := "Setting the heater to 18 degrees works since it has a new valve."
	return mechanic.change(ctx, heater, func(ctx context.Context, the membrain.MemoryRequest) (membrain.MutationReply, error) {
		return mechanic.Update(ctx, membrain.UpdateRequest{Namespace: the.Namespace, ID: the.ID, Text: &text})
	})
}

// forgetting archives a memory and brings it back; while it is pinned it cannot be forgotten.
func forgetting(ctx context.Context, grower, _ agent) error {
	wish, err := grower.ask(ctx, "How warm do the tomatoes want it?")
	if err != nil {
		return err
	}
	for _, changes := range [][]change{{grower.Pin, grower.Forget}, {grower.Unpin, grower.Forget}} { // the first is refused
		if err := grower.change(ctx, wish, changes...); err != nil {
			return err
		}
	}
	_, err = grower.ask(ctx, "How warm do the tomatoes want it?")
	return errors.Join(err, grower.change(ctx, wish, grower.Restore))
}

// retry sends a request twice, as a host does that did not hear the first answer. The request id makes it safe.
func retry(ctx context.Context, _, mechanic agent) error {
	r := membrain.EncodeRequest{RequestID: "watering/7", Type: membrain.Event, Text: "The tomatoes were watered."}
	err := errors.Join(mechanic.remember(ctx, r), mechanic.remember(ctx, r))
	r.Text = "The cucumbers were watered."
	mechanic.say("the same id for something else: %s", model.CodeOf(mechanic.remember(ctx, r)))
	return err
}

// state shows the digest, which stands for all that is remembered: the same in the evening and on the next morning. It
// tells of both agents' memories, so the host asks as the operator.
func state(ctx context.Context, grower, _ agent) error {
	d, err := grower.As(membrain.Caller{Operator: true}).Digest(ctx, "")
	grower.say("has %d memories at tick %d, digest %s", d.Memories, d.Tick, d.Digest)
	return err
}
