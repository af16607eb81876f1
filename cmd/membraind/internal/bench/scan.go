package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
)

// scans reads two warm logs: one of single facts, the worst there is, and one that a store wrote.
func (r *runner) scans(ctx context.Context) error {
	single := r.fresh()
	if err := r.singles(ctx, single); err != nil {
		return err
	}
	if err := r.scan(ctx, "log.scan", single, func(eventlog.Fact) error { return nil }); err != nil {
		return err
	}
	real := r.fresh()
	if err := r.lived(ctx, real); err != nil {
		return err
	}
	return r.scan(ctx, "log.scan_recalls", real, func(f eventlog.Fact) error {
		_, err := codec.DecodeFact(f.Type, f.Schema, f.Body)
		return err
	})
}

// singles makes a log with one fact of 300 bytes to a commit.
func (r *runner) singles(ctx context.Context, dir string) error {
	bolt, err := eventlog.OpenBolt(dir, eventlog.Options{})
	if err != nil {
		return err
	}
	defer bolt.Close()
	for n, all := 0, r.size(200_000, 20_000); n < all; {
		var batch []*eventlog.Commit
		for range 10_000 {
			n++
			batch = append(batch, commitOf(uint64(n)))
		}
		if _, err := bolt.Log().Append(ctx, bolt.Log().Head().Seq, batch); err != nil {
			return err
		}
		r.say("log: %d facts written", n)
	}
	return nil
}

// lived makes the log of a store that encoded and recalled: 2 facts to an encode, 11 to a recall of ten.
func (r *runner) lived(ctx context.Context, dir string) error {
	return r.with(ctx, dir, func(s *membrain.Store) error {
		w := newWriter(1)
		stories := make([]story, r.size(2_000, 200))
		for i := range stories {
			stories[i] = w.write()
		}
		r.say("log: %d encodes", len(stories))
		if _, err := times(ctx, 32, len(stories), func(i int) error {
			_, err := s.Encode(ctx, membrain.EncodeRequest{Namespace: "bench", Text: stories[i].text})
			return err
		}); err != nil {
			return err
		}
		recalls := r.size(10_000, 500)
		r.say("log: %d recalls of ten", recalls)
		_, err := times(ctx, 32, recalls, func(i int) error {
			_, err := s.Recall(ctx, membrain.RecallRequest{Namespace: "bench", Query: stories[i%len(stories)].question(i), Limit: 10})
			return err
		})
		return err
	})
}

// scan times the raw bytes, and every commit decoded, its checksum and chain verified, its facts handed to
// decode. Warm: the file has just been written, and the best of three passes counts.
func (r *runner) scan(ctx context.Context, metric, dir string, decode func(eventlog.Fact) error) error {
	r.say("%s", metric)
	facts, verified, err := bestOf(3, func() (int, error) { return scanVerified(ctx, dir, decode) })
	if err != nil {
		return err
	}
	commits, raw, err := bestOf(3, func() (int, error) { return scanRaw(dir) })
	if err != nil {
		return err
	}
	perSecond := func(d time.Duration) float64 { return float64(facts) / d.Seconds() }
	r.compare(metric+"_decoded", perSecond(verified), "facts/s", facts, metric+"_raw", perSecond(raw))
	r.add(metric+"_raw", perSecond(raw), "facts/s", facts)
	r.add(metric+"_facts_per_commit", float64(facts)/float64(commits), "facts", commits)
	return nil
}

func bestOf(passes int, pass func() (int, error)) (n int, best time.Duration, err error) {
	for range passes {
		started := time.Now()
		if n, err = pass(); err != nil {
			return 0, 0, err
		}
		if took := time.Since(started); best == 0 || took < best {
			best = took
		}
	}
	return n, best, nil
}

func scanVerified(ctx context.Context, dir string, decode func(eventlog.Fact) error) (facts int, err error) {
	bolt, err := eventlog.OpenBolt(dir, eventlog.Options{})
	if err != nil {
		return 0, err
	}
	defer bolt.Close()
	for record, err := range bolt.Log().Scan(ctx, 1) {
		if err != nil {
			return 0, err
		}
		for _, f := range record.Facts {
			if err := decode(f); err != nil {
				return 0, fmt.Errorf("commit %d: %w", record.Seq, err)
			}
		}
		facts += len(record.Facts)
	}
	return facts, nil
}

// scanRaw copies the stored bytes of every commit out of the file, unverified.
func scanRaw(dir string) (commits int, err error) {
	path := filepath.Join(dir, "events.db")
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		return 0, fmt.Errorf("open %s: %w", path, err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte(commitsBucket))
		if bucket == nil {
			return fmt.Errorf("%s: %w", path, os.ErrNotExist)
		}
		var record []byte
		return bucket.ForEach(func(_, stored []byte) error {
			record = append(record[:0], stored...)
			commits++
			return nil
		})
	})
	return commits, err
}
