package brain_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/model"
)

// TestRandom_DET_3_LiveReplayRebuiltAndReopenedAgree lets several callers send random requests to several namespaces, with memories
// that panic and disks that fail now and then. Whatever happens, the log verifies and every way to the state gives one digest.
func TestRandom_DET_3_LiveReplayRebuiltAndReopenedAgree(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			fuse := newCharge()
			options := []rigOption{memories(fuse.wrap)}
			if seed == 0 {
				options = append(options, onBolt)
			}
			r := newRig(t, options...)
			spaces := []string{"left", "right", "team/inner"}
			var group sync.WaitGroup
			lives := make([]*life, 6)
			for c := range lives {
				lives[c] = &life{r: r, fuse: fuse, random: rand.New(rand.NewPCG(seed, uint64(c))), caller: agent([]string{"a", "b", ""}[c%3]), acked: map[string]int{}}
				lives[c].caller.Operator = c == 5
				group.Go(func() {
					for range 60 {
						lives[c].step(spaces[lives[c].random.IntN(len(spaces))])
					}
				})
			}
			group.Wait()
			r.pass(1e10)
			acked := map[string]int{}
			for _, l := range lives {
				for name, n := range l.acked {
					acked[name] += n
				}
			}
			for _, each := range r.p.Namespaces() {
				require.GreaterOrEqual(t, each.Memories, acked[each.Name], "nothing acknowledged is lost")
			}
			r.audit()
		})
	}
}

// life is one caller of the property test.
type life struct {
	r      *rig
	fuse   *charge
	random *rand.Rand
	caller model.Caller
	known  []model.MemoryID
	acked  map[string]int // memories acknowledged by namespace
}

func (l *life) step(space string) {
	ctx := context.Background()
	id := l.r.newID()
	if len(l.known) > 0 {
		id = l.known[l.random.IntN(len(l.known))]
	}
	topic := fmt.Sprintf("topic-%d", l.random.IntN(12))
	one := model.MemoryRequest{Namespace: space, ID: id}
	var err error
	switch n := l.random.IntN(20); {
	case n < 7:
		var got model.EncodeReply
		got, err = l.r.e.Encode(ctx, l.caller, model.EncodeRequest{
			Namespace: space, Text: "The harbour and " + topic, Tags: []string{topic}, Visibility: model.Visibility(1 + l.random.IntN(3)),
		})
		if err == nil {
			l.known, l.acked[space] = append(l.known, got.ID), l.acked[space]+1
		}
	case n < 12:
		_, err = l.r.e.Recall(ctx, l.caller, model.RecallRequest{Namespace: space, Query: "harbour " + topic, Limit: 1 + l.random.IntN(8)})
	case n < 14:
		fresh := "Revised: " + topic
		_, err = l.r.e.Update(ctx, l.caller, model.UpdateRequest{Namespace: space, ID: id, Text: &fresh, Tags: &[]string{topic, "revised"}})
	case n < 18:
		verbs := []model.Verb{model.VerbReinforce, model.VerbPin, model.VerbUnpin, model.VerbForget, model.VerbRestore}
		_, err = l.r.e.Mutate(ctx, l.caller, verbs[l.random.IntN(len(verbs))], one)
	case n == 18:
		var got model.ImportReply
		got, err = l.r.e.Import(ctx, l.caller, rows(space, 3, ""))
		if err == nil {
			l.acked[space] += got.Created
		}
	default:
		l.mischief(id)
	}
	l.allowed(err)
}

// mischief breaks something.
func (l *life) mischief(id model.MemoryID) {
	switch l.random.IntN(4) {
	case 0:
		l.fuse.place(id, 1)
	case 1:
		l.r.pass(1e10)
	case 2:
		if l.r.mem != nil {
			l.r.mem.Faults.FailAppend(1+l.random.IntN(3), errDisk)
		}
	case 3:
		if l.r.mem != nil {
			l.r.mem.Faults.LosePut(1+l.random.IntN(3), errDisk)
		}
	}
}

// allowed demands that a refusal is one that the test provokes.
func (l *life) allowed(err error) {
	switch model.CodeOf(err) {
	case "", model.CodeNotFound, model.CodeStateConflict, model.CodePolicyDenied, model.CodeBusy:
	case model.CodeUnavailable:
		l.r.pass(1e10)
	case model.CodeInternal, model.CodeCorrupt: // a memory that panics, and one that did so too often
		if !errors.Is(err, actors.ErrPanicked) && !errors.Is(err, actors.ErrQuarantined) {
			l.r.t.Errorf("unexpected: %v", err)
		}
	default:
		l.r.t.Errorf("unexpected: %v", err)
	}
}
