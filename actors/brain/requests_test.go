package brain_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// seed makes memories that a recall of "harbour" finds.
func (r *rig) seed(n int) []model.MemoryID {
	r.t.Helper()
	var ids []model.MemoryID
	for i := range n {
		ids = append(ids, r.encode(text(i)).ID)
	}
	return ids
}

func TestRetry_RCL_5_ARepeatedRequestIsAnsweredNotRepeated(t *testing.T) {
	for _, a := range acts() {
		if a.name == "import" {
			continue // its reply does not tell; TestRetry_OfAnImport
		}
		t.Run(a.name, func(t *testing.T) {
			r := newRig(t)
			id := r.seed(3)[1]
			for try := range 4 {
				if try == 3 {
					r.reopen()
				}
				repeated, err := a.run(r, id)
				require.NoError(t, err)
				require.Equal(t, try > 0, repeated)
				require.EqualValues(t, 4, r.head())
			}
			r.audit()
		})
	}
}

func TestRetry_RCL_5_TheAnswerIsTheSame(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	ids := r.seed(4)
	recall := func() model.RecallReply {
		got, err := r.e.Recall(ctx, operator, model.RecallRequest{Namespace: ns, RequestID: "r", Query: "harbour topic-2", Limit: 3})
		require.NoError(t, err)
		return got
	}
	update := func() model.MutationReply {
		fresh := "Now about the lighthouse."
		got, err := r.e.Update(ctx, operator, model.UpdateRequest{Namespace: ns, RequestID: "u", ID: ids[0], Text: &fresh})
		require.NoError(t, err)
		return got
	}
	encode := func() model.EncodeReply {
		return r.encodeAs(operator, model.EncodeRequest{Namespace: ns, RequestID: "e", Text: text(1)})
	}
	firstRecall, firstUpdate, firstEncode := recall(), update(), encode()
	_, err := r.reinforce(ids[0])
	require.NoError(t, err)
	for range 2 {
		again := recall()
		require.Equal(t, idsOf(firstRecall.Results), idsOf(again.Results))
		require.Equal(t, firstRecall.Tick, again.Tick)
		require.Equal(t, firstRecall.Seq, again.Seq)
		require.Equal(t, firstRecall.Omitted, again.Omitted)
		for i := range again.Results {
			require.Equal(t, firstRecall.Results[i].Score, again.Results[i].Score)
			require.Equal(t, firstRecall.Results[i].Parts, again.Results[i].Parts)
		}
		changed := update()
		require.True(t, changed.Repeated)
		changed.Repeated = false
		require.Equal(t, firstUpdate, changed, "as the update left it, not as it is now")
		made := encode()
		require.True(t, made.Repeated)
		made.Repeated = false
		require.Equal(t, firstEncode, made)
		r.reopen()
	}
}

func TestRetry_RCL_5_AnotherBodyIsRefused(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	ids := r.seed(2)
	head := r.head()
	req := model.MemoryRequest{Namespace: ns, ID: ids[0], RequestID: "once"}
	_, err := r.e.Mutate(ctx, operator, model.VerbReinforce, req)
	require.NoError(t, err)
	req.ID = ids[1]
	for range 2 {
		_, err = r.e.Mutate(ctx, operator, model.VerbReinforce, req)
		code(t, model.CodeDuplicateRequest, err)
		r.reopen()
	}
	_, err = r.e.Mutate(ctx, operator, model.VerbPin, req)
	require.NoError(t, err, "the id is free for another verb")
	_, err = r.e.Recall(ctx, agent("a"), model.RecallRequest{Namespace: ns, Query: "harbour", RequestID: "once"})
	require.NoError(t, err, "and for another agent")
	require.Equal(t, head+3, r.head())
	require.Equal(t, uint32(2), r.inspect(ids[0]).RecallCount, "by the reinforcement and by the recall")
}

func TestRetry_RCL_5_AtOnceIsCountedOnce(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	id := r.seed(1)[0]
	entered, release := r.mem.Faults.BlockSync()
	send := func(id model.MemoryID) <-chan result[model.MutationReply] {
		return later(func() (model.MutationReply, error) {
			return r.e.Mutate(ctx, operator, model.VerbReinforce, model.MemoryRequest{Namespace: ns, ID: id, RequestID: "once"})
		})
	}
	all := []<-chan result[model.MutationReply]{send(id)}
	<-entered
	for range 20 {
		all = append(all, send(id))
	}
	code(t, model.CodeDuplicateRequest, (<-send(r.newID())).err)
	release()
	repeated := 0
	for _, each := range all {
		got := <-each
		require.NoError(t, got.err)
		require.Equal(t, uint64(2), got.got.Version)
		if got.got.Repeated {
			repeated++
		}
	}
	require.Equal(t, 20, repeated)
	require.Equal(t, uint32(1), r.inspect(id).RecallCount)
	r.audit()
}

func TestRetry_OfARefusedRequestIsDecidedAnew(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	id := r.seed(1)[0]
	_, err := r.mutate(model.VerbPin, id)
	require.NoError(t, err)
	forget := func() error {
		_, err := r.e.Mutate(ctx, operator, model.VerbForget, model.MemoryRequest{Namespace: ns, ID: id, RequestID: "f"})
		return err
	}
	code(t, model.CodePolicyDenied, forget())
	_, err = r.mutate(model.VerbUnpin, id)
	require.NoError(t, err)
	require.NoError(t, forget())
	r.audit()
}

func TestRetry_OfAnImport(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	first, err := r.e.Import(ctx, operator, rows(ns, 5, "once"))
	require.NoError(t, err)
	for range 2 {
		again, err := r.e.Import(ctx, operator, rows(ns, 5, "once"))
		require.NoError(t, err)
		require.Equal(t, first, again)
		_, err = r.e.Import(ctx, operator, rows(ns, 6, "once"))
		code(t, model.CodeDuplicateRequest, err)
		r.reopen()
	}
	require.Equal(t, 5, r.p.Namespaces()[0].Memories)
	require.Equal(t, model.Tick(1), r.tick(ns))
	r.audit()
}

func TestRequestID_IsBounded(t *testing.T) {
	r := newRig(t)
	for bad, want := range map[string]model.Code{
		strings.Repeat("x", 129): model.CodeTooLarge, "a\nb": model.CodeValidation, "\xff": model.CodeValidation,
	} {
		_, err := r.e.Recall(context.Background(), operator, model.RecallRequest{Namespace: ns, Query: "x", RequestID: bad})
		code(t, want, err)
		_, err = r.e.Encode(context.Background(), operator, model.EncodeRequest{Namespace: ns, Text: "x", RequestID: bad})
		code(t, want, err)
		_, err = r.e.Import(context.Background(), operator, rows(ns, 1, bad))
		code(t, want, err)
	}
	require.Zero(t, r.head())
}

// TestFirst_ManyCallersOfANewNamespace races for the first commit of a namespace: one wins, all are kept.
func TestFirst_ManyCallersOfANewNamespace(t *testing.T) {
	r := newRig(t)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			c := agent([]string{"", "a", "b"}[i%3])
			_, err := r.e.Encode(context.Background(), c, model.EncodeRequest{Namespace: []string{"left", "right"}[i%2], Text: text(i), Tags: []string{text(i % 4)}})
			require.NoError(t, err)
		})
	}
	group.Wait()
	for _, each := range r.p.Namespaces() {
		require.Equal(t, 20, each.Memories)
		require.Equal(t, model.Tick(20), each.Tick)
	}
	require.Len(t, r.p.Namespaces(), 2)
	r.audit()
}

// TestFirst_FailsAndTheNameIsUsedAgain refuses the first request of a namespace, by the disk and by validation at admission.
func TestFirst_FailsAndTheNameIsUsedAgain(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	stranger := []model.MemoryID{r.newID()}
	_, err := r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: "new", Text: "x", Lineage: stranger})
	code(t, model.CodeNotFound, err)
	r.mem.Faults.FailPut(1, errDisk) // of the other's name
	_, err = r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: "newer", Text: "x"})
	code(t, model.CodeUnavailable, err)
	require.Empty(t, r.p.Namespaces())
	require.Zero(t, r.head())
	_, err = r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: "newest", Text: "x"})
	require.NoError(t, err)
	for _, name := range []string{"newer", "new"} {
		_, err = r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: name, Text: "about " + name})
		require.NoError(t, err)
	}
	r.audit()
	for _, name := range []string{"new", "newer"} {
		got, err := r.e.Recall(ctx, operator, model.RecallRequest{Namespace: name, Query: name})
		require.NoError(t, err)
		require.Len(t, got.Results, 1)
		require.Equal(t, "about "+name, got.Results[0].CompactText)
	}
}

// TestUpdate_ConcurrentRevisionsSeeEachOther sends updates that expect one revision, and texts that are long and short by
// turns: each decides on what the one before left, though none of them is durable yet.
func TestUpdate_ConcurrentRevisionsSeeEachOther(t *testing.T) {
	ctx := context.Background()
	for round := range 20 {
		r := newRig(t)
		id := r.seed(1)[0]
		var all []<-chan result[model.MutationReply]
		for i := range 10 {
			s := fmt.Sprintf("Short text %d.", i)
			if i%2 == round%2 {
				s = strings.Repeat(s, model.InlineBytesMax/len(s)+1)
			}
			all = append(all, later(func() (model.MutationReply, error) {
				return r.e.Update(ctx, operator, model.UpdateRequest{Namespace: ns, ID: id, Text: &s, IfRevision: uint64(i % 2)})
			}))
		}
		expecting := 0
		for i, each := range all {
			got := <-each
			if got.err != nil {
				code(t, model.CodeVersionConflict, got.err)
			} else if i%2 == 1 {
				expecting++
			}
		}
		require.LessOrEqual(t, expecting, 1, "two updates of revision 1 cannot both be accepted")
		v := r.inspect(id)
		if long := len(*v.Text) > model.InlineBytesMax; long {
			require.Equal(t, model.PayloadAttached, v.PayloadState)
			require.EqualValues(t, len(*v.Text), v.PayloadBytes)
		} else {
			require.Equal(t, model.PayloadNone, v.PayloadState)
		}
		r.close()
	}
}

// hurried is a contents store whose caller gives up as soon as it has written.
type hurried struct {
	eventlog.Contents
	leave context.CancelFunc
}

func (h hurried) Put(ctx context.Context, batch []eventlog.ContentBatch) error {
	defer h.leave()
	return h.Contents.Put(context.WithoutCancel(ctx), batch)
}

// TestFirst_ACallerWhoLeavesWhileTheBrainStartsBlocksNobody: a brain that nobody knew of would keep its name taken.
func TestFirst_ACallerWhoLeavesWhileTheBrainStartsBlocksNobody(t *testing.T) {
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		r := newRig(t, func(r *rig) {
			r.contents = func(c eventlog.Contents) eventlog.Contents { return hurried{c, cancel} }
		})
		_, err := r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: ns, Text: text(1), RequestID: "once"})
		if err != nil {
			code(t, model.CodeUnavailable, err)
		}
		r.encodeAs(operator, model.EncodeRequest{Namespace: ns, Text: text(1), RequestID: "once"})
		require.Equal(t, model.Tick(1), r.tick(ns))
		r.close()
	}
}
