package brain

import (
	"sync"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// staging hands symbols and opened content records of commits under way to the projections, which would
// otherwise read them from disk. The lock spans submission, so the writer's goroutine finds what belongs to a
// commit even when it is faster than the submitter.
type staging struct {
	mu    sync.Mutex
	byseq map[eventlog.Seq]staged
}

type staged struct {
	commit  *eventlog.Commit
	ns      eventlog.Ordinal
	symbols []eventlog.Symbol
	records map[model.ContentNumber]*model.Record
}

// submit submits an entry and stages what belongs to it. When the commit fails, that is dropped before the log
// gives its number to another.
func (e *Engine) submit(entry eventlog.Entry, s staged) (seq eventlog.Seq, err error) {
	e.staged.mu.Lock()
	defer e.staged.mu.Unlock()
	s.commit = entry.Commit
	done := entry.Done
	entry.Done = func(r eventlog.Result) {
		if r.Err != nil {
			e.unstage(&seq, entry.Commit)
		}
		done(r)
	}
	if seq, err = e.writer.Submit(entry); err != nil {
		return 0, err
	}
	delete(e.staged.byseq, seq) // of a failed commit that had the number before
	if len(s.symbols) > 0 || len(s.records) > 0 {
		e.staged.byseq[seq] = s
	}
	return seq, nil
}

// unstage drops what was staged for a commit. seq is written under the lock.
func (e *Engine) unstage(seq *eventlog.Seq, commit *eventlog.Commit) {
	e.staged.mu.Lock()
	defer e.staged.mu.Unlock()
	if e.staged.byseq[*seq].commit == commit {
		delete(e.staged.byseq, *seq)
	}
}

func (e *Engine) take(seq eventlog.Seq) (staged, bool) {
	e.staged.mu.Lock()
	defer e.staged.mu.Unlock()
	s, ok := e.staged.byseq[seq]
	delete(e.staged.byseq, seq)
	return s, ok
}

// apply is the writer's hook: the projections learn a batch before any reply leaves.
func (e *Engine) apply(records []eventlog.Record) {
	for i := range records {
		s, ok := e.take(records[i].Seq)
		if !ok {
			continue
		}
		e.o.Projections.LearnSymbols(s.ns, s.symbols)
		for n, r := range s.records {
			e.o.Projections.Stage(s.ns, n, r)
		}
	}
	e.o.Projections.Apply(records)
}
