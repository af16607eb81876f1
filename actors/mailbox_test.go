package actors_test

import (
	"sync"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

type stamped struct{ sender, n int }

func TestTell_KeepsTheOrderOfEachSender(t *testing.T) {
	s := newSystem(t, actors.Options{})
	last := map[int]int{}
	disorder := 0
	ref := spawn(t, s, "a", probeDoing(nil, func(c *actors.Context) bool {
		m, ok := c.Message().(stamped)
		if ok && m.n != last[m.sender]+1 {
			disorder++
		}
		if ok {
			last[m.sender] = m.n
		}
		return false
	}))
	var senders sync.WaitGroup
	for sender := range 8 {
		senders.Go(func() {
			for n := 1; n <= 1000; n++ {
				if err := ref.TellUncapped(stamped{sender, n}); err != nil {
					t.Errorf("TellUncapped = %v", err)
				}
			}
		})
	}
	senders.Wait()
	require.Equal(t, 8001, settled(t, ref), "Started and every message, once")
	require.Zero(t, disorder)
}

func TestTell_RefusesOverTheCap(t *testing.T) {
	s := newSystem(t, actors.Options{MailboxMax: 3})
	ref := spawn(t, s, "a", newProbe(nil))
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	for range 3 {
		require.NoError(t, ref.Tell("x"))
	}
	require.ErrorIs(t, ref.Tell("x"), actors.ErrBusy)
	require.NoError(t, ref.TellUncapped("x"), "an answer that the actor waits for is not refused")
	require.EqualValues(t, 1, s.Stats().Busy)
	close(g.open)
	require.Equal(t, 6, settled(t, ref))
	require.NoError(t, ref.Tell("x"), "there is room again")
}

func TestTell_AnActorMayFillItsOwnMailbox(t *testing.T) {
	s := newSystem(t, actors.Options{})
	got := make(chan error, 3)
	ref := spawn(t, s, "a", probeDoing(nil, func(c *actors.Context) bool {
		if c.Message() == "go" {
			for range 3 {
				got <- c.Tell(c.Self(), "x")
			}
		}
		return false
	}), actors.MailboxMax(2))
	require.NoError(t, ref.Tell("go"))
	require.NoError(t, receive(t, got))
	require.NoError(t, receive(t, got))
	require.ErrorIs(t, receive(t, got), actors.ErrBusy, "refused, where protoactor's Bounded mailbox deadlocks")
}

func TestTell_RefusesTheZeroRef(t *testing.T) {
	require.ErrorIs(t, actors.Ref{}.Tell("x"), actors.ErrStopped)
	require.True(t, actors.Ref{}.Zero())
	require.Empty(t, actors.Ref{}.Name())
}

func TestMailbox_HonoursSuspendAndResume(t *testing.T) {
	s := newSystem(t, actors.Options{})
	var j journal
	ref := spawn(t, s, "a", newProbe(&j))
	settled(t, ref)
	process, ok := s.ActorSystem().ProcessRegistry.Get(ref.PID())
	require.True(t, ok)

	process.SendSystemMessage(ref.PID(), &actor.SuspendMailbox{})
	require.NoError(t, ref.Tell("held"))
	watcher := newWatcher(s)
	process.SendSystemMessage(ref.PID(), &actor.Watch{Watcher: watcher.pid})
	process.SendSystemMessage(ref.PID(), &actor.Stop{})
	receive(t, watcher.gone)
	require.NotContains(t, j.all(), "held", "system messages pass a suspended mailbox, others do not")
	require.EqualValues(t, 1, s.Stats().DeadLetters)

	again := spawn(t, s, "b", newProbe(&j))
	process, _ = s.ActorSystem().ProcessRegistry.Get(again.PID())
	process.SendSystemMessage(again.PID(), &actor.SuspendMailbox{})
	require.NoError(t, again.Tell("later"))
	process.SendSystemMessage(again.PID(), &actor.ResumeMailbox{})
	require.Equal(t, 2, settled(t, again))
	require.Contains(t, j.all(), "later")
}

func TestMailbox_SystemMessagesGoFirst(t *testing.T) {
	s := newSystem(t, actors.Options{})
	var j journal
	ref := spawn(t, s, "a", newProbe(&j))
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	l := letter{end: make(chan error, 1)}
	require.NoError(t, ref.Tell(l))
	s.Stop(ref)
	close(g.open)
	require.ErrorIs(t, receive(t, l.end), actors.ErrStopped)
	require.NotContains(t, j.all(), l)
}

// watcher is a host's process that waits for Terminated.
type watcher struct {
	pid  *actor.PID
	gone chan struct{}
}

func newWatcher(s *actors.System) watcher {
	w := watcher{gone: make(chan struct{})}
	w.pid = s.ActorSystem().Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		if _, ok := c.Message().(*actor.Terminated); ok {
			close(w.gone)
		}
	}))
	return w
}

func TestMailbox_ADeadActorAnswersWatch(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	process, _ := s.ActorSystem().ProcessRegistry.Get(ref.PID())
	first := newWatcher(s)
	process.SendSystemMessage(ref.PID(), &actor.Watch{Watcher: first.pid})
	s.Stop(ref)
	receive(t, first.gone)
	late := newWatcher(s)
	process.SendSystemMessage(ref.PID(), &actor.Watch{Watcher: late.pid})
	receive(t, late.gone)
}
