package brain_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// act is one request of every verb that writes, under a fixed request id.
type act struct {
	name string
	run  func(r *rig, id model.MemoryID) (repeated bool, err error)
}

func acts() []act {
	ctx := context.Background()
	mutation := func(verb model.Verb) func(*rig, model.MemoryID) (bool, error) {
		return func(r *rig, id model.MemoryID) (bool, error) {
			got, err := r.e.Mutate(ctx, operator, verb, model.MemoryRequest{Namespace: ns, ID: id, RequestID: "once"})
			return got.Repeated, err
		}
	}
	fresh := "A revised text about the lighthouse."
	return []act{
		{"encode", func(r *rig, _ model.MemoryID) (bool, error) {
			got, err := r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: ns, Text: "A lantern by the pier.", Tags: []string{"light"}, Payload: []byte{1, 2, 3}, RequestID: "once"})
			return got.Repeated, err
		}},
		{"first encode", func(r *rig, _ model.MemoryID) (bool, error) {
			got, err := r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: "other", Text: "A lantern by the pier.", RequestID: "once"})
			return got.Repeated, err
		}},
		{"recall", func(r *rig, _ model.MemoryID) (bool, error) {
			got, err := r.e.Recall(ctx, operator, model.RecallRequest{Namespace: ns, Query: "harbour topic-1", RequestID: "once"})
			return got.Repeated, err
		}},
		{"update", func(r *rig, id model.MemoryID) (bool, error) {
			got, err := r.e.Update(ctx, operator, model.UpdateRequest{Namespace: ns, ID: id, Text: &fresh, Tags: &[]string{"sea"}, RequestID: "once"})
			return got.Repeated, err
		}},
		{"import", func(r *rig, _ model.MemoryID) (bool, error) {
			_, err := r.e.Import(ctx, operator, rows(ns, 3, "once"))
			return false, err
		}},
		{"reinforce", mutation(model.VerbReinforce)},
		{"pin", mutation(model.VerbPin)},
		{"forget", mutation(model.VerbForget)},
	}
}

func rows(namespace string, n int, request string) brain.Rows {
	out := brain.Rows{Namespace: namespace, RequestID: request}
	for i := range n {
		out.Requests = append(out.Requests, model.EncodeRequest{Namespace: namespace, Text: fmt.Sprintf("Imported row %d on the quay.", i), Payload: []byte{byte(i)}})
		out.Places = append(out.Places, fmt.Sprintf("line %d", i+1))
	}
	return out
}

type breakage struct {
	name string
	plan func(f *eventlog.Faults)
}

func breakages() []breakage {
	var list []breakage
	for n := 1; n <= 3; n++ {
		list = append(list,
			breakage{fmt.Sprintf("append %d fails", n), func(f *eventlog.Faults) { f.FailAppend(n, errDisk) }},
			breakage{fmt.Sprintf("append %d is written and reported lost", n), func(f *eventlog.Faults) { f.LoseAppend(n, errDisk) }},
			breakage{fmt.Sprintf("append %d is lost and the head unreadable", n), func(f *eventlog.Faults) { f.LoseAppend(n, errDisk); f.FailReload(1, errDisk) }},
			breakage{fmt.Sprintf("append %d is lost and the head long unreadable", n), func(f *eventlog.Faults) {
				f.LoseAppend(n, errDisk)
				f.FailReload(1, errDisk)
				f.FailReload(2, errDisk)
				f.FailReload(3, errDisk)
			}},
			breakage{fmt.Sprintf("put %d fails", n), func(f *eventlog.Faults) { f.FailPut(n, errDisk) }},
			breakage{fmt.Sprintf("put %d is written and reported lost", n), func(f *eventlog.Faults) { f.LosePut(n, errDisk) }},
		)
	}
	return list
}

// TestFault_FAIL_1_EveryVerbIsWholeOrNothingAndWorksAgain breaks the disk at every step of every verb: the request fails and
// leaves nothing, or is answered; a retry with its id makes it happen exactly once; the log is the same as without the
// fault, but for what the fault itself left.
func TestFault_FAIL_1_EveryVerbIsWholeOrNothingAndWorksAgain(t *testing.T) {
	for _, a := range acts() {
		want := outcome(t, a, nil)
		for _, b := range breakages() {
			t.Run(a.name+"/"+b.name, func(t *testing.T) {
				require.Equal(t, want, outcome(t, a, b.plan))
			})
		}
	}
}

// world is what a store looks like from outside.
type world struct {
	Ticks    map[string]model.Tick
	Memories map[string]int
	Seen     model.View // the one memory that was there before
	Recalls  uint64
}

func outcome(t *testing.T, a act, plan func(*eventlog.Faults)) world {
	t.Helper()
	r := newRig(t)
	id := r.encode(text(1)).ID
	before := r.digest()
	if plan != nil {
		plan(&r.mem.Faults)
	}
	_, err := a.run(r, id)
	if err != nil {
		code(t, model.CodeUnavailable, err)
		if r.head() == 1 {
			require.Equal(t, before, r.digest(), "a failed request changes nothing")
		}
	}
	for try := 0; err != nil; try++ {
		require.Less(t, try, 3, "works again once the disk does: %v", err)
		r.recovered(ns)
		r.recovered("other")
		_, err = a.run(r, id)
	}
	again, err := a.run(r, id)
	require.NoError(t, err)
	require.True(t, again || a.name == "import")
	out := world{Ticks: map[string]model.Tick{}, Memories: map[string]int{}}
	for _, each := range r.p.Namespaces() {
		out.Ticks[each.Name], out.Memories[each.Name] = each.Tick, each.Memories
	}
	out.Seen = r.inspect(id)
	out.Seen.UpdatedAt, out.Seen.LastAccessAt = "", nil      // the clock moved between the tries
	out.Seen.ID, out.Seen.ContentRef = model.MemoryID{}, nil // ids and numbers of failed tries are not given out again
	r.audit()
	return out
}

func TestFailure_DropsWhatWasDecidedAfterIt(t *testing.T) {
	for name, plan := range map[string]func(*eventlog.Faults){
		"append": func(f *eventlog.Faults) { f.FailAppend(1, errDisk) },
		"put":    func(f *eventlog.Faults) { f.FailPut(1, errDisk) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			var ids []model.MemoryID
			for i := range 5 {
				ids = append(ids, r.encode(text(i)).ID)
			}
			before := r.digest()
			plan(&r.mem.Faults)
			entered, release := r.mem.Faults.BlockSync()
			ctx := context.Background()
			first := later(func() (model.EncodeReply, error) {
				return r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: ns, Text: "The first in line.", Tags: []string{"doomed"}})
			})
			<-entered
			const behind = 30
			var failed []<-chan result[model.MutationReply]
			for i := range behind {
				failed = append(failed, later(func() (model.MutationReply, error) { return r.reinforce(ids[i%5]) }))
			}
			twin := later(func() (model.EncodeReply, error) {
				return r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: ns, Text: "The first in line.", Tags: []string{"doomed", "second"}})
			})
			recalled := later(func() (model.RecallReply, error) {
				return r.e.Recall(ctx, operator, model.RecallRequest{Namespace: ns, Query: "harbour", Limit: 5})
			})
			r.until(ns, func(a brain.Activity) bool { return a.InFlight == behind+3 })
			release()
			code(t, model.CodeUnavailable, (<-first).err)
			for _, each := range failed {
				code(t, model.CodeUnavailable, (<-each).err)
			}
			code(t, model.CodeUnavailable, (<-twin).err)
			code(t, model.CodeUnavailable, (<-recalled).err)
			require.Equal(t, before, r.digest())

			r.pass(5 * time.Second)
			got := r.encodeAs(operator, model.EncodeRequest{Namespace: ns, Text: "The first in line.", Tags: []string{"second"}})
			require.Equal(t, model.RouteMintedNew, got.Duplicate.Route, "an encode that failed is no twin of a later one")
			require.Equal(t, model.Tick(6), got.Tick, "failed requests take no tick")
			for _, id := range ids {
				reply, err := r.reinforce(id)
				require.NoError(t, err)
				require.Equal(t, uint64(2), reply.Version)
			}
			require.Equal(t, []string{"second"}, r.inspect(got.ID).Tags)
			r.audit()
			require.Equal(t, []string{"second"}, r.inspect(got.ID).Tags)
		})
	}
}

func TestFailure_OfAnotherNamespaceIsFoundOutAndOvercome(t *testing.T) {
	r := newRig(t)
	id := r.encode(text(1)).ID
	other := func(s string) error {
		_, err := r.e.Encode(context.Background(), operator, model.EncodeRequest{Namespace: "other", Text: s})
		return err
	}
	require.NoError(t, other("quiet"))
	r.mem.Faults.FailAppend(1, errDisk)
	code(t, model.CodeUnavailable, other("lost"))
	r.pass(5 * time.Second)
	for try := 0; ; try++ { // this brain decided under an older generation of the log
		_, err := r.reinforce(id)
		if err == nil {
			break
		}
		code(t, model.CodeUnavailable, err)
		require.Less(t, try, 3)
	}
	require.NoError(t, other("found"))
	r.audit()
}

func TestBusy_AFullLogQueueOnlyDelays(t *testing.T) {
	r := newRig(t, tweaked(func(o brain.Options) brain.Options {
		o.Writer.QueueMax = 2
		return o
	}))
	id := r.encode(text(1)).ID
	entered, release := r.mem.Faults.BlockSync()
	var waiting []<-chan result[model.MutationReply]
	for range 20 {
		waiting = append(waiting, later(func() (model.MutationReply, error) { return r.reinforce(id) }))
	}
	<-entered
	r.until(ns, func(a brain.Activity) bool { return a.InFlight+a.Waiting == 20 })
	release()
	for _, each := range waiting {
		require.NoError(t, (<-each).err)
	}
	require.Equal(t, uint32(20), r.inspect(id).RecallCount)
	r.audit()
}

func TestBusy_OverTheLimitIsRefusedAtOnce(t *testing.T) {
	r := newRig(t, tweaked(func(o brain.Options) brain.Options {
		o.AdmitMax = 3
		return o
	}))
	id := r.encode(text(1)).ID
	entered, release := r.mem.Faults.BlockSync()
	var waiting []<-chan result[model.MutationReply]
	for range 3 {
		waiting = append(waiting, later(func() (model.MutationReply, error) { return r.reinforce(id) }))
	}
	<-entered
	r.until(ns, func(a brain.Activity) bool { return a.InFlight+a.Waiting == 3 })
	_, err := r.reinforce(id)
	code(t, model.CodeBusy, err)
	release()
	for _, each := range waiting {
		require.NoError(t, (<-each).err)
	}
	require.Equal(t, uint32(3), r.inspect(id).RecallCount)
}

func TestTooLarge_FailsAloneAndNothingIsWritten(t *testing.T) {
	r := newRig(t)
	id := r.encode(text(1)).ID
	head := r.head()
	_, err := r.e.Encode(context.Background(), operator, model.EncodeRequest{Namespace: ns, Text: "x", Payload: make([]byte, model.PayloadBytesMax+1)})
	code(t, model.CodeTooLarge, err)
	require.Equal(t, head, r.head())
	_, err = r.reinforce(id)
	require.NoError(t, err)
}

// TestCancel_TheCallerMayLeave cancels a request whose commit is under way: its outcome is unknown to the caller, and a retry finds it.
func TestCancel_TheCallerMayLeave(t *testing.T) {
	r := newRig(t)
	id := r.encode(text(1)).ID
	entered, release := r.mem.Faults.BlockSync()
	ctx, cancel := context.WithCancel(context.Background())
	gone := later(func() (model.MutationReply, error) {
		return r.e.Mutate(ctx, operator, model.VerbReinforce, model.MemoryRequest{Namespace: ns, ID: id, RequestID: "r"})
	})
	<-entered
	cancel()
	code(t, model.CodeUnavailable, (<-gone).err)
	release()
	got, err := r.e.Mutate(context.Background(), operator, model.VerbReinforce, model.MemoryRequest{Namespace: ns, ID: id, RequestID: "r"})
	require.NoError(t, err)
	require.True(t, got.Repeated)
	require.Equal(t, uint32(1), r.inspect(id).RecallCount)
	r.audit()
}

// TestClose_WaitsForRequestsUnderWay closes while requests run: each is answered by its commit, or refused and without effect.
func TestClose_WaitsForRequestsUnderWay(t *testing.T) {
	r := newRig(t)
	id := r.encode(text(1)).ID
	entered, release := r.mem.Faults.BlockSync()
	var waiting []<-chan result[model.MutationReply]
	for range 10 {
		waiting = append(waiting, later(func() (model.MutationReply, error) { return r.reinforce(id) }))
	}
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- r.e.Close(context.Background()) }()
	release()
	require.NoError(t, <-closed)
	counted := uint32(0)
	for _, each := range waiting {
		got := <-each
		if got.err == nil {
			counted++
		} else {
			code(t, model.CodeUnavailable, got.err)
		}
	}
	_, err := r.reinforce(id)
	code(t, model.CodeUnavailable, err)
	r.reopen()
	require.Equal(t, counted, r.inspect(id).RecallCount)
	r.audit()
}
