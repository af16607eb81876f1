package actors_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

// Ten messages sent, two handled, none counted: that is protoactor's own mailbox.
func TestStop_AnswersEveryQueuedMessage(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	end := make(chan error, 10)
	for n := range 10 {
		require.NoError(t, ref.Tell(letter{n, end}))
	}
	s.Stop(ref)
	close(g.open)
	for range 10 {
		require.ErrorIs(t, receive(t, end), actors.ErrStopped)
	}
	require.EqualValues(t, 10, s.Stats().DeadLetters)
	require.ErrorIs(t, ref.Tell("x"), actors.ErrStopped)
}

func TestStop_CountsQueuedMessagesThatCannotBeAnswered(t *testing.T) {
	s := actors.NewSystem(actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	for range 10 {
		require.NoError(t, ref.Tell("x"))
	}
	s.Stop(ref)
	close(g.open)
	shutdown(t, s)
	require.EqualValues(t, 10, s.Stats().DeadLetters)
}

func TestRetire_HandlesWhatIsQueuedAndRefusesMore(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	end := make(chan error, 10)
	for n := range 10 {
		require.NoError(t, ref.Tell(letter{n, end}))
	}
	s.Retire(ref)
	s.Retire(ref)
	require.ErrorIs(t, ref.Tell("x"), actors.ErrStopped)
	close(g.open)
	for range 10 {
		require.NoError(t, receive(t, end))
	}
	require.Zero(t, s.Stats().DeadLetters)
}

func TestStop_RunsThroughTheStagesInOrder(t *testing.T) {
	s := actors.NewSystem(actors.Options{})
	var parent, child journal
	spawn(t, s, "a", probeDoing(&parent, func(c *actors.Context) bool {
		if _, ok := c.Message().(actors.Started); ok {
			_, err := c.Spawn("b", newProbe(&child))
			require.NoError(t, err)
			require.Len(t, c.Children(), 1)
		}
		return false
	}))
	require.EqualValues(t, 1+1, waitActors(s, 2))
	shutdown(t, s)
	require.Equal(t, []any{actors.Started{}, actors.Stopping{}, actors.Stopped{}}, child.all())
	got := parent.all()
	require.Len(t, got, 4)
	require.Equal(t, actors.Stopping{}, got[1])
	require.Equal(t, "b", got[2].(actors.Terminated).Name)
	require.Equal(t, actors.Stopped{}, got[3], "the parent is last")
	require.Zero(t, s.Stats().Actors)
}

// waitActors yields until n actors live.
func waitActors(s *actors.System, n int64) int64 {
	for s.Stats().Actors != n {
		runtime.Gosched()
	}
	return n
}

// A child spawned under the name of one that has just terminated must belong to the family: protoactor forgets children by name, and
// would forget the new one if the parent heard of the old one's end too early.
func TestTerminated_FreesTheNameForANewChild(t *testing.T) {
	s := actors.NewSystem(actors.Options{})
	var child journal
	respawned := make(chan error, 1)
	spawn(t, s, "a", probeDoing(nil, func(c *actors.Context) bool {
		switch m := c.Message().(type) {
		case actors.Started:
			first, err := c.Spawn("b", newProbe(nil))
			require.NoError(t, err)
			_, err = c.Spawn("b", newProbe(nil))
			require.ErrorIs(t, err, actors.ErrNameTaken)
			c.Stop(first)
		case actors.Terminated:
			if len(c.Children()) == 0 && len(child.all()) == 0 {
				second, err := c.Spawn("b", newProbe(&child))
				if err == nil && second == m.Ref {
					t.Error("a Ref must not point to the next actor of its name")
				}
				respawned <- err
			}
		}
		return false
	}))
	require.NoError(t, receive(t, respawned))
	shutdown(t, s)
	require.Equal(t, []any{actors.Started{}, actors.Stopping{}, actors.Stopped{}}, child.all(), "the new child was stopped with its parent")
}

func TestSpawn_IsRefusedWhileStopping(t *testing.T) {
	s := actors.NewSystem(actors.Options{})
	tried := make(chan error, 1)
	spawn(t, s, "a", probeDoing(nil, func(c *actors.Context) bool {
		if _, ok := c.Message().(actors.Stopping); ok {
			_, err := c.Spawn("b", newProbe(nil))
			tried <- err
		}
		return false
	}))
	shutdown(t, s)
	require.ErrorIs(t, receive(t, tried), actors.ErrStopped)
	_, err := s.Spawn("c", newProbe(nil))
	require.ErrorIs(t, err, actors.ErrStopped)
}

func TestIdleActors_HoldNoGoroutine(t *testing.T) {
	s := newSystem(t, actors.Options{})
	before := runtime.NumGoroutine()
	refs := make([]actors.Ref, 200)
	for i := range refs {
		refs[i] = spawn(t, s, actors.Name("m", string(rune('A'+i))), newProbe(nil))
	}
	for _, ref := range refs {
		settled(t, ref)
	}
	for runtime.NumGoroutine() > before+5 { // ends when the last runs have returned
		runtime.Gosched()
	}
}
