package actors_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

// routed is a message for the child of key.
type routed struct {
	key int
	msg any
	out chan error // what Route returned; may be nil
}

// within runs f inside the parent's Receive.
type within struct {
	f    func(c *actors.Context, r *actors.Router[int])
	done chan struct{}
}

// parent is the actor around a router, as a brain is.
type parent struct {
	opts   actors.RouterOptions[int]
	router *actors.Router[int]
	heard  func(msg any)
}

func (p *parent) Receive(c *actors.Context) {
	switch m := c.Message().(type) {
	case actors.Started:
		p.router = actors.NewRouter(p.opts)
	case routed:
		err := p.router.Route(c, m.key, m.msg)
		if m.out != nil {
			m.out <- err
		}
	case within:
		m.f(c, p.router)
		close(m.done)
	case actors.Terminated:
		p.router.Terminated(c, m)
	case actors.Quarantined:
		p.router.Quarantined(m)
	case fault:
		panic(m.value)
	}
	if p.heard != nil {
		p.heard(c.Message())
	}
}

func childName(key int) string { return actors.Name("m", strconv.Itoa(key)) }

type family struct {
	t   *testing.T
	sys *actors.System
	ref actors.Ref
}

func newFamily(t *testing.T, opts actors.RouterOptions[int], heard func(any)) family {
	t.Helper()
	s := newSystem(t, actors.Options{})
	opts.Name = childName
	ref := spawn(t, s, "brain", func() actors.Actor { return &parent{opts: opts, heard: heard} }, actors.MailboxMax(1<<20))
	return family{t, s, ref}
}

func (f family) do(fn func(c *actors.Context, r *actors.Router[int])) {
	f.t.Helper()
	w := within{fn, make(chan struct{})}
	require.NoError(f.t, f.ref.TellUncapped(w))
	receive(f.t, w.done)
}

func (f family) route(key int, msg any) error {
	f.t.Helper()
	out := make(chan error, 1)
	require.NoError(f.t, f.ref.Tell(routed{key, msg, out}))
	return receive(f.t, out)
}

// until polls the router until it is as cond says: Terminated arrives when it arrives.
func (f family) until(cond func(r *actors.Router[int]) bool) {
	f.t.Helper()
	for ok := false; !ok; {
		f.do(func(_ *actors.Context, r *actors.Router[int]) { ok = cond(r) })
	}
}

func (f family) settle(key int) int {
	f.t.Helper()
	q := ask{actors.NewPromise[int]()}
	require.NoError(f.t, f.route(key, q))
	return wait(f.t, q.Promise)
}

// Eight senders, room for three of forty children, a sweep now and then: every message is handled once, in the order of its sender.
func TestRouter_PassivationLosesNoMessage(t *testing.T) {
	const senders, keys, each = 8, 40, 4000
	type seen struct{ key, sender int }
	var mu sync.Mutex
	last := map[seen]int{}
	handled, activations := 0, 0
	child := probeDoing(nil, func(c *actors.Context) bool {
		mu.Lock()
		defer mu.Unlock()
		switch m := c.Message().(type) {
		case actors.Started:
			activations++
		case stamped:
			handled++
			var key int
			fmt.Sscanf(c.Name(), "m/%d", &key)
			at := seen{key, m.sender}
			if m.n <= last[at] {
				t.Errorf("key %d, sender %d: %d after %d", key, m.sender, m.n, last[at])
			}
			last[at] = m.n
		}
		return true
	})
	f := newFamily(t, actors.RouterOptions[int]{Producer: child, ResidentMax: 3, PendingMax: senders * each}, nil)
	var all sync.WaitGroup
	for sender := range senders {
		all.Go(func() {
			for n := 1; n <= each; n++ {
				key := (n*7 + sender*13) % keys
				if err := f.ref.TellUncapped(routed{key, stamped{sender, n}, nil}); err != nil {
					t.Errorf("Tell = %v", err)
				}
				if n%500 == 0 {
					f.do(func(c *actors.Context, r *actors.Router[int]) {
						r.Sweep(c, time.Now().Add(time.Hour))
					})
				}
			}
		})
	}
	all.Wait()
	f.until(func(r *actors.Router[int]) bool { return r.Pending() == 0 })
	f.do(func(c *actors.Context, r *actors.Router[int]) {
		r.Sweep(c, time.Now().Add(time.Hour))
		require.Zero(t, r.Resident())
	})
	f.until(func(r *actors.Router[int]) bool { return r.Stopping() == 0 })
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, senders*each, handled)
	require.Greater(t, activations, keys, "children were passivated and came back")
	require.Zero(t, f.sys.Stats().DeadLetters)
	require.EqualValues(t, 1, f.sys.Stats().Actors)
	t.Logf("%d messages, %d activations", handled, activations)
}

func TestRouter_EvictsTheLongestUnusedNeverTheNewest(t *testing.T) {
	f := newFamily(t, actors.RouterOptions[int]{Producer: newProbe(nil), ResidentMax: 1}, nil)
	for key := range 5 {
		require.Equal(t, 1, f.settle(key))
		f.do(func(_ *actors.Context, r *actors.Router[int]) { require.Equal(t, 1, r.Resident()) })
	}
	require.Equal(t, 2, f.settle(4), "the newest has stayed")
	require.Equal(t, 1, f.settle(0), "the first went and came back")
}

func TestRouter_KeepsHeldChildren(t *testing.T) {
	f := newFamily(t, actors.RouterOptions[int]{Producer: newProbe(nil), ResidentMax: 2, IdleAfter: time.Minute}, nil)
	f.do(func(_ *actors.Context, r *actors.Router[int]) {
		require.False(t, r.Hold(0), "unknown")
		require.False(t, r.Release(0))
	})
	for key := range 3 {
		require.Equal(t, 1, f.settle(key))
		f.do(func(_ *actors.Context, r *actors.Router[int]) { require.True(t, r.Hold(key)) })
	}
	f.do(func(c *actors.Context, r *actors.Router[int]) {
		require.True(t, r.Hold(0))
		require.Zero(t, r.Sweep(c, time.Now().Add(time.Hour)))
		require.Equal(t, 3, r.Resident(), "over the cap, because all are held")
	})
	for key := range 3 {
		require.Equal(t, 2, f.settle(key))
	}
	f.do(func(c *actors.Context, r *actors.Router[int]) {
		require.True(t, r.Release(0))
		require.Equal(t, 3, r.Resident(), "held twice")
		require.True(t, r.Release(1))
		require.Equal(t, 3, r.Resident(), "just used: the newest is spared")
		require.True(t, r.Release(2))
		require.Equal(t, 2, r.Resident(), "1 went")
		require.Equal(t, 1, r.Sweep(c, time.Now().Add(time.Hour)))
		require.Equal(t, 1, r.Resident())
	})
	require.Equal(t, 3, f.settle(0))
	require.Equal(t, 1, f.settle(1))
}

func TestRouter_SweepTakesTheIdle(t *testing.T) {
	now := time.Unix(1000, 0)
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	advance := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	f := newFamily(t, actors.RouterOptions[int]{Producer: newProbe(nil), IdleAfter: time.Minute, Now: clock}, nil)
	f.settle(1)
	advance(40 * time.Second)
	f.settle(2)
	advance(20 * time.Second)
	f.do(func(c *actors.Context, r *actors.Router[int]) {
		require.Equal(t, 1, r.Sweep(c, clock()))
		require.Zero(t, r.Sweep(c, clock()))
		require.Equal(t, 1, r.Resident())
	})
	require.Equal(t, 2, f.settle(2))
	require.Equal(t, 1, f.settle(1))
}

// While the old incarnation stops, messages wait in order, and no more than PendingMax.
func TestRouter_BuffersWhileStopping(t *testing.T) {
	f := newFamily(t, actors.RouterOptions[int]{Producer: newProbe(nil), IdleAfter: time.Minute, PendingMax: 2}, nil)
	g := newGate()
	require.NoError(t, f.route(1, g))
	receive(t, g.reached)
	f.do(func(c *actors.Context, r *actors.Router[int]) {
		require.Equal(t, 1, r.Sweep(c, time.Now().Add(time.Hour)))
	})
	first, second := ask{actors.NewPromise[int]()}, ask{actors.NewPromise[int]()}
	require.NoError(t, f.route(1, first))
	require.NoError(t, f.route(1, second))
	require.ErrorIs(t, f.route(1, "x"), actors.ErrBusy)
	f.do(func(_ *actors.Context, r *actors.Router[int]) {
		require.Equal(t, 2, r.Pending())
		require.True(t, r.Hold(1))
	})
	close(g.open)
	require.Equal(t, 1, wait(t, first.Promise), "a new incarnation")
	require.Equal(t, 2, wait(t, second.Promise))
	f.do(func(c *actors.Context, r *actors.Router[int]) {
		require.Zero(t, r.Pending())
		require.Zero(t, r.Sweep(c, time.Now().Add(time.Hour)), "held while it was stopping")
	})
}

func TestRouter_BringsAHeldChildBack(t *testing.T) {
	f := newFamily(t, actors.RouterOptions[int]{Producer: newProbe(nil)}, nil)
	require.Equal(t, 1, f.settle(1))
	f.do(func(c *actors.Context, r *actors.Router[int]) {
		require.True(t, r.Hold(1))
		c.Stop(c.Children()[0])
	})
	q := ask{actors.NewPromise[int]()}
	require.NoError(t, f.route(1, q))
	if _, err := q.Wait(deadline(t)); err != nil {
		require.ErrorIs(t, err, actors.ErrStopped, "it was queued before the stop was handled")
	}
	f.until(func(r *actors.Router[int]) bool { return r.Resident() == 1 && r.Stopping() == 0 })
	require.LessOrEqual(t, f.settle(1), 2)
}

func TestRouter_RefusesAQuarantinedKey(t *testing.T) {
	quarantined := make(chan struct{}, 8)
	f := newFamily(t, actors.RouterOptions[int]{Producer: probeDoing(nil, func(c *actors.Context) bool {
		if _, ok := c.Message().(actors.Started); ok && c.Name() == childName(7) {
			c.Quarantine(errBoom)
		}
		return false
	})}, func(msg any) {
		if _, ok := msg.(actors.Quarantined); ok {
			quarantined <- struct{}{}
		}
	})
	end := make(chan error, 1)
	require.NoError(t, f.route(7, letter{1, end}))
	require.ErrorIs(t, receive(t, end), errBoom)
	receive(t, quarantined)
	err := f.route(7, "x")
	require.ErrorIs(t, err, actors.ErrQuarantined)
	require.ErrorIs(t, err, errBoom)
	require.Equal(t, 1, f.settle(8), "others go on")

	g := newGate()
	require.NoError(t, f.route(9, g))
	receive(t, g.reached)
	require.NoError(t, f.route(9, letter{2, end}))
	f.do(func(_ *actors.Context, r *actors.Router[int]) {
		r.Quarantine(9, errBoom)
		require.Equal(t, []int{7, 9}, r.QuarantinedKeys())
		require.ErrorIs(t, r.Verdict(9), actors.ErrQuarantined)
	})
	close(g.open)
	require.Error(t, receive(t, end))
	f.until(func(r *actors.Router[int]) bool { return r.Stopping() == 0 })
	f.do(func(_ *actors.Context, r *actors.Router[int]) {
		require.True(t, r.Pardon(9))
		require.False(t, r.Pardon(9))
	})
	require.Equal(t, 1, f.settle(9))
}

// What a router has buffered ends with its parent's incarnation, by restart or stop.
func TestRouter_BufferedMessagesEndWithTheParent(t *testing.T) {
	for name, end := range map[string]func(f family){
		"restart": func(f family) { tellFault(t, f.ref, "x") },
		"stop":    func(f family) { f.sys.Stop(f.ref) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFamily(t, actors.RouterOptions[int]{Producer: newProbe(nil), IdleAfter: time.Minute}, nil)
			g := newGate()
			require.NoError(t, f.route(1, g))
			receive(t, g.reached)
			f.do(func(c *actors.Context, r *actors.Router[int]) { r.Sweep(c, time.Now().Add(time.Hour)) })
			ended := make(chan error, 1)
			require.NoError(t, f.route(1, letter{1, ended}))
			end(f)
			close(g.open)
			require.ErrorIs(t, receive(t, ended), actors.ErrStopped)
			if name == "restart" {
				require.Equal(t, 1, f.settle(1), "the name is free for the next incarnation's router")
			}
		})
	}
}

func TestRouter_SurvivesThePanicOfAChild(t *testing.T) {
	f := newFamily(t, actors.RouterOptions[int]{Producer: newProbe(nil)}, nil)
	require.Equal(t, 1, f.settle(1))
	require.Equal(t, 1, f.settle(2))
	bad := fault{actors.NewPromise[string](), "x"}
	require.NoError(t, f.route(1, bad))
	require.ErrorIs(t, waitErr(t, bad.Promise), actors.ErrPanicked)
	require.Equal(t, 1, f.settle(1), "restarted")
	require.Equal(t, 2, f.settle(2), "untouched")
}

func TestRouter_RouteFailsWhileTheParentStops(t *testing.T) {
	s := actors.NewSystem(actors.Options{})
	got := make(chan error, 1)
	router := actors.NewRouter(actors.RouterOptions[int]{Name: childName, Producer: newProbe(nil)})
	spawn(t, s, "p", probeDoing(nil, func(c *actors.Context) bool {
		if _, ok := c.Message().(actors.Stopping); ok {
			got <- router.Route(c, 1, "x")
		}
		return false
	}))
	shutdown(t, s)
	require.ErrorIs(t, receive(t, got), actors.ErrStopped)
}

// A child that ends while starting must neither loop for ever nor keep the messages.
func TestRouter_GivesUpAChildThatEndsWhileStarting(t *testing.T) {
	f := newFamily(t, actors.RouterOptions[int]{Producer: probeDoing(nil, func(c *actors.Context) bool {
		if _, ok := c.Message().(actors.Started); ok {
			c.Stop(c.Self())
		}
		return false
	})}, nil)
	end := make(chan error, 100)
	for n := range 100 {
		require.NoError(t, f.route(1, letter{n, end}))
	}
	for range 100 {
		require.ErrorIs(t, receive(t, end), actors.ErrStopped)
	}
	f.until(func(r *actors.Router[int]) bool { return r.Pending() == 0 && r.Stopping() == 0 && r.Resident() == 0 })
}

// noted is a message that counts its ends.
type noted struct {
	id   int
	ends []atomic.Int32 // by id
	open *sync.WaitGroup
}

func (n noted) Undelivered(error) { n.close() }

func (n noted) close() {
	n.ends[n.id].Add(1)
	n.open.Done()
}

// Panics, quarantines, stops and passivations at random: every message that was accepted ends exactly once, handled or undelivered.
func TestRouter_EveryMessageEndsOnceUnderChaos(t *testing.T) {
	const senders, keys, each, seed = 8, 30, 1500, 11
	child := func() actors.Actor {
		n := 0
		return actors.ActorFunc(func(c *actors.Context) {
			m, ok := c.Message().(noted)
			if !ok {
				return
			}
			n++
			switch {
			case m.id%97 == 0:
				panic("x")
			case m.id%211 == 0:
				c.Stop(c.Self())
			case m.id%1499 == 0:
				c.Quarantine(errBoom)
			}
			m.close()
		})
	}
	f := newFamily(t, actors.RouterOptions[int]{Producer: child, ResidentMax: 4, PendingMax: 50, MailboxMax: 50}, nil)
	ends := make([]atomic.Int32, senders*each)
	var open, all sync.WaitGroup
	var refused atomic.Int32
	for sender := range senders {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(sender)))
			for n := range each {
				m := noted{sender*each + n, ends, &open}
				open.Add(1)
				out := make(chan error, 1)
				if err := f.ref.TellUncapped(routed{rng.IntN(keys), m, out}); err != nil {
					t.Errorf("Tell = %v", err)
				}
				if err := <-out; err != nil {
					refused.Add(1)
					m.close() // the sender's own again
				}
			}
		})
	}
	all.Wait()
	open.Wait()
	f.until(func(r *actors.Router[int]) bool { return r.Pending() == 0 })
	for id := range ends {
		require.EqualValues(t, 1, ends[id].Load(), "message %d, seed %d", id, seed)
	}
	t.Logf("%d refused, %+v", refused.Load(), f.sys.Stats())
}
