package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

var params = model.DefaultParams()

func memoryID(n byte) model.MemoryID { return model.MemoryID{0: 1, 6: 0x70, 8: 0x80, 15: n} }

func birth(id model.MemoryID) *memory.Birth {
	return &memory.Birth{
		Encode: model.Encode{ID: id, Draft: model.Memory{
			Type: model.TypeFact, Kind: model.Semantic, SourceKind: model.SourceAPI, SourceRef: 1, SourceRefOf: model.OriginDerived,
		}},
		Content: model.ContentRef{Number: 1, TextBytes: 4},
	}
}

// born is a memory at version 1.
func born(t testing.TB, id model.MemoryID) *model.Memory {
	t.Helper()
	b := birth(id)
	fact, err := model.DecideEncode(b.Encode, b.Content, b.Payload, params, model.Moment{Tick: 1, Now: 1})
	require.NoError(t, err)
	return model.Apply(nil, fact)
}

// disk is what a Loader reads.
type disk struct {
	mu     sync.Mutex
	memory *model.Memory
	head   eventlog.Seq
	err    error
	loads  int
}

func (d *disk) load(model.MemoryID) (*model.Memory, eventlog.Seq, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loads++
	return d.memory, d.head, d.err
}

func (d *disk) set(m *model.Memory, head eventlog.Seq, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.memory, d.head, d.err = m, head, err
}

// subject is an actor under test.
type subject struct {
	t   testing.TB
	ref actors.Ref
}

func start(t testing.TB, id model.MemoryID, load memory.Loader) subject {
	t.Helper()
	system := actors.NewSystem(actors.Options{})
	t.Cleanup(func() { require.NoError(t, system.Shutdown(context.Background())) })
	ref, err := system.Spawn(memory.Name(id), func() actors.Actor { return memory.New(load) })
	require.NoError(t, err)
	return subject{t, ref}
}

func (s subject) tell(msg any) {
	s.t.Helper()
	require.NoError(s.t, s.ref.Tell(msg))
}

// propose asks and waits for the answer.
func (s subject) propose(p memory.Propose) memory.Proposed {
	s.t.Helper()
	answer := make(chan memory.Proposed, 2)
	p.Params, p.Reply = &params, func(got memory.Proposed) { answer <- got }
	if err := s.ref.Tell(p); err != nil {
		return memory.Proposed{Err: err}
	}
	return <-answer
}

func (s subject) reinforce(tick model.Tick) memory.Proposed {
	s.t.Helper()
	return s.propose(memory.Propose{Command: model.Reinforce{Cause: model.CauseRecall}, At: model.Moment{Tick: tick}, Slot: int(tick)})
}

func TestPropose_DecidesOnWhatIsInFlight(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	first, second := s.reinforce(2), s.reinforce(3)
	require.Equal(t, d.memory, first.Was)
	require.Equal(t, uint64(2), first.Next.Version)
	require.Same(t, first.Next, second.Was, "the second decision starts from the first, which nobody has synced")
	require.Equal(t, uint32(2), second.Next.RecallCount)
	require.Equal(t, []int{2, 3}, []int{first.Slot, second.Slot})
	require.Equal(t, eventlog.Seq(3), second.Head)

	s.tell(memory.Settle{Seq: 9, Next: first.Next})
	third := s.reinforce(4)
	require.Same(t, second.Next, third.Was)
	require.Equal(t, eventlog.Seq(9), third.Head)
	require.Equal(t, 1, d.loads, "no decision reads the disk")
}

func TestPropose_NothingToChangeIsNoProposal(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	got := s.propose(memory.Propose{Command: model.Unpin{}})
	require.NoError(t, got.Err)
	require.Empty(t, got.Facts)
	require.Same(t, d.memory, got.Next)
	require.Same(t, d.memory, s.reinforce(2).Was)
}

func TestPropose_RefusalLeavesTheStateAlone(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	pinned := s.propose(memory.Propose{Command: model.Pin{}})
	refused := s.propose(memory.Propose{Command: model.Archive{Reason: model.ArchivedForgotten}})
	var denial *model.RefusedError
	require.ErrorAs(t, refused.Err, &denial)
	require.Equal(t, model.CodePolicyDenied, model.CodeOf(refused.Err))
	require.Same(t, pinned.Next, s.reinforce(2).Was)
}

func TestBirth_OnceOnly(t *testing.T) {
	id := memoryID(1)
	s := start(t, id, (&disk{}).load)
	require.Equal(t, model.CodeNotFound, model.CodeOf(s.reinforce(1).Err), "there is nothing to reinforce yet")
	got := s.propose(memory.Propose{Birth: birth(id), At: model.Moment{Tick: 1}})
	require.NoError(t, got.Err)
	require.Nil(t, got.Was)
	require.Equal(t, uint64(1), got.Next.Version)
	require.ErrorContains(t, s.propose(memory.Propose{Birth: birth(id)}).Err, "exists already")
	s.tell(memory.Revert{})
	require.NoError(t, s.propose(memory.Propose{Birth: birth(id), At: model.Moment{Tick: 1}}).Err, "the birth was reverted")
}

func TestRevert_ReturnsToTheDurableState(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	s.reinforce(2)
	second := s.reinforce(3)
	d.set(d.memory, 7, nil)
	s.tell(memory.Revert{})
	got := s.reinforce(4)
	require.Same(t, d.memory, got.Was)
	require.NotSame(t, second.Next, got.Was)
	require.Equal(t, eventlog.Seq(7), got.Head)
}

func TestRebase_TakesUpWhatARestartLost(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	first, second := s.reinforce(2), s.reinforce(3)
	s.tell(memory.Revert{}) // as a restart does
	s.tell(memory.Rebase{Base: second.Next})
	third := s.reinforce(4)
	require.Same(t, second.Next, third.Was)
	s.tell(memory.Settle{Seq: 10, Next: first.Next})
	require.Same(t, third.Next, s.reinforce(5).Was)
	s.tell(memory.Settle{Seq: 11, Next: second.Next})
	s.tell(memory.Settle{Seq: 12, Next: third.Next})
	require.Equal(t, eventlog.Seq(12), s.reinforce(6).Head)
}

func TestSettle_AfterARestartNeverGoesBack(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	first, second := s.reinforce(2), s.reinforce(3)
	d.set(second.Next, 11, nil) // both are durable, neither is settled
	s.tell(memory.Revert{})
	s.tell(memory.Settle{Seq: 10, Next: first.Next})
	got := s.reinforce(4)
	require.Same(t, second.Next, got.Was)
	require.Equal(t, eventlog.Seq(11), got.Head)
}

func TestSettle_WithoutProposalIsTakenAtItsWord(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	first := s.reinforce(2)
	s.tell(memory.Revert{}) // a restart that read the state before the commit
	s.tell(memory.Settle{Seq: 10, Next: first.Next})
	require.Same(t, first.Next, s.reinforce(3).Was)
}

func TestActivate_AFailureToReadIsNoVerdict(t *testing.T) {
	d := &disk{err: fmt.Errorf("read: %w", eventlog.ErrUnavailable)}
	s := start(t, memoryID(1), d.load)
	require.ErrorIs(t, s.reinforce(2).Err, eventlog.ErrUnavailable)
	d.set(born(t, memoryID(1)), 3, nil)
	require.NoError(t, s.reinforce(2).Err, "the next proposal reads again")
}

func TestActivate_AQuarantinedStreamStopsTheActor(t *testing.T) {
	d := &disk{err: fmt.Errorf("read: %w", projections.ErrQuarantined)}
	s := start(t, memoryID(1), d.load)
	require.Error(t, s.reinforce(2).Err)
	require.ErrorIs(t, s.ref.Tell(memory.Revert{}), actors.ErrStopped)
}

// wild is a command that no memory knows.
type wild struct{ model.Command }

func TestPropose_AnUnknownCommandIsAnErrorNotAPanic(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	s := start(t, memoryID(1), d.load)
	require.Equal(t, model.CodeInternal, model.CodeOf(s.propose(memory.Propose{Command: wild{}}).Err))
}

func TestPropose_APanicAnswersOnce(t *testing.T) {
	d := &disk{memory: born(t, memoryID(1)), head: 3}
	broken := true
	s := start(t, memoryID(1), func(id model.MemoryID) (*model.Memory, eventlog.Seq, error) {
		if broken {
			broken = false
			panic(errors.New("disk driver"))
		}
		return d.load(id)
	})
	require.NoError(t, s.reinforce(2).Err, "the first activation panicked, the second one answers")
}

// TestActor_M1_RandomLifeMatchesTheBrainsView keeps the ledger that a brain keeps, and demands that every decision starts
// from the state after everything accepted so far.
func TestActor_M1_RandomLifeMatchesTheBrainsView(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 5))
		d := &disk{memory: born(t, memoryID(1)), head: 1}
		s := start(t, memoryID(1), d.load)
		tentative, tick, seq := d.memory, model.Tick(1), eventlog.Seq(1)
		var flight []*model.Memory
		for range 200 {
			switch n := random.IntN(10); {
			case n < 5:
				tick++
				got := s.reinforce(tick)
				require.NoError(t, got.Err)
				require.Equal(t, tentative, got.Was, "seed %d", seed)
				tentative = got.Next
				flight = append(flight, got.Next)
			case n < 8 && len(flight) > 0:
				seq++
				d.set(flight[0], seq, nil)
				s.tell(memory.Settle{Seq: seq, Next: flight[0]})
				flight = flight[1:]
			case n == 8:
				tentative, flight = d.memory, nil
				s.tell(memory.Revert{})
			case n == 9: // a restart: the actor forgets, the brain tells it
				s.tell(memory.Revert{})
				if len(flight) > 0 {
					s.tell(memory.Rebase{Base: tentative})
				}
			}
		}
	}
}

func TestName_RoundTrip(t *testing.T) {
	id, err := model.ParseMemoryID("id", memory.Key(memory.Name(memoryID(7))))
	require.NoError(t, err)
	require.Equal(t, memoryID(7), id)
	require.Empty(t, memory.Key("m/"))
	require.Empty(t, memory.Key(""))
}
