package eventlog_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

const (
	crashWriters      = 16
	crashRoundsShort  = 5
	crashAcksPerRound = 400 // at most, before the kill
)

func crashRounds() int {
	rounds, err := strconv.Atoi(os.Getenv("MEMBRAIN_CRASH_ROUNDS"))
	if err != nil || rounds <= 0 {
		return crashRoundsShort
	}
	return rounds
}

// TestCrash_NothingAcknowledgedIsLost kills a process that writes, again and again on the same store.
// MEMBRAIN_CRASH_ROUNDS sets how often.
func TestCrash_NothingAcknowledgedIsLost(t *testing.T) {
	if dir := os.Getenv("MEMBRAIN_TEST_CRASH"); dir != "" {
		writeUntilKilled(t, dir)
		return
	}
	dir := t.TempDir()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range crashRounds() {
		acknowledged := runAndKill(t, dir, 1+random.IntN(crashAcksPerRound))
		store := openBolt(t, dir, eventlog.Options{})
		head := store.Log().Head()
		require.GreaterOrEqual(t, head.Seq, acknowledged, "round %d", round)
		report := logtest.RequireSound(t, store)
		require.Equal(t, uint64(head.Seq), report.Commits, "round %d: no gap", round)
		requireContentsOfCommits(t, store)
		require.NoError(t, store.Close())
	}
}

func requireContentsOfCommits(t *testing.T, store *onDisk) {
	for _, record := range logtest.All(t, store.Log(), 0) {
		body, err := store.Contents().Get(1, record.ContentHigh)
		require.NoError(t, err, "content of commit %d", record.Seq)
		require.True(t, bytes.Equal(crashContent(record.ContentHigh), body), "content of commit %d", record.Seq)
	}
}

// crashContent is small most of the time, and a blob now and then.
func crashContent(number uint64) []byte {
	size := 100
	if number%50 == 0 {
		size = eventlog.BlobBytesMin
	}
	return bytes.Repeat([]byte(fmt.Sprint(number, ",")), size)[:size]
}

// runAndKill starts a writing process, kills it after it has acknowledged some commits, and returns the last one.
func runAndKill(t *testing.T, dir string, acks int) (last eventlog.Seq) {
	child := exec.Command(os.Args[0], "-test.run=^TestCrash_NothingAcknowledgedIsLost$")
	child.Env = append(os.Environ(), "MEMBRAIN_TEST_CRASH="+dir)
	child.Stderr = os.Stderr
	output, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	seen := 0
	// What is still in the pipe after the kill was acknowledged too.
	for lines := bufio.NewScanner(output); lines.Scan(); seen++ {
		seq, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			break // a line cut by the kill
		}
		last = max(last, eventlog.Seq(seq))
		if seen == acks {
			require.NoError(t, child.Process.Kill())
		}
	}
	_ = child.Wait() // "signal: killed"
	require.Greater(t, seen, acks, "the child must be killed, not end")
	return last
}

// writeUntilKilled submits commits with contents from many goroutines and prints the number of each that is durable.
func writeUntilKilled(t *testing.T, dir string) {
	store := openBolt(t, dir, eventlog.Options{})
	number := uint64(0)
	if head := store.Log().Head().Seq; head > 0 {
		record, err := store.Log().At(head)
		require.NoError(t, err)
		number = record.ContentHigh
	}
	_, err := store.Contents().Sweep(1, number, 0)
	require.NoError(t, err)
	w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{})
	var mu sync.Mutex // marks must rise in the order of submission
	submit := func(done func(eventlog.Result)) {
		mu.Lock()
		defer mu.Unlock()
		number++
		stream := eventlog.Stream{Namespace: 1, Family: eventlog.FamilyMemory}
		copy(stream.ID[:], fmt.Sprint(number))
		_, err := w.Submit(eventlog.Entry{
			Commit: &eventlog.Commit{
				Namespace: 1, Tick: number, ContentHigh: number, Door: "test", Verb: "encode",
				Facts: []eventlog.Fact{{Stream: stream, Version: 1, Type: "memory.tested.v1", Schema: 1, Body: make([]byte, 300)}},
			},
			Contents:   []eventlog.Content{{Number: number, Body: crashContent(number)}},
			Generation: 1, Done: done,
		})
		if err != nil {
			t.Errorf("Submit = %v", err)
		}
	}
	var wait sync.WaitGroup
	for range crashWriters {
		wait.Go(func() {
			for {
				answer := make(chan eventlog.Result, 1)
				submit(func(r eventlog.Result) { answer <- r })
				r := <-answer
				if r.Err != nil {
					t.Errorf("result %v", r.Err)
					return
				}
				if _, err := fmt.Fprintln(os.Stdout, r.Seq); err != nil {
					return
				}
			}
		})
	}
	wait.Wait()
}

// TestPowerLoss_OldStateOpens builds what a power failure can leave: some of the pages that a transaction wrote,
// and the meta page from before it. (bbolt syncs the pages before it writes the meta page.)
func TestPowerLoss_OldStateOpens(t *testing.T) {
	const rounds, subsets = 8, 8
	dir := smallStore(t)
	random := rand.New(rand.NewPCG(5, 5))
	history := logtest.NewHistory(7)
	history.Take(60) // what smallStore wrote
	for round := range rounds {
		before := map[string][]byte{}
		for _, name := range []string{"events.db", "contents.db"} {
			before[name] = mustRead(t, filepath.Join(dir, name))
		}
		old, err := answers(dir)
		require.NoError(t, err)

		store := openBolt(t, dir, small())
		require.NoError(t, store.Contents().Put(context.Background(), []eventlog.ContentBatch{{
			Namespace: 1, Contents: []eventlog.Content{{Number: uint64(100 + round), Body: make([]byte, 3000)}},
		}}))
		_, err = store.Log().Append(context.Background(), store.Log().Head().Seq, history.Take(1+random.IntN(20)))
		require.NoError(t, err)
		require.NoError(t, store.Close())
		after := map[string][]byte{}
		for name := range before {
			after[name] = mustRead(t, filepath.Join(dir, name))
		}

		for subset := range subsets {
			for name := range before {
				image := tornWrite(random, before[name], after[name], subset)
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), image, 0o600))
			}
			got, err := answers(dir)
			require.NoError(t, err, "round %d subset %d", round, subset)
			require.Equal(t, old, got, "round %d subset %d", round, subset)
		}
		for name := range after {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), after[name], 0o600))
		}
		_, err = answers(dir)
		require.NoError(t, err)
	}
}

// tornWrite is before with some of the pages of after, but none of its meta pages. Subset 0 has all of them.
func tornWrite(random *rand.Rand, before, after []byte, subset int) []byte {
	const page = 4096
	image := make([]byte, max(len(before), len(after)))
	copy(image, before)
	for at := 2 * page; at < len(after); at += page {
		if subset == 0 || random.IntN(2) == 0 {
			copy(image[at:], after[at:min(at+page, len(after))])
		}
	}
	return image
}

func mustRead(t *testing.T, path string) []byte {
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	return whole
}
