package membrain_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

const (
	crashCallers        = 8   // one of them exports, restores, rebuilds and writes checkpoints
	crashLinesMax       = 400 // of what the child tells before it is killed
	crashRoundsShort    = 3
	crashRoundsPerStore = 20
	crashRows           = 20 // of an import
	crashSeeds          = 5  // memories of the namespace that is exported
	seedNamespace       = "seed"
)

// TestCrash_WhatWasAnsweredStays kills a process that does everything at once, at random moments, round after round
// on a store: in the middle of opening, encoding, recalling, updating, importing, restoring, exporting, rebuilding
// and writing checkpoints. MEMBRAIN_CRASH_ROUNDS sets how often.
func TestCrash_WhatWasAnsweredStays(t *testing.T) {
	if dir := os.Getenv("MEMBRAIN_TEST_CRASH"); dir != "" {
		liveUntilKilled(t, dir)
		return
	}
	rounds, err := strconv.Atoi(os.Getenv("MEMBRAIN_CRASH_ROUNDS"))
	if err != nil || rounds <= 0 {
		rounds = crashRoundsShort
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var w *witness
	for round := range rounds {
		if round%crashRoundsPerStore == 0 {
			w = &witness{random: random, dir: t.TempDir(), counts: map[membrain.MemoryID]uint32{}, texts: map[membrain.MemoryID]string{}}
		}
		w.round(t, round)
	}
}

// told is one line of the child: what it is about to ask, or what it was answered.
type told struct {
	Verb     string
	Answered bool
	Request  string
	IDs      []membrain.MemoryID
}

// witness knows what the child was answered, over all rounds.
type witness struct {
	random *rand.Rand
	dir    string
	counts map[membrain.MemoryID]uint32 // replies that strengthened it
	texts  map[membrain.MemoryID]string // the text that was given last
	copies []string                     // namespaces that were restored
}

func (w *witness) round(t *testing.T, round int) {
	asked, answered := w.runAndKill(t, round)
	s, err := membrain.Open(context.Background(), w.dir, membrain.Options{})
	require.NoError(t, err, "round %d", round)
	h := &host{t: t, dir: w.dir, s: s}
	defer h.close()
	h.verified()
	requireOneDigest(h)
	w.requireAll(h)
	for _, a := range asked {
		w.settle(h, a, answered)
	}
	w.requireAll(h)
	w.requireCounts(h)
	h.close()
	requireNothingUnfinished(t, w.dir)
}

// runAndKill starts a process on the store and kills it at a random moment.
func (w *witness) runAndKill(t *testing.T, round int) (asked []told, answered map[string]told) {
	answered = map[string]told{}
	child := exec.Command(os.Args[0], "-test.run=^TestCrash_WhatWasAnsweredStays$")
	child.Env = append(os.Environ(), "MEMBRAIN_TEST_CRASH="+w.dir, fmt.Sprint("MEMBRAIN_TEST_ROUND=", round))
	child.Stderr = os.Stderr
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	last, jitter := 1+w.random.IntN(crashLinesMax), time.Duration(w.random.IntN(5000))*time.Microsecond
	if w.random.IntN(8) == 0 {
		last, jitter = 1, time.Duration(w.random.IntN(150))*time.Millisecond // while it opens the store
	}
	require.NoError(t, child.Start())
	seen := 0
	kill := time.AfterFunc(time.Hour, func() { _ = child.Process.Kill() }) // fails when the child has failed
	defer kill.Stop()
	// What is still in the pipe after the kill was answered too.
	for lines := bufio.NewScanner(output); lines.Scan(); {
		var line told
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			break // cut by the kill
		}
		if seen++; seen == last {
			kill.Reset(jitter)
		}
		if line.Answered {
			answered[line.Request] = line
		} else if line.Request != "" {
			asked = append(asked, line)
		}
	}
	require.ErrorContains(t, child.Wait(), "signal: killed", "round %d", round)
	return asked, answered
}

// requireAll demands that every memory that was ever acknowledged is there, with the text that was given last.
func (w *witness) requireAll(h *host) {
	views := h.everything()
	for id, text := range w.texts {
		v, ok := views[id]
		require.True(h.t, ok, "%s is lost", id)
		require.Equal(h.t, text, v.CompactText)
		require.GreaterOrEqual(h.t, v.RecallCount, w.counts[id], "%s", id)
	}
	for _, name := range w.copies {
		require.Equal(h.t, crashSeeds, h.memories(name), name)
	}
}

// requireCounts demands that each memory was strengthened by as many replies as there were.
func (w *witness) requireCounts(h *host) {
	for id, v := range h.everything() {
		require.Equal(h.t, w.counts[id], v.RecallCount, "%s", id)
	}
}

// settle asks once more what the child has asked. What it was answered is answered again; what it was not may have
// happened or not, and has happened once now.
func (w *witness) settle(h *host, a told, answers map[string]told) {
	answer, answered := answers[a.Request]
	before := h.seq()
	switch a.Verb {
	case "encode":
		got := h.put(crashNote(a.Request))
		if answered {
			require.Equal(h.t, answer.IDs[0], got.ID, a.Request)
		}
		require.Len(h.t, h.tagged(a.Request), 1, a.Request)
		w.texts[got.ID] = crashNote(a.Request).Text
	case "recall":
		got := h.recall(crashQuery(a.Request), func(r *membrain.RecallRequest) { r.RequestID = a.Request })
		if answered {
			require.Equal(h.t, answer.IDs, found(got), a.Request)
		}
		for _, id := range found(got) {
			w.counts[id]++
		}
	case "reinforce":
		h.must(h.s.Reinforce(context.Background(), membrain.MemoryRequest{Namespace: team, ID: a.IDs[0], RequestID: a.Request}))
		w.counts[a.IDs[0]]++
	case "update":
		h.must(h.s.Update(context.Background(), crashUpdate(a.Request, a.IDs[0])))
		w.texts[a.IDs[0]] = revisedText(a.Request)
	case "import":
		w.settleImport(h, a.Request, answered)
	case "restore":
		w.settleRestore(h, a.Request, answered)
	}
	if answered {
		require.Equal(h.t, before, h.seq(), "%s was repeated", a.Request)
	}
}

func (w *witness) settleImport(h *host, request string, answered bool) {
	if there := len(h.tagged(request)); answered || there > 0 {
		require.Equal(h.t, crashRows, there, "%s: all or nothing", request)
	}
	got, err := h.s.Import(context.Background(), crashImport(request))
	require.NoError(h.t, err)
	require.Equal(h.t, crashRows, got.Created)
	rows := h.tagged(request)
	require.Len(h.t, rows, crashRows)
	for _, v := range rows {
		w.texts[v.ID] = v.CompactText
	}
}

func (w *witness) settleRestore(h *host, name string, answered bool) {
	if there := h.memories(name); answered || there > 0 {
		require.Equal(h.t, crashSeeds, there, "%s: all or nothing", name)
		w.copies = append(w.copies, name)
	}
}

func (h *host) memories(namespace string) int {
	h.t.Helper()
	list, err := h.s.Namespaces(context.Background())
	require.NoError(h.t, err)
	for _, ns := range list {
		if ns.Name == namespace {
			return ns.Memories
		}
	}
	return 0
}

func (h *host) tagged(tag string) []membrain.View {
	h.t.Helper()
	list, err := h.s.List(context.Background(), membrain.ListRequest{Namespace: team, Limit: 100, Filter: membrain.Filter{Tags: []string{tag}}})
	require.NoError(h.t, err)
	return list.Memories
}

// everything is all of the team's memories.
func (h *host) everything() map[membrain.MemoryID]membrain.View {
	h.t.Helper()
	views := map[membrain.MemoryID]membrain.View{}
	r := membrain.ListRequest{Namespace: team, Limit: 1000}
	for {
		page, err := h.s.List(context.Background(), r)
		if model.CodeOf(err) == model.CodeNotFound {
			return views // nothing was encoded yet
		}
		require.NoError(h.t, err)
		for _, v := range page.Memories {
			views[v.ID] = v
		}
		if page.Next == nil {
			return views
		}
		r.Cursor = *page.Next
	}
}

// requireOneDigest demands that what is served is what the log folds to.
func requireOneDigest(h *host) {
	h.t.Helper()
	folded, err := h.s.Replay(context.Background(), membrain.ReplayRequest{})
	require.NoError(h.t, err)
	require.Equal(h.t, folded.Digest, h.digest())
}

// requireNothingUnfinished demands that no file that a killed process was writing is left.
func requireNothingUnfinished(t *testing.T, dir string) {
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".tmp") || strings.Contains(name, "unfinished") {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}

// What a request asks follows from its id, so that it can be asked again.

func crashNote(request string) membrain.EncodeRequest {
	return membrain.EncodeRequest{
		Namespace: team, RequestID: request, Tags: []string{request},
		Text: fmt.Sprintf("Note %s of the pilot: %s.", request, crashQuery(request)),
	}
}

func crashQuery(request string) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(request))
	return []string{"harbour fog", "tide table", "north buoy", "ferry late", "crane repair", "customs queue"}[sum.Sum32()%6]
}

func revisedText(request string) string { return "Revised by " + request + "." }

func crashUpdate(request string, id membrain.MemoryID) membrain.UpdateRequest {
	return membrain.UpdateRequest{Namespace: team, RequestID: request, ID: id, Text: ptr(revisedText(request))}
}

func crashImport(request string) membrain.ImportRequest {
	var rows bytes.Buffer
	for i := range crashRows {
		fmt.Fprintf(&rows, `{"text": "Row %d of %s: %s.", "tags": [%q]}`+"\n", i, request, crashQuery(fmt.Sprint(request, i)), request)
	}
	return membrain.ImportRequest{Format: "jsonl", Name: request, Reader: &rows, Namespace: team, RequestID: request}
}

// living is the process that will be killed.
type living struct {
	t     *testing.T
	s     *membrain.Store
	round string
	seeds []byte
	mu    sync.Mutex // of standard output
}

func liveUntilKilled(t *testing.T, dir string) {
	l := &living{t: t, round: os.Getenv("MEMBRAIN_TEST_ROUND")}
	l.tell(told{Verb: "open"})
	s, err := membrain.Open(context.Background(), dir, membrain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.s = s
	l.plant()
	var wait sync.WaitGroup
	wait.Go(l.care)
	for caller := range crashCallers - 1 {
		wait.Go(func() { l.call(caller) })
	}
	wait.Wait()
}

func (l *living) tell(line told) {
	b, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := os.Stdout.Write(append(b, '\n')); err != nil {
		panic(err)
	}
}

// failed says whether a request was not answered. One that found the store busy will be asked again by the witness.
func (l *living) failed(what string, err error) bool {
	if err != nil && model.CodeOf(err) != model.CodeBusy {
		panic(fmt.Sprintf("%s: %v", what, err))
	}
	return err != nil
}

// plant makes the namespace that is exported.
func (l *living) plant() {
	ctx := context.Background()
	for i := range crashSeeds {
		_, err := l.s.Encode(ctx, membrain.EncodeRequest{Namespace: seedNamespace, Text: fmt.Sprint("Seed ", i), RequestID: fmt.Sprint("seed-", i)})
		l.failed("plant", err)
	}
	var out bytes.Buffer
	l.failed("export", l.s.Export(ctx, membrain.ExportRequest{Namespace: seedNamespace, Writer: &out}))
	l.seeds = out.Bytes()
}

// care does what a host does to its store now and then.
func (l *living) care() {
	ctx := context.Background()
	for i := 0; ; i++ {
		copied := fmt.Sprintf("copy-%s-%d", l.round, i)
		l.tell(told{Verb: "restore", Request: copied})
		_, err := l.s.Import(ctx, membrain.ImportRequest{Format: membrain.FormatExport, Name: copied, Namespace: copied, Reader: bytes.NewReader(l.seeds)})
		if !l.failed("restore", err) {
			l.tell(told{Verb: "restore", Request: copied, Answered: true})
		}
		l.failed("checkpoint", l.s.Checkpoint(ctx, ""))
		l.failed("export", l.s.Export(ctx, membrain.ExportRequest{Namespace: team, Writer: io.Discard}))
		_, err = l.s.Rebuild(ctx, nil)
		l.failed("rebuild", err)
	}
}

// call is one caller of the store.
func (l *living) call(caller int) {
	ctx := context.Background()
	var known []membrain.MemoryID
	for i := 0; ; i++ {
		request := fmt.Sprintf("r%s-%d-%d", l.round, caller, i)
		verb := []string{"encode", "encode", "recall", "encode", "update", "recall", "reinforce", "import"}[rand.IntN(8)]
		if len(known) == 0 {
			verb = "encode"
		}
		a := told{Verb: verb, Request: request}
		if verb == "update" || verb == "reinforce" {
			a.IDs = []membrain.MemoryID{known[rand.IntN(len(known))]}
		}
		l.tell(a)
		var err error
		switch verb {
		case "encode":
			var got membrain.EncodeReply
			got, err = l.s.Encode(ctx, crashNote(request))
			a.IDs = []membrain.MemoryID{got.ID}
			known = append(known, got.ID)
		case "recall":
			var got membrain.RecallReply
			got, err = l.s.Recall(ctx, membrain.RecallRequest{Namespace: team, Query: crashQuery(request), RequestID: request})
			a.IDs = found(got)
		case "reinforce":
			_, err = l.s.Reinforce(ctx, membrain.MemoryRequest{Namespace: team, ID: a.IDs[0], RequestID: request})
		case "update":
			_, err = l.s.Update(ctx, crashUpdate(request, a.IDs[0]))
		case "import":
			_, err = l.s.Import(ctx, crashImport(request))
		}
		if !l.failed(request, err) {
			a.Answered = true
			l.tell(a)
		}
	}
}
