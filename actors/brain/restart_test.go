package brain_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/model"
)

// charge makes memories panic on the next proposals.
type charge struct {
	mu   sync.Mutex
	left map[string]int // by actor name
}

func newCharge() *charge { return &charge{left: map[string]int{}} }

func (f *charge) place(id model.MemoryID, panics int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left[memory.Name(id)] = panics
}

func (f *charge) due(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left[name] == 0 {
		return false
	}
	f.left[name]--
	return true
}

func (f *charge) wrap(real actors.Actor) actors.Actor {
	return actors.ActorFunc(func(c *actors.Context) {
		if _, ok := c.Message().(memory.Propose); ok && f.due(c.Name()) {
			panic(errors.New("a fault of the model"))
		}
		real.Receive(c)
	})
}

func TestRestart_OfAMemoryLosesNothingInFlight(t *testing.T) {
	fuse := newCharge()
	r := newRig(t, memories(fuse.wrap))
	hurt, well := r.encode("The harbour lantern of topic-1 shines.").ID, r.encode("The harbour crane of topic-2 turns.").ID
	entered, release := r.mem.Faults.BlockSync()
	var before []<-chan result[model.MutationReply]
	for range 3 {
		before = append(before, later(func() (model.MutationReply, error) { return r.reinforce(hurt) }))
	}
	<-entered
	r.until(ns, func(a brain.Activity) bool { return a.InFlight == 3 })
	fuse.place(hurt, 1)
	recalled := later(func() (model.RecallReply, error) {
		return r.e.Recall(context.Background(), operator, model.RecallRequest{Namespace: ns, Query: "harbour"})
	})
	r.until(ns, func(a brain.Activity) bool { return a.InFlight == 4 })
	after := later(func() (model.MutationReply, error) { return r.reinforce(hurt) })
	r.until(ns, func(a brain.Activity) bool { return a.InFlight == 5 })
	release()

	for _, each := range before {
		require.NoError(t, (<-each).err)
	}
	reply := <-recalled
	require.NoError(t, reply.err)
	require.Equal(t, []model.MemoryID{well}, idsOf(reply.got.Results), "what could not be strengthened is not returned")
	require.Equal(t, 1, reply.got.Omitted[model.OmittedChangedMeanwhile.String()])
	last := <-after
	require.NoError(t, last.err)
	require.Equal(t, uint64(5), last.got.Version, "decided on the three that were in flight")
	require.Equal(t, uint32(4), r.inspect(hurt).RecallCount)
	require.Equal(t, uint32(1), r.inspect(well).RecallCount)
	r.audit()
}

func TestRestart_WithAFailingCommitInFlight(t *testing.T) {
	fuse := newCharge()
	r := newRig(t, memories(fuse.wrap))
	id := r.encode(text(1)).ID
	r.mem.Faults.FailAppend(1, errDisk)
	entered, release := r.mem.Faults.BlockSync()
	doomed := later(func() (model.MutationReply, error) { return r.reinforce(id) })
	<-entered
	fuse.place(id, 1)
	_, err := r.reinforce(id)
	code(t, model.CodeInternal, err)
	release()
	code(t, model.CodeUnavailable, (<-doomed).err)
	r.recovered(ns)
	got, err := r.reinforce(id)
	for err != nil { // the brain may hear of the restart only now
		code(t, model.CodeUnavailable, err)
		got, err = r.reinforce(id)
	}
	require.Equal(t, uint64(2), got.Version)
	r.audit()
}

func TestQuarantine_OfAMemoryLeavesTheOthersAlone(t *testing.T) {
	fuse := newCharge()
	r := newRig(t, memories(fuse.wrap))
	hurt, well := r.encode("The harbour lantern of topic-1 shines.").ID, r.encode("The harbour crane of topic-2 turns.").ID
	fuse.place(hurt, 4)
	for range 4 {
		_, err := r.reinforce(hurt)
		code(t, model.CodeInternal, err)
	}
	r.until(ns, func(a brain.Activity) bool { return len(a.Quarantined) == 1 && a.Quarantined[0] == hurt })
	_, err := r.reinforce(hurt)
	code(t, model.CodeCorrupt, err)
	require.Equal(t, []model.MemoryID{well}, idsOf(r.recall("harbour").Results))
	_, err = r.reinforce(well)
	require.NoError(t, err)
	require.Equal(t, "The harbour lantern of topic-1 shines.", r.inspect(hurt).CompactText, "what is stored stays readable")
	r.audit() // reopens
	_, err = r.reinforce(hurt)
	require.NoError(t, err, "a new process tries again")
}

func TestCrash_OfABrainKeepsWhatIsInFlight(t *testing.T) {
	for name, fails := range map[string]bool{"the commits succeed": false, "the commits fail": true} {
		for _, crashes := range []int{1, 4} { // the fourth is one too many: another actor takes over
			t.Run(fmt.Sprintf("%s/%d crashes", name, crashes), func(t *testing.T) { crash(t, fails, crashes) })
		}
	}
}

func crash(t *testing.T, fails bool, crashes int) {
	ctx := context.Background()
	r := newRig(t)
	id := r.encode(text(1)).ID
	if fails {
		r.mem.Faults.FailAppend(1, errDisk)
	}
	entered, release := r.mem.Faults.BlockSync()
	flying := later(func() (model.MutationReply, error) { return r.reinforce(id) })
	<-entered
	encoded := later(func() (model.EncodeReply, error) {
		return r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: ns, Text: "Born in the storm.", Tags: []string{"storm"}})
	})
	r.until(ns, func(a brain.Activity) bool { return a.InFlight == 2 })
	old := r.e.Brain(ns)
	for range crashes {
		require.NoError(t, r.e.Crash(ns))
	}
	if crashes == 1 {
		r.until(ns, func(a brain.Activity) bool { return a.InFlight == 0 })
	}
	_, err := r.reinforce(id)
	require.Error(t, err)
	release()
	first, second := <-flying, <-encoded
	if fails {
		code(t, model.CodeUnavailable, first.err)
		code(t, model.CodeUnavailable, second.err)
	} else {
		require.NoError(t, first.err)
		require.NoError(t, second.err)
	}
	r.pass(5e9)
	for err != nil { // until the brain has taken up the durable state
		require.Contains(t, []model.Code{model.CodeUnavailable, model.CodeCorrupt}, model.CodeOf(err))
		_, err = r.reinforce(id)
	}
	require.Equal(t, crashes > 3, old != r.e.Brain(ns))
	again := r.encodeAs(operator, model.EncodeRequest{Namespace: ns, Text: "Born in the storm.", Tags: []string{"calm"}})
	want := map[bool]uint32{false: 2, true: 1}[fails]
	require.Equal(t, want, r.inspect(id).RecallCount)
	require.Equal(t, map[bool]model.DuplicateRoute{false: model.RouteAttachedToFamily, true: model.RouteMintedNew}[fails], again.Duplicate.Route)
	require.Equal(t, []string{"calm"}, r.inspect(again.ID).Tags)
	r.audit()
}

func idsOf(results []model.RecallResult) []model.MemoryID {
	out := make([]model.MemoryID, len(results))
	for i := range results {
		out[i] = results[i].ID
	}
	return out
}

// TestPassivation_UnderLoad keeps two memories alive of twenty and demands the same accounting.
func TestPassivation_UnderLoad(t *testing.T) {
	r := newRig(t, tweaked(func(o brain.Options) brain.Options {
		o.Resident = 2
		return o
	}))
	var ids []model.MemoryID
	for i := range 20 {
		ids = append(ids, r.encode(text(i)).ID)
	}
	var group sync.WaitGroup
	for caller := range 8 {
		group.Go(func() {
			for i := range 50 {
				_, err := r.reinforce(ids[(caller*7+i)%len(ids)])
				require.NoError(t, err)
			}
		})
	}
	group.Wait()
	total := uint32(0)
	for _, id := range ids {
		total += r.inspect(id).RecallCount
	}
	require.Equal(t, uint32(400), total)
	r.until(ns, func(a brain.Activity) bool { return a.Resident <= 2 })
	r.audit()
}
