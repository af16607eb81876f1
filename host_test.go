package membrain_test

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors"
	"github.com/membrain-db/membrain/vectors/embed"
)

const team = "team"

// host is a program that embeds a store, with a clock of its own.
type host struct {
	t     testing.TB
	dir   string
	s     *membrain.Store
	o     membrain.Options
	clock atomic.Int64
}

func newHost(t testing.TB, change ...func(*membrain.Options)) *host {
	t.Helper()
	h := &host{t: t, dir: t.TempDir()}
	h.clock.Store(1_750_000_000_000)
	h.o.Clock = func() time.Time { return time.UnixMilli(h.clock.Load()) }
	for _, f := range change {
		f(&h.o)
	}
	h.open()
	t.Cleanup(h.close)
	return h
}

func (h *host) open() {
	h.t.Helper()
	s, err := membrain.Open(context.Background(), h.dir, h.o)
	require.NoError(h.t, err)
	h.s = s
}

func (h *host) close() {
	if h.s != nil {
		require.NoError(h.t, h.s.Close())
		h.s = nil
	}
}

func (h *host) reopen() {
	h.t.Helper()
	h.close()
	h.open()
}

// deleteDerived removes every file that is not the truth.
func (h *host) deleteDerived() {
	h.t.Helper()
	for _, name := range []string{"state.db", "index", "checkpoints"} {
		require.NoError(h.t, os.RemoveAll(filepath.Join(h.dir, name)))
	}
}

// crashed opens a copy of the directory as it is now, while the store goes on: what a killed process would have left.
func (h *host) crashed() *host {
	h.t.Helper()
	dir := h.t.TempDir()
	require.NoError(h.t, os.CopyFS(dir, os.DirFS(h.dir)))
	require.NoError(h.t, os.RemoveAll(filepath.Join(dir, "lock")))
	c := &host{t: h.t, dir: dir}
	c.o = h.o
	c.open()
	h.t.Cleanup(c.close)
	return c
}

// as is the same store for another caller.
func (h *host) as(agent string) *host {
	c := &host{t: h.t, dir: h.dir, o: h.o}
	c.s = h.s.As(membrain.Caller{Agent: agent})
	return c
}

func (h *host) encode(text string) membrain.EncodeReply {
	h.t.Helper()
	return h.put(membrain.EncodeRequest{Text: text})
}

func (h *host) put(r membrain.EncodeRequest) membrain.EncodeReply {
	h.t.Helper()
	if r.Namespace == "" {
		r.Namespace = team
	}
	got, err := h.s.Encode(context.Background(), r)
	require.NoError(h.t, err)
	return got
}

func (h *host) refused(want model.Code, r membrain.EncodeRequest) *membrain.Error {
	h.t.Helper()
	if r.Namespace == "" {
		r.Namespace = team
	}
	_, err := h.s.Encode(context.Background(), r)
	return requireCode(h.t, want, err)
}

func requireCode(t testing.TB, want model.Code, err error) *membrain.Error {
	t.Helper()
	var e *membrain.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, want, e.Code, "%v", err)
	return e
}

func (h *host) recall(query string, change ...func(*membrain.RecallRequest)) membrain.RecallReply {
	h.t.Helper()
	r := membrain.RecallRequest{Namespace: team, Query: query}
	for _, f := range change {
		f(&r)
	}
	got, err := h.s.Recall(context.Background(), r)
	require.NoError(h.t, err)
	return got
}

// look recalls without reinforcing.
func (h *host) look(query string, change ...func(*membrain.RecallRequest)) membrain.RecallReply {
	h.t.Helper()
	return h.recall(query, append(change, func(r *membrain.RecallRequest) { r.NoReinforce = true })...)
}

func (h *host) inspect(id membrain.MemoryID) membrain.View {
	h.t.Helper()
	v, err := h.s.Inspect(context.Background(), one(id))
	require.NoError(h.t, err)
	return v
}

func (h *host) history(id membrain.MemoryID) []model.HistoryFact {
	h.t.Helper()
	got, err := h.s.History(context.Background(), one(id))
	require.NoError(h.t, err)
	return got.Facts
}

func (h *host) must(_ membrain.MutationReply, err error) {
	h.t.Helper()
	require.NoError(h.t, err)
}

func (h *host) tick(namespace string) membrain.Tick {
	h.t.Helper()
	list, err := h.s.Namespaces(context.Background())
	require.NoError(h.t, err)
	for _, ns := range list {
		if ns.Name == namespace {
			return ns.Tick
		}
	}
	return 0
}

func (h *host) seq() uint64 {
	h.t.Helper()
	stats, err := h.s.Stats(context.Background())
	require.NoError(h.t, err)
	return stats.Commits
}

func (h *host) digest() string {
	h.t.Helper()
	d, err := h.s.Digest(context.Background(), "")
	require.NoError(h.t, err)
	return d.Digest
}

// verified demands that the audit finds nothing.
func (h *host) verified() {
	h.t.Helper()
	v, err := h.s.AuditVerify(context.Background(), nil)
	require.NoError(h.t, err)
	require.True(h.t, v.OK, "%v", v.Problems)
}

func one(id membrain.MemoryID) membrain.MemoryRequest {
	return membrain.MemoryRequest{Namespace: team, ID: id}
}

func found(r membrain.RecallReply) []membrain.MemoryID {
	ids := []membrain.MemoryID{}
	for _, each := range r.Results {
		ids = append(ids, each.ID)
	}
	return ids
}

func ptr[T any](v T) *T { return &v }

// hashing is an embedder for tests: every word has a direction.
type hashing struct {
	id    string
	dim   int
	calls *atomic.Int64
	fail  func() error
}

var _ embed.Embedder = hashing{}

func (e hashing) ID() string { return e.id }
func (e hashing) Dim() int   { return e.dim }

func (e hashing) EmbedDocuments(_ context.Context, texts []string) ([]vectors.Embedding, error) {
	e.calls.Add(1)
	if e.fail != nil {
		if err := e.fail(); err != nil {
			return nil, err
		}
	}
	out := make([]vectors.Embedding, len(texts))
	for i, text := range texts {
		out[i] = e.vector(text)
	}
	return out, nil
}

func (e hashing) EmbedQuery(_ context.Context, text string, _ embed.IDF) (vectors.Embedding, error) {
	return e.vector(text), nil
}

func (e hashing) vector(text string) vectors.Embedding {
	v := make([]float32, e.dim)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(e.id + strings.Trim(word, ".,?")))
		bits := sum.Sum64()
		for i := range v {
			bits = bits*6364136223846793005 + 1442695040888963407
			v[i] += float32(int32(bits>>32)) / math.MaxInt32
		}
	}
	return vectors.Embedding{Form: vectors.FormFloat32, Float32: v}
}

// counting counts what the built-in embedder is asked.
type counting struct {
	*embed.StaticEN
	calls *atomic.Int64
}

func (e counting) EmbedDocuments(ctx context.Context, texts []string) ([]vectors.Embedding, error) {
	e.calls.Add(int64(len(texts)))
	return e.StaticEN.EmbedDocuments(ctx, texts)
}

// anyID is an id that nothing has.
func anyID(n uint64) (id membrain.MemoryID) {
	binary.BigEndian.PutUint64(id[8:], n)
	id[6], id[8] = 0x70, 0x80
	return id
}
