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
	ns      eventlog.Ordinal
	symbols []eventlog.Symbol
	records map[model.ContentNumber]*model.Record
}

// submit submits an entry and stages what belongs to it.
func (e *Engine) submit(entry eventlog.Entry, s staged) (eventlog.Seq, error) {
	e.staged.mu.Lock()
	defer e.staged.mu.Unlock()
	seq, err := e.writer.Submit(entry)
	if err == nil && (len(s.symbols) > 0 || len(s.records) > 0) {
		e.staged.byseq[seq] = s
	}
	return seq, err
}

func (e *Engine) unstage(seq eventlog.Seq) (staged, bool) {
	e.staged.mu.Lock()
	defer e.staged.mu.Unlock()
	s, ok := e.staged.byseq[seq]
	delete(e.staged.byseq, seq)
	return s, ok
}

// apply is the writer's hook: the projections learn a batch before any reply leaves.
func (e *Engine) apply(records []eventlog.Record) {
	for i := range records {
		s, ok := e.unstage(records[i].Seq)
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
