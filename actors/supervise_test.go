package actors_test

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

func tellFault(t *testing.T, ref actors.Ref, value any) error {
	t.Helper()
	f := fault{actors.NewPromise[string](), value}
	require.NoError(t, ref.Tell(f))
	return waitErr(t, f.Promise)
}

func TestPanic_AnswersTheMessageAndRestarts(t *testing.T) {
	s := newSystem(t, actors.Options{})
	var j journal
	ref := spawn(t, s, "a", newProbe(&j))
	settled(t, ref)
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	f := fault{actors.NewPromise[string](), errBoom}
	require.NoError(t, ref.Tell(f))
	require.NoError(t, ref.Tell("queued"))
	close(g.open)

	err := waitErr(t, f.Promise)
	require.ErrorIs(t, err, actors.ErrPanicked)
	require.ErrorIs(t, err, errBoom)
	var p *actors.PanicError
	require.ErrorAs(t, err, &p)
	require.Equal(t, "a", p.Name)
	require.Equal(t, 2, settled(t, ref), "a new incarnation saw Started and what was queued")
	got := j.all()
	require.Equal(t, []any{actors.Restarting{}, actors.Started{}, "queued"}, got[4:7])
	require.Equal(t, actors.Stats{Actors: 1, Panics: 1, Restarts: 1}, s.Stats())
}

func TestPanic_TheFourthWithinTenSecondsStopsForGood(t *testing.T) {
	var quarantined atomic.Pointer[actors.Quarantined]
	told := make(chan struct{})
	s := newSystem(t, actors.Options{OnQuarantine: func(q actors.Quarantined) { quarantined.Store(&q); close(told) }})
	ref := spawn(t, s, "a", newProbe(nil))
	for range 3 {
		require.ErrorIs(t, tellFault(t, ref, "x"), actors.ErrPanicked)
	}
	settled(t, ref)
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	f := fault{actors.NewPromise[string](), "x"}
	l := letter{end: make(chan error, 1)}
	require.NoError(t, ref.Tell(f))
	require.NoError(t, ref.Tell(l))
	close(g.open)
	require.ErrorIs(t, waitErr(t, f.Promise), actors.ErrPanicked)
	require.ErrorIs(t, receive(t, l.end), actors.ErrQuarantined)
	receive(t, told)
	require.Equal(t, "a", quarantined.Load().Name)
	require.Equal(t, ref, quarantined.Load().Ref)
	require.ErrorIs(t, quarantined.Load().Err, actors.ErrPanicked)
	require.ErrorIs(t, ref.Tell("x"), actors.ErrStopped)
	st := s.Stats()
	require.EqualValues(t, 3, st.Restarts)
	require.EqualValues(t, 1, st.Quarantined)
}

func TestPanic_OldOnesAreForgiven(t *testing.T) {
	var now atomic.Int64
	s := newSystem(t, actors.Options{Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	ref := spawn(t, s, "a", newProbe(nil))
	for range 20 {
		require.ErrorIs(t, tellFault(t, ref, "x"), actors.ErrPanicked)
		settled(t, ref)
		now.Add(4)
	}
	require.EqualValues(t, 20, s.Stats().Restarts)
	require.Zero(t, s.Stats().Quarantined)
}

func TestPanic_TouchesNoOtherAndWaitsForNoParent(t *testing.T) {
	s := newSystem(t, actors.Options{})
	kids := make(chan actors.Ref, 2)
	heard := make(chan actors.Restarted, 1)
	var sibling journal
	parent := spawn(t, s, "p", probeDoing(nil, func(c *actors.Context) bool {
		switch m := c.Message().(type) {
		case actors.Started:
			for name, j := range map[string]*journal{"bad": nil, "good": &sibling} {
				ref, err := c.Spawn(name, newProbe(j))
				require.NoError(t, err)
				kids <- ref
			}
		case actors.Restarted:
			heard <- m
		}
		return false
	}))
	settled(t, parent)
	bad, good := receive(t, kids), receive(t, kids)
	if bad.Name() != "bad" {
		bad, good = good, bad
	}
	g := newGate()
	require.NoError(t, parent.Tell(g))
	receive(t, g.reached) // the parent is busy from here on
	require.ErrorIs(t, tellFault(t, bad, "x"), actors.ErrPanicked)
	require.Equal(t, 1, settled(t, bad), "restarted while its parent blocks")
	require.Equal(t, 1, settled(t, good))
	close(g.open)
	require.Equal(t, "bad", receive(t, heard).Name)
	require.NotContains(t, sibling.all(), actors.Restarting{})
}

func TestPanic_OfAParentStopsItsChildrenFirst(t *testing.T) {
	s := newSystem(t, actors.Options{})
	var child journal
	incarnation := 0
	ref := spawn(t, s, "p", probeDoing(nil, func(c *actors.Context) bool {
		if _, ok := c.Message().(actors.Started); ok {
			incarnation++
			require.Empty(t, c.Children())
			_, err := c.Spawn("child", newProbe(&child))
			require.NoError(t, err, "the name is free again in incarnation %d", incarnation)
		}
		return false
	}))
	require.ErrorIs(t, tellFault(t, ref, "x"), actors.ErrPanicked)
	settled(t, ref)
	require.Equal(t, 2, incarnation)
	waitActors(s, 2)
	seen := child.all()
	require.Subset(t, seen, []any{actors.Started{}, actors.Stopping{}, actors.Stopped{}})
}

func TestPanic_InTheProducerIsCountedToo(t *testing.T) {
	told := make(chan actors.Quarantined, 1)
	s := newSystem(t, actors.Options{OnQuarantine: func(q actors.Quarantined) { told <- q }})
	spawn(t, s, "a", func() actors.Actor { panic(errBoom) })
	require.ErrorIs(t, receive(t, told).Err, errBoom)
	require.EqualValues(t, 4, s.Stats().Panics)
	waitActors(s, 0)
}

func TestPanic_InStoppingDoesNotStopTheStopping(t *testing.T) {
	s := actors.NewSystem(actors.Options{})
	spawn(t, s, "a", probeDoing(nil, func(c *actors.Context) bool {
		switch c.Message().(type) {
		case actors.Stopping, actors.Stopped:
			panic("x")
		}
		return false
	}))
	shutdown(t, s)
	require.EqualValues(t, 2, s.Stats().Panics)
	require.Zero(t, s.Stats().Restarts)
}

func TestPanic_OfOnQuarantineDoesNotReachTheRoot(t *testing.T) {
	s := newSystem(t, actors.Options{OnQuarantine: func(actors.Quarantined) { panic("x") }})
	other := spawn(t, s, "other", newProbe(nil))
	spawn(t, s, "a", func() actors.Actor { panic(errBoom) })
	waitActors(s, 1)
	require.Equal(t, 1, settled(t, other))
	spawn(t, s, "b", newProbe(nil))
	require.Equal(t, 2, settled(t, other))
}

func TestGoexit_IsAPanic(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", probeDoing(nil, func(c *actors.Context) bool {
		if _, ok := c.Message().(fault); ok {
			runtime.Goexit()
		}
		return false
	}))
	require.ErrorIs(t, tellFault(t, ref, nil), actors.ErrPanicked)
	require.Equal(t, 1, settled(t, ref))
}

func TestQuarantine_StopsAtOnceAndTellsTheParent(t *testing.T) {
	s := newSystem(t, actors.Options{})
	corrupt := errors.New("stream is corrupt")
	heard := make(chan any, 4)
	parent := spawn(t, s, "p", probeDoing(nil, func(c *actors.Context) bool {
		switch m := c.Message().(type) {
		case actors.Started:
			_, err := c.Spawn("child", probeDoing(nil, func(c *actors.Context) bool {
				if _, ok := c.Message().(actors.Started); ok {
					c.Quarantine(corrupt)
				}
				return false
			}))
			require.NoError(t, err)
		case actors.Quarantined, actors.Terminated:
			heard <- m
		}
		return false
	}))
	q, ok := receive(t, heard).(actors.Quarantined)
	require.True(t, ok, "Quarantined comes before Terminated")
	require.ErrorIs(t, q.Err, corrupt)
	require.ErrorIs(t, q.Err, actors.ErrQuarantined)
	require.Equal(t, "child", receive(t, heard).(actors.Terminated).Name)
	settled(t, parent)
	require.Zero(t, s.Stats().Restarts)
}

func TestUndelivered_MayPanic(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	end := make(chan error, 1)
	require.NoError(t, ref.Tell(spiteful{}))
	require.NoError(t, ref.Tell(letter{end: end}))
	s.Stop(ref)
	close(g.open)
	require.ErrorIs(t, receive(t, end), actors.ErrStopped)
}

type spiteful struct{}

func (spiteful) Undelivered(error) { panic("x") }
