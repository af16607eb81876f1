package membrain_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"math"
	"os"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

// A store is a directory. What was encoded is there when it is opened again.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "membrain-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	store, err := membrain.Open(ctx, dir, membrain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	got, err := store.Encode(ctx, membrain.EncodeRequest{Namespace: "team", Type: membrain.Fact, Text: "The staging database moved to Frankfurt."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s at tick %d: %s, %s, %s\n", got.Outcome, got.Tick, got.Type, got.Kind, got.Tier)
	if err := store.Close(); err != nil {
		log.Fatal(err)
	}

	store, err = membrain.Open(ctx, dir, membrain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	v, err := store.Inspect(ctx, membrain.MemoryRequest{Namespace: "team", ID: got.ID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*v.Text)
	// Output:
	// encoded at tick 1: fact, semantic, tier2
	// The staging database moved to Frankfurt.
}

// A recall strengthens what it returns; NoReinforce only looks.
func ExampleStore_Recall() {
	ctx := context.Background()
	store, done := diary()
	defer done()

	// The strength is the one that the result was ranked with, before this recall.
	for _, look := range []bool{true, false, true} {
		got, err := store.Recall(ctx, membrain.RecallRequest{
			Namespace: "diary", Query: "What did the dentist say?", Limit: 1, NoReinforce: look,
			Filter: membrain.Filter{Types: []membrain.MemoryType{membrain.Event}},
		})
		if err != nil {
			log.Fatal(err)
		}
		r := got.Results[0]
		fmt.Printf("tick %d: %s Recalled %d times, strength %.2f.\n", got.Tick, r.CompactText, r.RecallCount, r.EffectiveStrength)
	}
	// Output:
	// tick 3: The dentist found no hole. Recalled 0 times, strength 0.50.
	// tick 4: The dentist found no hole. Recalled 1 times, strength 0.50.
	// tick 4: The dentist found no hole. Recalled 1 times, strength 0.60.
}

// Explain shows how a query is answered without strengthening anything, and why a memory is not in the answer.
func ExampleStore_Explain() {
	ctx := context.Background()
	store, done := diary()
	defer done()

	tea, err := store.Recall(ctx, membrain.RecallRequest{Namespace: "diary", Query: "tea", Limit: 1, NoReinforce: true})
	if err != nil {
		log.Fatal(err)
	}
	got, err := store.Explain(ctx, membrain.ExplainRequest{
		Recall: membrain.RecallRequest{
			Namespace: "diary", Query: "dentist", Limit: 1,
			Filter: membrain.Filter{Types: []membrain.MemoryType{membrain.Event}},
		},
		WhyNot: tea.Results[0].ID,
	})
	if err != nil {
		log.Fatal(err)
	}
	best, sum := got.Results[0], 0.0
	for _, part := range best.Parts {
		sum += part
	}
	fmt.Printf("Best: %s The parts sum to the score: %t\n", best.CompactText, math.Abs(sum-best.Score) < 1e-9)
	fmt.Printf("Not there: %s Dropped by: %s\n", tea.Results[0].CompactText, got.WhyNot.Stage)

	memory, err := store.Explain(ctx, membrain.ExplainRequest{Recall: membrain.RecallRequest{Namespace: "diary"}, ID: best.ID})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range memory.History {
		fmt.Printf("commit %d, tick %d: %s through %s\n", f.Seq, f.Tick, f.Type, f.Cause)
	}
	// Output:
	// Best: The dentist found no hole. The parts sum to the score: true
	// Not there: Tea, not coffee. Dropped by: filter
	// commit 1, tick 1: memory.encoded.v1 through api/encode
}

// Each agent has its own handle. What it did not share, no other agent can find.
func ExampleStore_As() {
	ctx := context.Background()
	store, done := diary()
	defer done()

	ada, bob := store.As(membrain.Caller{Agent: "ada"}), store.As(membrain.Caller{Agent: "bob"})
	secret, err := ada.Encode(ctx, membrain.EncodeRequest{Namespace: "diary", Text: "I forgot the key."})
	if err != nil {
		log.Fatal(err)
	}
	_, err = bob.Inspect(ctx, membrain.MemoryRequest{Namespace: "diary", ID: secret.ID})
	fmt.Println("bob:", model.CodeOf(err))
	v, err := ada.Inspect(ctx, membrain.MemoryRequest{Namespace: "diary", ID: secret.ID})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ada:", v.CompactText)
	// Output:
	// bob: not_found
	// ada: I forgot the key.
}

// A host that is an actor system itself lets the memories live in it. Close stops them and leaves the system alone.
func ExampleOptions_actorSystem() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "membrain-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	quiet := func(*actor.ActorSystem) *slog.Logger { return slog.New(slog.DiscardHandler) }
	system := actor.NewActorSystem(actor.WithLoggerFactory(quiet))
	defer system.Shutdown()
	store, err := membrain.Open(ctx, dir, membrain.Options{ActorSystem: system})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := store.Encode(ctx, membrain.EncodeRequest{Namespace: "team", Text: "The build is green."}); err != nil {
		log.Fatal(err)
	}
	_, here := system.ProcessRegistry.GetLocal("membrain")
	fmt.Println("the memories live in the host's system:", here)
	fmt.Println("closed:", store.Close())
	fmt.Println("the host's system is stopped:", system.IsStopped())
	// Output:
	// the memories live in the host's system: true
	// closed: <nil>
	// the host's system is stopped: false
}

// diary is a store in a temporary directory with three memories.
func diary() (store *membrain.Store, done func()) {
	dir, err := os.MkdirTemp("", "membrain-")
	if err != nil {
		log.Fatal(err)
	}
	store, err = membrain.Open(context.Background(), dir, membrain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range []membrain.EncodeRequest{
		{Type: membrain.Event, Text: "The dentist found no hole."},
		{Type: membrain.Event, Text: "The train to Oslo was late."},
		{Type: membrain.UserPreference, Text: "Tea, not coffee."},
	} {
		r.Namespace = "diary"
		if _, err := store.Encode(context.Background(), r); err != nil {
			log.Fatal(err)
		}
	}
	return store, func() {
		if err := store.Close(); err != nil {
			log.Fatal(err)
		}
		os.RemoveAll(dir)
	}
}
