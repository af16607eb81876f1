package eventlog_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
	_ "modernc.org/sqlite"

	"github.com/membrain-db/membrain/eventlog"
)

const benchBody = 300

func benchCommit(n uint64) *eventlog.Commit {
	fact := eventlog.Fact{
		Stream:  eventlog.Stream{Namespace: 1, Family: eventlog.FamilyMemory},
		Version: 1, Type: "memory.recalled.v1", Schema: 1, Body: make([]byte, benchBody),
	}
	binary.BigEndian.PutUint64(fact.Stream.ID[:], n)
	return &eventlog.Commit{Namespace: 1, Tick: n, TimeMillis: int64(n), Door: "api", Verb: "recall", Facts: []eventlog.Fact{fact}}
}

// fsyncTime measures one append and fsync of a plain file on the same disk: the floor of any durable commit.
func fsyncTime(b *testing.B, dir string) time.Duration {
	file, err := os.Create(filepath.Join(dir, "fsync"))
	require.NoError(b, err)
	defer file.Close()
	const rounds = 50
	block := make([]byte, 512)
	started := time.Now()
	for range rounds {
		_, err := file.Write(block)
		require.NoError(b, err)
		require.NoError(b, file.Sync())
	}
	return time.Since(started) / rounds
}

// spread runs b.N calls on so many goroutines, each waiting for its own, and reports commits per second.
func spread(b *testing.B, callers int, call func(n uint64) error) {
	fsync := fsyncTime(b, b.TempDir())
	var next atomic.Int64
	var wait sync.WaitGroup
	b.ResetTimer()
	for range callers {
		wait.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				if err := call(uint64(n)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
	b.ReportMetric(float64(fsync.Microseconds()), "fsync-us")
}

// BenchmarkAppend: durable commits of one 300-byte fact, by callers that each wait for their own.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 8, 64, 256} {
		b.Run(fmt.Sprintf("writer/callers=%d", callers), func(b *testing.B) { benchWriter(b, callers) })
		b.Run(fmt.Sprintf("bbolt-update/callers=%d", callers), func(b *testing.B) { benchUpdate(b, callers) })
		b.Run(fmt.Sprintf("sqlite-wal-full/callers=%d", callers), func(b *testing.B) { benchSQLite(b, callers) })
	}
}

func benchWriter(b *testing.B, callers int) {
	store := openBolt(b, b.TempDir(), eventlog.Options{})
	w := eventlog.NewWriter(store.Log(), store.Contents(), eventlog.WriterOptions{})
	spread(b, callers, func(n uint64) error {
		answer := make(chan error, 1)
		_, err := w.Submit(eventlog.Entry{Commit: benchCommit(n), Generation: 1, Done: func(r eventlog.Result) { answer <- r.Err }})
		if err != nil {
			return err
		}
		return <-answer
	})
	require.NoError(b, w.Close())
	require.NoError(b, store.Close())
}

// benchUpdate is the baseline: the same bytes, a transaction per commit.
func benchUpdate(b *testing.B, callers int) {
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "db"), 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30})
	require.NoError(b, err)
	spread(b, callers, func(n uint64) error {
		stored, _, err := eventlog.EncodeRecord(benchCommit(n), eventlog.Seq(n), [32]byte{1})
		if err != nil {
			return err
		}
		return db.Update(func(tx *bbolt.Tx) error {
			bucket, err := tx.CreateBucketIfNotExists([]byte("commits"))
			if err != nil {
				return err
			}
			bucket.FillPercent = 1
			return bucket.Put(binary.BigEndian.AppendUint64(nil, n), stored)
		})
	})
	require.NoError(b, db.Close())
}

func benchSQLite(b *testing.B, callers int) {
	db, err := sql.Open("sqlite", filepath.Join(b.TempDir(), "db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	require.NoError(b, err)
	db.SetMaxOpenConns(1) // one writer; more only wait for each other's lock
	_, err = db.Exec("CREATE TABLE commits (seq INTEGER PRIMARY KEY, stored BLOB)")
	require.NoError(b, err)
	insert, err := db.Prepare("INSERT INTO commits VALUES (?, ?)")
	require.NoError(b, err)
	spread(b, callers, func(n uint64) error {
		stored, _, err := eventlog.EncodeRecord(benchCommit(n), eventlog.Seq(n), [32]byte{1})
		if err != nil {
			return err
		}
		_, err = insert.Exec(n, stored)
		return err
	})
	require.NoError(b, db.Close())
}

// BenchmarkScan: facts per second of a warm log, a fact to a commit. raw is in place and unverified; verified is
// Scan: copied, decoded, checksum, chain; verify adds the laws of streams.
func BenchmarkScan(b *testing.B) {
	const commits = 200_000
	store := openBolt(b, b.TempDir(), eventlog.Options{})
	for n := uint64(1); n <= commits; {
		var batch []*eventlog.Commit
		for range 10_000 {
			batch = append(batch, benchCommit(n))
			n++
		}
		_, err := store.Log().Append(context.Background(), store.Log().Head().Seq, batch)
		require.NoError(b, err)
	}
	report := func(b *testing.B) { b.ReportMetric(float64(b.N)*commits/b.Elapsed().Seconds(), "facts/s") }
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			count, size := 0, 0
			require.NoError(b, eventlog.ScanRaw(store.Log(), func(stored []byte) { count, size = count+1, size+len(stored) }))
			require.Equal(b, commits, count)
		}
		report(b)
	})
	b.Run("verified", func(b *testing.B) {
		for b.Loop() {
			count := 0
			for record, err := range store.Log().Scan(context.Background(), 0) {
				if err != nil {
					b.Fatal(err)
				}
				count += len(record.Facts)
			}
			require.Equal(b, commits, count)
		}
		report(b)
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			found, err := eventlog.Verify(context.Background(), store.Log(), nil, nil)
			require.NoError(b, err)
			require.Empty(b, found.Problems)
		}
		report(b)
	})
	b.Run("at", func(b *testing.B) {
		for n := eventlog.Seq(0); b.Loop(); n = (n + 7919) % commits {
			if _, err := store.Log().At(n + 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	require.NoError(b, store.Close())
}

// BenchmarkRecord: one commit of one 300-byte fact to bytes and back.
func BenchmarkRecord(b *testing.B) {
	commit := benchCommit(1)
	stored, _, err := eventlog.EncodeRecord(commit, 1, [32]byte{1})
	require.NoError(b, err)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := eventlog.EncodeRecord(commit, 1, [32]byte{1}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, err := eventlog.DecodeRecord(stored); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(len(stored)), "B")
}
