package brain_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/model"
)

func (r *rig) encodeFor(c model.Caller, s string, v model.Visibility) model.EncodeReply {
	r.t.Helper()
	return r.encodeAs(c, model.EncodeRequest{Namespace: ns, Text: s, Visibility: v})
}

func TestFamily_DUP_1_TheSameTextAHundredTimesAtOnceIsOneFamily(t *testing.T) {
	for _, c := range []model.Caller{operator, agent("a")} {
		r := newRig(t)
		replies := make([]model.EncodeReply, 100)
		var group sync.WaitGroup
		for i := range replies {
			group.Go(func() {
				got, err := r.e.Encode(context.Background(), c, model.EncodeRequest{Namespace: ns, Text: "The same thing again."})
				require.NoError(t, err)
				replies[i] = got
			})
		}
		group.Wait()
		var first model.MemoryID
		for _, got := range replies {
			if got.Duplicate.Route == model.RouteMintedNew {
				require.Zero(t, first, "only one is the first of its family")
				first = got.ID
				require.Equal(t, model.Tick(1), got.Tick)
			}
		}
		for _, got := range replies {
			if got.ID != first {
				require.Equal(t, model.RouteAttachedToFamily, got.Duplicate.Route)
				require.Equal(t, first, got.Duplicate.FamilyID)
				require.InDelta(t, 1, *got.Duplicate.NearestSimilarity, 1e-6)
				require.InDelta(t, 0, got.Duplicate.Novelty, 1e-6)
			}
		}
		require.Equal(t, 100, r.p.Namespaces()[0].Memories)
		r.audit()
	}
}

// TestFamily_GOV_5_NothingIsLearntOfAPrivateTwin compares what an agent is told about a text that another has in private
// with what it is told in an empty namespace, both when the twin is durable and when its commit is in flight.
func TestFamily_GOV_5_NothingIsLearntOfAPrivateTwin(t *testing.T) {
	const secret = "The vault code is four one five."
	told := func(prepare func(r *rig) func()) model.DuplicateReply {
		r := newRig(t)
		r.encodeFor(operator, text(1), model.Shared)
		after := prepare(r)
		got := later(func() (model.EncodeReply, error) {
			return r.e.Encode(context.Background(), agent("b"), model.EncodeRequest{Namespace: ns, Text: secret})
		})
		if after != nil {
			r.until(ns, func(a brain.Activity) bool { return a.InFlight == 2 })
			after()
		}
		reply := <-got
		require.NoError(t, reply.err)
		return reply.got.Duplicate
	}
	want := told(func(*rig) func() { return nil })
	require.Equal(t, want, told(func(r *rig) func() {
		r.encodeFor(agent("a"), secret, model.Private)
		return nil
	}))
	require.Equal(t, want, told(func(r *rig) func() {
		entered, release := r.mem.Faults.BlockSync()
		waiting := later(func() (model.EncodeReply, error) {
			return r.e.Encode(context.Background(), agent("a"), model.EncodeRequest{Namespace: ns, Text: secret})
		})
		<-entered
		return func() {
			release()
			require.NoError(t, (<-waiting).err)
		}
	}))
}

// TestFamily_GOV_5_APrivateFirstGivesItsIDToNobody has a family whose first member is private and whose second is shared.
func TestFamily_GOV_5_APrivateFirstGivesItsIDToNobody(t *testing.T) {
	const fact = "The harbour closes at nine."
	r := newRig(t)
	first := r.encodeFor(agent("a"), fact, model.Private)
	second := r.encodeFor(agent("a"), fact, model.Shared)
	require.Equal(t, first.ID, second.Duplicate.FamilyID)
	third := r.encodeFor(agent("b"), fact, model.Private)
	require.Equal(t, model.RouteAttachedToFamily, third.Duplicate.Route)
	require.Equal(t, second.ID, third.Duplicate.FamilyID)
	require.Equal(t, uint32(1), third.Duplicate.CandidatesInspected)
	require.Equal(t, first.ID, r.encodeFor(agent("a"), fact, model.Private).Duplicate.FamilyID)
	r.audit()
}

func TestReferences_OnlyWhatTheCallerSees(t *testing.T) {
	r := newRig(t)
	private := r.encodeFor(agent("a"), text(1), model.Private).ID
	for _, each := range []model.EncodeRequest{
		{Namespace: ns, Text: "x", Lineage: []model.MemoryID{private}},
		{Namespace: ns, Text: "x", Goals: []model.MemoryID{private}},
		{Namespace: ns, Text: "x", Type: model.TypeRelation, Endpoints: []model.MemoryID{private, private}},
	} {
		_, err := r.e.Encode(context.Background(), agent("b"), each)
		require.Contains(t, []model.Code{model.CodeNotFound, model.CodeValidation}, model.CodeOf(err))
		unknown := each
		for _, list := range []*[]model.MemoryID{&unknown.Lineage, &unknown.Goals} {
			if len(*list) > 0 {
				*list = []model.MemoryID{r.newID()}
				_, other := r.e.Encode(context.Background(), agent("b"), unknown)
				require.Equal(t, model.CodeOf(other), model.CodeOf(err), "another's private memory is as good as none")
			}
		}
	}
	got := r.encodeAs(agent("a"), model.EncodeRequest{Namespace: ns, Text: "x", Lineage: []model.MemoryID{private}})
	require.Equal(t, []model.MemoryID{private}, r.inspect(got.ID).Lineage)
}
