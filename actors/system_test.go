package actors_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
)

const secret = "the vault code is 4711"

// secretLetter is a message that travels by PID.
type secretLetter struct {
	actors.Private
	actors.Promise[int]
	Text string
}

type secretReply struct {
	actors.Private
	Text string
}

// logBuffer is a log that may be written by many goroutines.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *logBuffer) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func newHost(b *logBuffer) *actor.ActorSystem {
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return b.logger() }))
}

func TestShutdown_LeavesTheHostsSystemRunning(t *testing.T) {
	var hostLog logBuffer
	host := newHost(&hostLog)
	echo := host.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		if c.Message() == "ping" {
			c.Respond("pong")
		}
	}))
	first := actors.NewSystem(actors.Options{ActorSystem: host})
	second := newSystem(t, actors.Options{ActorSystem: host})
	gone := spawn(t, first, "store", newProbe(nil))
	kept := spawn(t, second, "store", newProbe(nil))
	require.Equal(t, "membrain/store", gone.Path())
	require.Equal(t, "membrain-2/store", kept.Path(), "two systems share a host")

	shutdown(t, first)
	shutdown(t, first)
	require.ErrorIs(t, gone.Tell("x"), actors.ErrStopped)
	require.False(t, host.IsStopped())
	require.Equal(t, 1, settled(t, kept))
	answer, err := host.Root.RequestFuture(echo, "ping", 10*time.Second).Result()
	require.NoError(t, err)
	require.Equal(t, "pong", answer)
}

func TestShutdown_StopsAnOwnSystem(t *testing.T) {
	s := actors.NewSystem(actors.Options{})
	require.False(t, s.ActorSystem().IsStopped())
	shutdown(t, s)
	require.True(t, s.ActorSystem().IsStopped())
}

func TestShutdown_GivesUpWithItsContext(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	g := newGate()
	require.NoError(t, ref.Tell(g))
	receive(t, g.reached)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBoom)
	require.ErrorIs(t, s.Shutdown(ctx), errBoom)
	close(g.open)
}

func TestSpawn_RefusesEmptyAndTakenNames(t *testing.T) {
	s := newSystem(t, actors.Options{})
	_, err := s.Spawn("", newProbe(nil))
	require.ErrorIs(t, err, actors.ErrNoName)
	first := spawn(t, s, "a", newProbe(nil))
	_, err = s.Spawn("a", newProbe(nil))
	require.ErrorIs(t, err, actors.ErrNameTaken)
	require.Equal(t, 1, settled(t, first), "the first is not disturbed")
	require.EqualValues(t, 1, s.Stats().Actors)
}

func TestName_EscapesSoThatTwoPathsNeverMeet(t *testing.T) {
	require.Equal(t, "ns/team", actors.Name("ns", "team"))
	require.Equal(t, "ns/team%2Fa", actors.Name("ns", "team/a"))
	require.Equal(t, "ns/team%252Fa", actors.Name("ns", "team%2Fa"))
}

// A host's actors reach ours by PID: requests, refusals, panics and dead letters all end in an answer, and the text is in no log.
func TestPID_HostsMessagesAreAnsweredAndNeverLogged(t *testing.T) {
	var hostLog, ourLog logBuffer
	host := newHost(&hostLog)
	s := newSystem(t, actors.Options{ActorSystem: host, Logger: ourLog.logger()})
	g := newGate()
	ref := spawn(t, s, "brain", probeDoing(nil, func(c *actors.Context) bool {
		m, ok := c.Message().(secretLetter)
		switch {
		case ok && m.Text == "panic":
			panic(secret)
		case ok:
			require.True(t, c.Respond(secretReply{Text: m.Text}))
			require.False(t, c.Respond(secretReply{Text: m.Text}), "a second answer would race in the future")
		}
		return ok
	}), actors.MailboxMax(1))
	ask := func(pid *actor.PID, text string) (any, actors.Promise[int], error) {
		m := secretLetter{Promise: actors.NewPromise[int](), Text: text}
		v, err := host.Root.RequestFuture(pid, m, 10*time.Second).Result()
		return v, m.Promise, err
	}

	v, _, err := ask(ref.PID(), secret)
	require.NoError(t, err)
	require.Equal(t, secret, v.(secretReply).Text)

	_, p, err := ask(ref.PID(), "panic")
	require.ErrorIs(t, err, actor.ErrDeadLetter)
	require.ErrorIs(t, waitErr(t, p), actors.ErrPanicked)

	require.NoError(t, ref.TellUncapped(g))
	receive(t, g.reached)
	require.NoError(t, ref.Tell("fills the mailbox"))
	_, p, err = ask(ref.PID(), secret)
	require.ErrorIs(t, err, actor.ErrDeadLetter)
	require.ErrorIs(t, waitErr(t, p), actors.ErrBusy)
	close(g.open)

	w := newWatcher(s)
	process, _ := host.ProcessRegistry.Get(ref.PID())
	process.SendSystemMessage(ref.PID(), &actor.Watch{Watcher: w.pid})
	host.Root.Poison(ref.PID())
	receive(t, w.gone)
	before := s.Stats().DeadLetters
	_, p, err = ask(actor.NewPID(host.Address(), ref.Path()), secret)
	require.ErrorIs(t, err, actor.ErrDeadLetter)
	require.ErrorIs(t, waitErr(t, p), actors.ErrStopped)
	require.Equal(t, before+1, s.Stats().DeadLetters)

	host.Root.Send(actor.NewPID(host.Address(), "nobody-of-ours"), "lost")
	require.Equal(t, before+1, s.Stats().DeadLetters, "the host's dead letters are its own")
	require.Contains(t, hostLog.String(), "lost")
	require.NotContains(t, hostLog.String(), secret)
	require.Contains(t, ourLog.String(), "panicked")
	require.NotContains(t, ourLog.String(), secret)
}

func TestPID_ARestartThatAHostAsksForIsOurs(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	require.NoError(t, ref.Tell("x"))
	require.Equal(t, 2, settled(t, ref))
	process, _ := s.ActorSystem().ProcessRegistry.Get(ref.PID())
	process.SendSystemMessage(ref.PID(), &actor.Restart{})
	require.Equal(t, 1, settled(t, ref))
}

func TestPID_TouchIsAnswered(t *testing.T) {
	s := newSystem(t, actors.Options{})
	ref := spawn(t, s, "a", newProbe(nil))
	v, err := s.ActorSystem().Root.RequestFuture(ref.PID(), &actor.Touch{}, 10*time.Second).Result()
	require.NoError(t, err)
	require.Equal(t, ref.Path(), v.(*actor.Touched).Who.Id)
}

func TestLogger_OwnSystemKeepsProtoactorsQuiet(t *testing.T) {
	var ourLog logBuffer
	s := newSystem(t, actors.Options{Logger: ourLog.logger()})
	s.ActorSystem().Root.Send(actor.NewPID(s.ActorSystem().Address(), "membrain/nobody"), secret)
	require.EqualValues(t, 1, s.Stats().DeadLetters)
	require.Empty(t, ourLog.String())
}
