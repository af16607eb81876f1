package eventlog

import (
	"context"
	"fmt"
	"iter"
)

// StoredFact is a fact with the commit that holds it.
type StoredFact struct {
	Fact
	Index  int     // among the facts of the commit
	Record *Record // shared by the facts of one commit; not to be changed
}

// Walk yields the facts of one stream from newest to oldest, following Prev. from is the commit that holds the
// newest fact wanted; 0 yields nothing. Errors: ErrNotFound for a from past the head; ErrCorrupt for a link that
// leads nowhere or a version out of order; those of ctx.
func Walk(ctx context.Context, log Log, stream Stream, from Seq) iter.Seq2[StoredFact, error] {
	return func(yield func(StoredFact, error) bool) {
		version := uint64(0) // of the fact after the next one; 0 before the first
		for at := from; at != 0; {
			record, err := recordOfStream(ctx, log, at)
			if err != nil {
				yield(StoredFact{}, fmt.Errorf("walk %s: %w", stream, err))
				return
			}
			at = 0
			found := false
			for i := len(record.Facts) - 1; i >= 0; i-- {
				fact := record.Facts[i]
				if fact.Stream != stream {
					continue
				}
				if err := follows(record.Seq, fact, version); err != nil {
					yield(StoredFact{}, err)
					return
				}
				if !yield(StoredFact{Fact: fact, Index: i, Record: &record}, nil) {
					return
				}
				found, version, at = true, fact.Version, fact.Prev
			}
			if err := endsWell(record.Seq, stream, found, at, version); err != nil {
				yield(StoredFact{}, err)
				return
			}
		}
	}
}

func recordOfStream(ctx context.Context, log Log, at Seq) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	return log.At(at)
}

// follows checks a fact against the version of the one after it in the stream.
func follows(seq Seq, fact Fact, after uint64) error {
	if after != 0 && fact.Version != after-1 {
		return &CorruptError{Seq: seq, What: "version in " + fact.Stream.String(), Want: fmt.Sprint(after - 1), Got: fmt.Sprint(fact.Version)}
	}
	return nil
}

// endsWell checks what the oldest fact of a stream in a commit says about the one before.
func endsWell(seq Seq, stream Stream, found bool, prev Seq, version uint64) error {
	what := "link of " + stream.String()
	switch {
	case !found:
		return &CorruptError{Seq: seq, What: what, Want: "a fact of the stream", Got: "none"}
	case prev >= seq:
		return &CorruptError{Seq: seq, What: what, Want: fmt.Sprintf("below %d", seq), Got: fmt.Sprint(prev)}
	case (prev == 0) != (version == 1):
		return &CorruptError{Seq: seq, What: what, Want: "none before version 1, one before others", Got: fmt.Sprintf("commit %d before version %d", prev, version)}
	}
	return nil
}
