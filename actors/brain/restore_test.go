package brain_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// dumpOf reads a namespace out of a rig, as an export does.
func dumpOf(t testing.TB, from *rig, into string) brain.Dump {
	t.Helper()
	ctx := context.Background()
	log, contents := from.halves()
	d := brain.Dump{Namespace: into}
	for s, err := range contents.Symbols(ctx, 1) {
		require.NoError(t, err)
		d.Symbols = append(d.Symbols, s)
	}
	for c, err := range contents.Scan(ctx, 1, 1) {
		require.NoError(t, err)
		d.Contents = append(d.Contents, c)
	}
	for record, err := range log.Scan(ctx, 1) {
		require.NoError(t, err)
		commit := record.Commit
		d.Commits = append(d.Commits, &commit)
	}
	return d
}

func lived(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.ids.Store(1 << 20) // other ids than the rig has that it is restored into
	ids := r.seed(5)
	r.recall("harbour topic-2")
	_, err := r.reinforce(ids[1])
	require.NoError(t, err)
	_, err = r.mutate(model.VerbForget, ids[2])
	require.NoError(t, err)
	return r
}

func TestRestore_IntoANameWhoseBrainIsAwake(t *testing.T) {
	from, r := lived(t), newRig(t)
	_, err := r.e.Encode(context.Background(), operator, model.EncodeRequest{Namespace: ns, Text: "x", Goals: []model.MemoryID{r.newID()}})
	code(t, model.CodeNotFound, err) // the brain is awake, the namespace is not born
	d := dumpOf(t, from, ns)
	require.Equal(t, 5, d.Memories())
	_, err = r.e.Restore(context.Background(), d)
	require.NoError(t, err)
	for {
		if _, err = r.e.Encode(context.Background(), operator, model.EncodeRequest{Namespace: ns, Text: text(1)}); err == nil {
			break
		}
		code(t, model.CodeBusy, err) // until the brain has heard that it is over
	}
	require.Equal(t, from.tick(ns)+1, r.tick(ns))
	require.Equal(t, 6, r.p.Namespaces()[0].Memories)
	r.audit()
	_, err = r.e.Restore(context.Background(), dumpOf(t, from, ns))
	code(t, model.CodeStateConflict, err)
}

func TestRestore_WritersOfTheNameWaitOrAreBusy(t *testing.T) {
	from, r := lived(t), newRig(t)
	entered, release := r.mem.Faults.BlockSync()
	done := later(func() (eventlog.Seq, error) { return r.e.Restore(context.Background(), dumpOf(t, from, ns)) })
	<-entered // the name
	other := later(func() (model.EncodeReply, error) {
		return r.e.Encode(context.Background(), operator, model.EncodeRequest{Namespace: ns, Text: text(7)})
	})
	release()
	require.NoError(t, (<-done).err)
	if got := <-other; got.err != nil {
		code(t, model.CodeBusy, got.err)
	}
	r.audit()
}

func TestRestore_AFailureLeavesNothingAndAnythingMayFollow(t *testing.T) {
	from := lived(t)
	for name, plan := range map[string]func(*eventlog.Faults){
		"the name":     func(f *eventlog.Faults) { f.FailPut(1, errDisk) },
		"the symbols":  func(f *eventlog.Faults) { f.FailPut(2, errDisk) },
		"the contents": func(f *eventlog.Faults) { f.FailPut(3, errDisk) },
		"the commits":  func(f *eventlog.Faults) { f.FailAppend(1, errDisk) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			plan(&r.mem.Faults)
			_, err := r.e.Restore(context.Background(), dumpOf(t, from, ns))
			code(t, model.CodeUnavailable, err)
			require.Empty(t, r.p.Namespaces())
			r.pass(5 * time.Second)
			for {
				_, err = r.e.Encode(context.Background(), operator, model.EncodeRequest{Namespace: ns, Text: text(1), Tags: []string{"fresh"}})
				if err == nil {
					break
				}
				require.Contains(t, []model.Code{model.CodeBusy, model.CodeUnavailable}, model.CodeOf(err))
			}
			require.Equal(t, []string{"fresh"}, r.inspect(r.recall("harbour").Results[0].ID).Tags)
			code(t, model.CodeStateConflict, r.e.CheckFree(ns))
			_, err = r.e.Restore(context.Background(), dumpOf(t, from, "elsewhere"))
			require.NoError(t, err)
			r.audit()
		})
	}
}

func TestRestore_RefusesStreamsWithGaps(t *testing.T) {
	d := dumpOf(t, lived(t), ns)
	d.Commits = append(d.Commits[:2], d.Commits[3:]...)
	r := newRig(t)
	_, err := r.e.Restore(context.Background(), d)
	code(t, model.CodeValidation, err)
	require.Zero(t, r.head())
	r.recovered(ns)
	_, contents := r.halves()
	for range contents.Scan(context.Background(), 1, 1) {
		t.Error("contents of a refused export stay")
	}
}
