package brain_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// refused is a refusal in the log with who was refused.
type refused struct {
	seq   eventlog.Seq
	agent uint64
	fact  model.RequestRefused
}

func (r *rig) refusals() (out []refused) {
	r.t.Helper()
	log, _ := r.halves()
	for record, err := range log.Scan(context.Background(), 1) {
		require.NoError(r.t, err)
		for _, f := range decoded(r.t, record) {
			if f, ok := f.(model.RequestRefused); ok {
				out = append(out, refused{record.Seq, record.Agent, f})
			}
		}
	}
	return out
}

func (r *rig) forgetAs(c model.Caller, id model.MemoryID) error {
	_, err := r.e.Mutate(context.Background(), c, model.VerbForget, model.MemoryRequest{Namespace: ns, ID: id})
	return err
}

func pinned(t *testing.T) (*rig, model.MemoryID) {
	r := newRig(t)
	id := r.encodeAs(operator, model.EncodeRequest{Namespace: ns, Text: text(1), Visibility: model.Shared}).ID
	_, err := r.mutate(model.VerbPin, id)
	require.NoError(t, err)
	return r, id
}

func TestRefusal_VER_2_LeavesAnAuditFactAndNoVersion(t *testing.T) {
	r, id := pinned(t)
	before, head := r.inspect(id), r.head()
	code(t, model.CodePolicyDenied, r.forgetAs(operator, id))
	require.Equal(t, head+1, r.head())
	require.Equal(t, before, r.inspect(id))
	all := r.refusals()
	require.Len(t, all, 1)
	require.Equal(t, model.VerbForget, all[0].fact.Verb)
	require.Equal(t, model.FamilyPolicyDenied, all[0].fact.Family)
	require.Equal(t, id, all[0].fact.Memory)
	require.Equal(t, uint32(1), all[0].fact.Count)
	r.audit()
}

func TestRefusal_RepeatsOfOneCallerAreCounted(t *testing.T) {
	r, id := pinned(t)
	for range 5 {
		code(t, model.CodePolicyDenied, r.forgetAs(operator, id))
	}
	code(t, model.CodePolicyDenied, r.forgetAs(agent("a"), id))
	require.Len(t, r.refusals(), 2, "the first of each caller, at once")
	_, err := r.e.Recall(context.Background(), agent("a"), model.RecallRequest{Namespace: ns, Query: "harbour"})
	require.NoError(t, err)
	require.Len(t, r.refusals(), 2, "the repeats are the operator's")
	r.encode(text(2))
	all := r.refusals()
	require.Len(t, all, 3)
	require.Equal(t, uint32(4), all[2].fact.Count)
	require.Zero(t, all[2].agent)
	r.pass(2 * time.Minute)
	code(t, model.CodePolicyDenied, r.forgetAs(operator, id))
	require.Len(t, r.refusals(), 4, "a minute later it is news again")
	space, _ := r.p.SpaceByName(ns)
	require.Equal(t, uint64(7), space.Brain().Refused)
	r.audit()
}

func TestRefusal_AFailedCommitLosesNoCount(t *testing.T) {
	r, id := pinned(t)
	r.mem.Faults.FailAppend(1, errDisk)
	code(t, model.CodePolicyDenied, r.forgetAs(operator, id)) // its fact is not written
	require.Empty(t, r.refusals())
	r.pass(5 * time.Second)
	code(t, model.CodePolicyDenied, r.forgetAs(operator, id))
	require.Len(t, r.refusals(), 1, "no first is lost")
	for range 3 {
		code(t, model.CodePolicyDenied, r.forgetAs(operator, id))
	}
	r.mem.Faults.FailAppend(1, errDisk)
	_, err := r.reinforce(id)
	code(t, model.CodeUnavailable, err)
	r.pass(5 * time.Second)
	_, err = r.reinforce(id)
	require.NoError(t, err)
	all := r.refusals()
	require.Len(t, all, 2)
	require.Equal(t, uint32(3), all[1].fact.Count)
	r.audit()
}

// TestRefusal_DEC_3_GivesTheTickBack refuses a reinforcement, which had its tick already.
func TestRefusal_DEC_3_GivesTheTickBack(t *testing.T) {
	r := newRig(t)
	ids := r.seed(2)
	_, err := r.mutate(model.VerbForget, ids[0])
	require.NoError(t, err)
	for range 3 {
		_, err = r.reinforce(ids[0])
		code(t, model.CodeStateConflict, err)
		require.Equal(t, model.Tick(2), r.tick(ns))
	}
	got, err := r.reinforce(ids[1])
	require.NoError(t, err)
	require.Equal(t, model.Tick(3), got.Tick)
	all := r.refusals()
	require.Len(t, all, 2)
	require.Equal(t, model.Archived, all[0].fact.From)
	require.Equal(t, uint32(2), all[1].fact.Count)
	r.audit()
	require.Equal(t, model.Tick(3), r.tick(ns))
}

// TestRefusal_ARefusedTextIsStoredNowhere: the content record of an update that policy denies is not written.
func TestRefusal_ARefusedTextIsStoredNowhere(t *testing.T) {
	r := newRig(t)
	id := r.encodeAs(operator, model.EncodeRequest{Namespace: ns, Text: text(1), PolicyFlags: []model.PolicyFlag{model.FlagLegalHold}}).ID
	secret := "A text that the hold forbids."
	_, err := r.e.Update(context.Background(), operator, model.UpdateRequest{Namespace: ns, ID: id, Text: &secret})
	code(t, model.CodePolicyDenied, err)
	require.Len(t, r.refusals(), 1)
	_, contents := r.halves()
	for content, err := range contents.Scan(context.Background(), 1, 1) {
		require.NoError(t, err)
		require.NotContains(t, string(content.Body), secret)
	}
	require.Equal(t, text(1), r.inspect(id).CompactText)
	r.audit()
}

func TestRefusal_NRM_7_ValidationAndNotFoundLeaveNoFact(t *testing.T) {
	ctx := context.Background()
	r := newRig(t)
	id := r.seed(1)[0]
	head := r.head()
	_, err := r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: ns, Text: " "})
	code(t, model.CodeValidation, err)
	_, err = r.e.Encode(ctx, operator, model.EncodeRequest{Namespace: ns, Text: "x", Goals: []model.MemoryID{r.newID()}})
	code(t, model.CodeNotFound, err)
	_, err = r.reinforce(r.newID())
	code(t, model.CodeNotFound, err)
	_, err = r.e.Mutate(ctx, operator, model.VerbPin, model.MemoryRequest{Namespace: ns, ID: id, IfRevision: 7})
	code(t, model.CodeVersionConflict, err)
	bad := rows(ns, 3, "")
	bad.Requests[1].Lineage = []model.MemoryID{r.newID()}
	_, err = r.e.Mutate(ctx, operator, model.VerbRecall, model.MemoryRequest{Namespace: ns, ID: id})
	code(t, model.CodeValidation, err)
	require.Equal(t, head, r.head())
	_, err = r.e.Import(ctx, operator, bad)
	code(t, model.CodeNotFound, err)
	require.Empty(t, r.refusals())
	require.Equal(t, 1, r.p.Namespaces()[0].Memories)
	r.audit()
}
