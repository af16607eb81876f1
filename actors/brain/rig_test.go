package brain_test

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/vectors/embed"
)

const ns = "team"

var errDisk = errors.New("no space left on device")

// operator may see and do everything.
var operator = model.Caller{Operator: true, Door: model.SourceAPI}

func agent(name string) model.Caller { return model.Caller{Agent: name, Door: model.SourceMCP} }

// rig is an engine over a store whose disk fails on demand. Its clock stands still until pass moves it.
type rig struct {
	t        testing.TB
	mem      *eventlog.Memory // nil on bolt
	bolt     *eventlog.Bolt   // nil on memory
	dir      string
	p        *projections.Projections
	e        *brain.Engine
	contents func(eventlog.Contents) eventlog.Contents // wraps what the engine writes to
	tweak    func(brain.Options) brain.Options
	embedder embed.Embedder
	clock    atomic.Int64
	ids      atomic.Uint64
}

type rigOption func(*rig)

func onBolt(r *rig) { r.mem = nil }

func tweaked(f func(brain.Options) brain.Options) rigOption {
	return func(r *rig) { r.tweak = f }
}

// memories has the actors of memories made by wrap around the real one.
func memories(wrap func(actors.Actor) actors.Actor) rigOption {
	return tweaked(func(o brain.Options) brain.Options {
		return o.WithMemories(func(l memory.Loader) actors.Actor { return wrap(memory.New(l)) })
	})
}

func newRig(t testing.TB, options ...rigOption) *rig {
	t.Helper()
	static, err := embed.Static()
	require.NoError(t, err)
	r := &rig{
		t: t, mem: eventlog.NewMemory(), dir: t.TempDir(), embedder: static,
		contents: func(c eventlog.Contents) eventlog.Contents { return c },
		tweak:    func(o brain.Options) brain.Options { return o },
	}
	r.clock.Store(1_750_000_000_000)
	for _, set := range options {
		set(r)
	}
	r.open()
	t.Cleanup(r.close)
	return r
}

func (r *rig) halves() (eventlog.Log, eventlog.Contents) {
	if r.mem != nil {
		return r.mem.Log(), r.contents(r.mem.Contents())
	}
	return r.bolt.Log(), r.contents(r.bolt.Contents())
}

func (r *rig) now() time.Time { return time.UnixMilli(r.clock.Load()).UTC() }

// pass moves the clock, past the writer's pause after a failure.
func (r *rig) pass(d time.Duration) { r.clock.Add(d.Milliseconds()) }

func (r *rig) newID() (id model.MemoryID) {
	binary.BigEndian.PutUint64(id[8:], r.ids.Add(1))
	id[6], id[8] = 0x70, 0x80
	return id
}

func (r *rig) open() {
	r.t.Helper()
	ctx := context.Background()
	var err error
	if r.mem == nil {
		r.bolt, err = eventlog.OpenBolt(r.dir, eventlog.Options{MmapBytes: 1 << 26, AllocBytes: 1 << 16})
		require.NoError(r.t, err)
	}
	log, contents := r.halves()
	r.p, err = projections.Open(ctx, projections.Options{Dir: r.dir, Log: log, Contents: contents, CheckpointEvery: -1})
	require.NoError(r.t, err)
	r.e, err = brain.New(ctx, r.tweak(brain.Options{
		System: actors.NewSystem(actors.Options{}), Log: log, Contents: contents, Projections: r.p,
		Embedder: r.embedder, Form: embed.FormOf(r.embedder), Clock: r.now, NewID: r.newID, Random: rand.Reader,
	}))
	require.NoError(r.t, err)
}

func (r *rig) close() {
	if r.e == nil {
		return
	}
	require.NoError(r.t, r.e.Close(context.Background()))
	require.NoError(r.t, r.p.Close())
	if r.mem == nil {
		require.NoError(r.t, r.bolt.Close())
	}
	r.e = nil
}

// reopen ends the process, as it were, and starts another on the same data.
func (r *rig) reopen() {
	r.t.Helper()
	r.close()
	if r.mem != nil {
		r.mem = r.mem.Reopened()
	}
	r.open()
}

func (r *rig) encode(text string) model.EncodeReply {
	r.t.Helper()
	return r.encodeAs(operator, model.EncodeRequest{Namespace: ns, Text: text})
}

func (r *rig) encodeAs(c model.Caller, req model.EncodeRequest) model.EncodeReply {
	r.t.Helper()
	got, err := r.e.Encode(context.Background(), c, req)
	require.NoError(r.t, err)
	return got
}

func (r *rig) recall(query string) model.RecallReply {
	r.t.Helper()
	got, err := r.e.Recall(context.Background(), operator, model.RecallRequest{Namespace: ns, Query: query})
	require.NoError(r.t, err)
	return got
}

func (r *rig) mutate(verb model.Verb, id model.MemoryID) (model.MutationReply, error) {
	return r.e.Mutate(context.Background(), operator, verb, model.MemoryRequest{Namespace: ns, ID: id})
}

func (r *rig) reinforce(id model.MemoryID) (model.MutationReply, error) {
	return r.mutate(model.VerbReinforce, id)
}

func (r *rig) inspect(id model.MemoryID) model.View {
	r.t.Helper()
	got, err := r.e.Inspect(context.Background(), operator, model.MemoryRequest{Namespace: ns, ID: id})
	require.NoError(r.t, err)
	return got
}

func (r *rig) tick(namespace string) model.Tick {
	for _, each := range r.p.Namespaces() {
		if each.Name == namespace {
			return each.Tick
		}
	}
	return 0
}

func (r *rig) head() eventlog.Seq {
	log, _ := r.halves()
	return log.Head().Seq
}

func (r *rig) digest() [32]byte {
	r.t.Helper()
	_, digest, err := r.p.Digest(context.Background())
	require.NoError(r.t, err)
	return digest
}

// audit demands that the log verifies, that what is served is its fold, also after a rebuild and in another process, and that contents
// holds nothing that the log does not name.
func (r *rig) audit() {
	r.t.Helper()
	ctx := context.Background()
	log, contents := r.halves()
	report, err := eventlog.Verify(ctx, log, contents, nil)
	require.NoError(r.t, err)
	require.Empty(r.t, report.Problems)
	require.Empty(r.t, r.p.Stats().Quarantined)
	live := r.digest()
	folded, err := projections.Replay(ctx, log, projections.Until{}, nil, nil)
	require.NoError(r.t, err)
	require.Equal(r.t, folded.Digest, live, "live state is the fold of the log")
	require.NoError(r.t, r.p.Rebuild(ctx, nil))
	require.Equal(r.t, live, r.digest(), "rebuilt state")
	head := r.head()
	r.reopen()
	r.contentsNamed()
	if r.head() == head { // else it ended an import that could not be aborted before
		require.Equal(r.t, live, r.digest(), "reopened state")
	}
	require.Zero(r.t, r.e.Staged())
}

// contentsNamed demands a content for each number that a fact names, and no other.
func (r *rig) contentsNamed() {
	r.t.Helper()
	log, contents := r.halves()
	named := map[eventlog.Ordinal]map[uint64]bool{}
	for record, err := range log.Scan(context.Background(), 1) {
		require.NoError(r.t, err)
		if named[record.Namespace] == nil {
			named[record.Namespace] = map[uint64]bool{}
		}
		for _, n := range contentsOf(r.t, record) {
			named[record.Namespace][n] = true
		}
	}
	for space, numbers := range named {
		for n := range numbers {
			_, err := contents.Get(space, n)
			require.NoError(r.t, err, "content %d/%d is named by a fact", space, n)
		}
		for content, err := range contents.Scan(context.Background(), space, 1) {
			require.NoError(r.t, err)
			require.True(r.t, numbers[content.Number], "content %d/%d belongs to no fact and will never be swept", space, content.Number)
		}
	}
}

// until asks the brain what it does until it says what is wanted. Every asking is a round trip through its mailbox.
func (r *rig) until(namespace string, wanted func(brain.Activity) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		got, err := r.e.Activity(ctx, namespace)
		require.NoError(r.t, err)
		if wanted(got) {
			return
		}
		runtime.Gosched()
	}
}

// recovered waits until the brain takes requests again, while time passes.
func (r *rig) recovered(namespace string) {
	r.t.Helper()
	r.until(namespace, func(a brain.Activity) bool {
		r.pass(5 * time.Second)
		return !a.Recovering
	})
}

// code demands an error of one code.
func code(t testing.TB, want model.Code, err error) {
	t.Helper()
	require.Equal(t, want, model.CodeOf(err), "%v", err)
}

// later runs fn on a goroutine of its own and hands its result over.
func later[T any](fn func() (T, error)) <-chan result[T] {
	out := make(chan result[T], 1)
	go func() {
		got, err := fn()
		out <- result[T]{got, err}
	}()
	return out
}

type result[T any] struct {
	got T
	err error
}

func text(n int) string {
	return fmt.Sprintf("Memory number %d is about topic-%d in the harbour.", n, n)
}
