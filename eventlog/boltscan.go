package eventlog

import (
	"context"
	"iter"
	"time"

	"go.etcd.io/bbolt"
)

// Bounds of one read transaction of a scan. A long one would keep pages from being reused and, when the file
// outgrows its mapping, block the writer.
const (
	chunkCommitsMax = 10_000
	chunkBytesMax   = 4 << 20
	chunkTimeMax    = 50 * time.Millisecond
	chunkClockEvery = 64 // commits between looks at the clock
)

// chunk is a run of stored commits, copied out of the mapping.
type chunk struct {
	bytes []byte
	ends  []int // end of each record in bytes
}

func (c *chunk) reset() { c.bytes, c.ends = c.bytes[:0], c.ends[:0] }

func (c *chunk) add(stored []byte) {
	c.bytes = append(c.bytes, stored...)
	c.ends = append(c.ends, len(c.bytes))
}

// records yields the slices of the chunk; they are valid until the next reset.
func (c *chunk) records() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		start := 0
		for _, end := range c.ends {
			if !yield(c.bytes[start:end]) {
				return
			}
			start = end
		}
	}
}

// Scan implements Log.
func (l *boltLog) Scan(ctx context.Context, from Seq) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		next, last := max(from, 1), l.Head().Seq
		var prev *[32]byte // hash of the commit before next; nil at the start
		var c chunk
		ahead := l.newReadAhead(next, last)
		for next <= last {
			if err := l.readChunk(ctx, &c, next, last, ahead); err != nil {
				yield(Record{}, err)
				return
			}
			for stored := range c.records() {
				record, err := chained(stored, next, prev)
				if err != nil {
					yield(Record{}, inFile(err, eventsName, next))
					return
				}
				if !yield(record, nil) {
					return
				}
				prev, next = &record.Hash, next+1
			}
		}
	}
}

// chained decodes commit seq and checks its number and that it chains to prev, when that is known.
func chained(stored []byte, seq Seq, prev *[32]byte) (Record, error) {
	record, err := recordOf(seqKey(seq), stored, seq)
	if err != nil {
		return Record{}, err
	}
	if prev == nil && seq == 1 {
		prev = new([32]byte)
	}
	if prev != nil && record.PrevHash != *prev {
		return Record{}, &CorruptError{Seq: seq, What: "chain", Want: hexOf(prev[:]), Got: hexOf(record.PrevHash[:])}
	}
	return record, nil
}

// readChunk copies commits from next on, at most to last, in one bounded read transaction.
func (l *boltLog) readChunk(ctx context.Context, c *chunk, next, last Seq, ahead *readAhead) error {
	c.reset()
	if err := ctx.Err(); err != nil {
		return err
	}
	err := l.file.view(func(tx *bbolt.Tx) error {
		ahead.begin(tx)
		return scanRaw(tx, next, last, func(_ Seq, stored []byte) bool {
			ahead.passed(stored)
			c.add(stored)
			return len(c.ends) < chunkCommitsMax && len(c.bytes) < chunkBytesMax
		})
	})
	if err != nil {
		return inFile(err, eventsName, next+Seq(len(c.ends)))
	}
	if len(c.ends) == 0 {
		return &CorruptError{File: eventsName, Seq: next, What: "commit", Want: "present", Got: "missing"}
	}
	return nil
}

// scanRaw passes the stored bytes of commits next to last, in place, until fn says no or time is up. It checks
// that numbers follow each other (L1) and nothing else.
func scanRaw(tx *bbolt.Tx, next, last Seq, fn func(Seq, []byte) bool) error {
	bucket, err := bucketOf(tx, commitsBucket)
	if err != nil {
		return err
	}
	started := time.Now()
	cursor := bucket.Cursor()
	count := 0
	for key, stored := cursor.Seek(seqKey(next)); next <= last; key, stored = cursor.Next() {
		if err := expectKey(key, stored, next); err != nil {
			return err
		}
		if !fn(next, stored) {
			return nil
		}
		next++
		if count++; count%chunkClockEvery == 0 && time.Since(started) > chunkTimeMax {
			return nil
		}
	}
	return nil
}
