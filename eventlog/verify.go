package eventlog

import (
	"context"
	"errors"
	"fmt"
)

// problemsMax bounds a report. A store with more is damaged beyond counting.
const problemsMax = 1000

// progressEvery is how many commits pass between calls of progress.
const progressEvery = 1024

// Kinds of Problem.
const (
	ProblemDamage      = "damage"       // bytes are not what was written: frame, checksum, hash, page
	ProblemGap         = "gap"          // a commit is missing
	ProblemChain       = "chain"        // the previous hash is not that of the commit before
	ProblemHead        = "head"         // the last commit is not the one that the log calls its head
	ProblemVersion     = "version"      // a stream's versions do not rise by one (VER-1)
	ProblemLink        = "link"         // Prev is not the commit of the stream's previous fact
	ProblemContentHigh = "content_high" // a namespace's content mark went back
	ProblemSymbolHigh  = "symbol_high"
	ProblemTick        = "tick" // a namespace's tick went back
	ProblemTime        = "time" // a namespace's time went back
	ProblemContent     = "content"
)

// Problem is one thing that is wrong.
type Problem struct {
	Seq  Seq // commit concerned; 0 for contents
	Kind string
	Want string
	Got  string
}

// Report is what Verify found. The store is sound when Problems is empty.
type Report struct {
	Commits   uint64
	Facts     uint64
	HeadSeq   Seq
	HeadHash  [32]byte
	Problems  []Problem
	Truncated bool // there were more than 1,000 problems
}

// Checker is a half of a store that can check its own structure.
type Checker interface {
	// Check calls report for each thing that is wrong. Errors: the context's; ErrUnavailable; ErrClosed.
	Check(ctx context.Context, report func(Problem)) error
}

// Verify reads the whole log and, when contents is not nil, all contents, and reports everything that is not as
// the laws of this package say: checksums, chain, numbers of commits, versions and links of streams, and that
// marks, ticks and times never go back. It goes on after damage. progress may be nil. Memory: one entry per
// stream. Errors: those of ctx, ErrClosed, ErrUnavailable; damage is no error but a problem.
func Verify(ctx context.Context, log Log, contents Contents, progress func(done, total uint64)) (Report, error) {
	v := &verifier{head: log.Head(), progress: progress, streams: map[Stream]streamHead{}, namespaces: map[Ordinal]Commit{}}
	if v.progress == nil {
		v.progress = func(uint64, uint64) {}
	}
	if err := v.commits(ctx, log); err != nil {
		return v.report, err
	}
	for _, half := range []any{log, contents} {
		checker, ok := half.(Checker)
		if !ok {
			continue
		}
		if err := checker.Check(ctx, v.add); err != nil {
			return v.report, err
		}
	}
	return v.report, nil
}

// verifier folds the log into the few things that the next commit is compared with.
type verifier struct {
	head       Head
	report     Report
	progress   func(done, total uint64)
	streams    map[Stream]streamHead
	namespaces map[Ordinal]Commit // last commit of each, without its facts
	blind      bool               // a commit could not be read: streams may have facts that we do not know
}

type streamHead struct {
	version uint64
	seq     Seq
	blind   bool // as of the time when it was seen
}

func (v *verifier) add(p Problem) {
	if len(v.report.Problems) >= problemsMax {
		v.report.Truncated = true
		return
	}
	v.report.Problems = append(v.report.Problems, p)
}

// commits scans, and starts again behind each commit that cannot be read.
func (v *verifier) commits(ctx context.Context, log Log) error {
	next := Seq(1)
	for next <= v.head.Seq && !v.report.Truncated {
		err := v.scan(ctx, log, &next)
		if err == nil {
			break
		}
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) {
			return err
		}
		v.add(problemOf(corrupt, next))
		v.blind = true
		v.report.HeadHash = [32]byte{} // the chain cannot be followed over the hole
		next++
	}
	v.progress(uint64(v.head.Seq), uint64(v.head.Seq))
	if !v.blind && v.report.HeadHash != v.head.Hash {
		v.add(Problem{Seq: v.head.Seq, Kind: ProblemHead, Want: hexOf(v.head.Hash[:]), Got: hexOf(v.report.HeadHash[:])})
	}
	return nil
}

func (v *verifier) scan(ctx context.Context, log Log, next *Seq) error {
	for record, err := range log.Scan(ctx, *next) {
		if err != nil {
			return err
		}
		if record.Seq > v.head.Seq {
			return nil // appended meanwhile
		}
		v.commit(&record)
		*next = record.Seq + 1
		if record.Seq%progressEvery == 0 {
			v.progress(uint64(record.Seq), uint64(v.head.Seq))
		}
	}
	return nil
}

func problemOf(corrupt *CorruptError, next Seq) Problem {
	kind := ProblemDamage
	switch corrupt.What {
	case "chain":
		kind = ProblemChain
	case "key", "commit", "commit number":
		kind = ProblemGap
	}
	return Problem{Seq: max(corrupt.Seq, next), Kind: kind, Want: corrupt.What + " " + corrupt.Want, Got: corrupt.Got}
}

func (v *verifier) commit(record *Record) {
	if hash := v.report.HeadHash; hash != [32]byte{} && record.PrevHash != hash {
		v.add(Problem{Seq: record.Seq, Kind: ProblemChain, Want: hexOf(hash[:]), Got: hexOf(record.PrevHash[:])})
	}
	v.report.Commits++
	v.report.HeadSeq, v.report.HeadHash = record.Seq, record.Hash
	v.namespace(record)
	for i := range record.Facts {
		v.fact(record.Seq, &record.Facts[i])
	}
}

// namespace checks that what may only grow has not shrunk.
func (v *verifier) namespace(record *Record) {
	last, known := v.namespaces[record.Namespace]
	now := record.Commit
	now.Facts = nil
	v.namespaces[record.Namespace] = now
	if !known {
		return
	}
	for _, each := range []struct {
		kind     string
		was, now int64
	}{
		{ProblemTick, int64(last.Tick), int64(now.Tick)},
		{ProblemTime, last.TimeMillis, now.TimeMillis},
		{ProblemContentHigh, int64(last.ContentHigh), int64(now.ContentHigh)},
		{ProblemSymbolHigh, int64(last.SymbolHigh), int64(now.SymbolHigh)},
	} {
		if each.now < each.was {
			v.add(Problem{Seq: record.Seq, Kind: each.kind, Want: fmt.Sprintf("at least %d", each.was), Got: fmt.Sprint(each.now)})
		}
	}
}

// fact checks version (VER-1) and link against the stream's previous fact. Over a hole in the log neither is known.
func (v *verifier) fact(seq Seq, fact *Fact) {
	v.report.Facts++
	last := v.streams[fact.Stream]
	v.streams[fact.Stream] = streamHead{version: fact.Version, seq: seq, blind: v.blind}
	if v.blind && !last.blind {
		return
	}
	if fact.Version != last.version+1 {
		v.add(Problem{Seq: seq, Kind: ProblemVersion, Want: fmt.Sprintf("%s version %d", fact.Stream, last.version+1), Got: fmt.Sprint(fact.Version)})
	}
	if fact.Prev != last.seq {
		v.add(Problem{Seq: seq, Kind: ProblemLink, Want: fmt.Sprintf("%s after commit %d", fact.Stream, last.seq), Got: fmt.Sprint(fact.Prev)})
	}
}
