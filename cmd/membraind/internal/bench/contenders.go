package bench

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/membrain-db/membrain/eventlog"
)

const (
	factBytes     = 300 // body of the fact that every contender commits
	commitsBucket = "commits"
)

// contender makes single commits durable.
type contender struct {
	name   string
	commit func(n uint64) error
	close  func() error
}

// contenders are the writer of the log and what it is compared with, each with a file of its own in dir.
func contenders(dir string) ([]contender, error) {
	var all []contender
	for _, open := range append([]func(string) (contender, error){openWriter, openUpdate}, peers()...) {
		c, err := open(dir)
		if err != nil {
			return nil, fmt.Errorf("open a store: %w", err)
		}
		all = append(all, c)
	}
	return all, nil
}

// commitOf is the n-th commit: one fact in a stream of its own.
func commitOf(n uint64) *eventlog.Commit {
	fact := eventlog.Fact{
		Stream:  eventlog.Stream{Namespace: 1, Family: eventlog.FamilyMemory},
		Version: 1, Type: "memory.recalled.v1", Schema: 1, Body: make([]byte, factBytes),
	}
	binary.BigEndian.PutUint64(fact.Stream.ID[:], n)
	body := rand.NewPCG(n, 1)
	for at := 0; at+8 <= factBytes; at += 8 {
		binary.LittleEndian.PutUint64(fact.Body[at:], body.Uint64())
	}
	return &eventlog.Commit{Namespace: 1, Tick: n, TimeMillis: int64(n), Door: "api", Verb: "recall", Facts: []eventlog.Fact{fact}}
}

// stored is the commit as the log stores it, which is what the others store too.
func stored(n uint64) ([]byte, error) {
	bytes, _, err := eventlog.EncodeRecord(commitOf(n), eventlog.Seq(n), [32]byte{1})
	return bytes, err
}

// openWriter is the writer of the log with its group commit.
func openWriter(dir string) (contender, error) {
	bolt, err := eventlog.OpenBolt(filepath.Join(dir, "log"), eventlog.Options{})
	if err != nil {
		return contender{}, err
	}
	w := eventlog.NewWriter(bolt.Log(), bolt.Contents(), eventlog.WriterOptions{})
	commit := func(n uint64) error {
		answer := make(chan error, 1)
		entry := eventlog.Entry{Commit: commitOf(n), Generation: 1, Done: func(r eventlog.Result) { answer <- r.Err }}
		if _, err := w.Submit(entry); err != nil {
			return err
		}
		return <-answer
	}
	shut := func() error {
		if err := w.Close(); err != nil {
			return err
		}
		return bolt.Close()
	}
	return contender{"writer", commit, shut}, nil
}

// openUpdate is the same file format with a transaction for each commit.
func openUpdate(dir string) (contender, error) {
	db, err := bbolt.Open(filepath.Join(dir, "update.db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30})
	if err != nil {
		return contender{}, err
	}
	commit := func(n uint64) error {
		bytes, err := stored(n)
		if err != nil {
			return err
		}
		return db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte(commitsBucket))
			if err != nil {
				return err
			}
			bucket.FillPercent = 1
			return bucket.Put(binary.BigEndian.AppendUint64(nil, n), bytes)
		})
	}
	return contender{"update_per_commit", commit, db.Close}, nil
}

// fsyncTime is what one append to a plain file and its sync take, by median: the floor of a durable commit.
func fsyncTime(dir string, rounds int) (time.Duration, error) {
	file, err := os.Create(filepath.Join(dir, "fsync"))
	if err != nil {
		return 0, fmt.Errorf("time a sync: %w", err)
	}
	defer file.Close()
	block := make([]byte, 512)
	var took latencies
	for range rounds {
		started := time.Now()
		if _, err := file.Write(block); err != nil {
			return 0, fmt.Errorf("time a sync: %w", err)
		}
		if err := file.Sync(); err != nil {
			return 0, fmt.Errorf("time a sync: %w", err)
		}
		took = append(took, time.Since(started))
	}
	return took.at(0.5), nil
}
