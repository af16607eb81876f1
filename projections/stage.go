package projections

import (
	"sync"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// staging holds records on their way, so that applying their commit need not read them again. A record that is not there, because
// staging was full, is read from contents. Safe for concurrent use.
type staging struct {
	mu      sync.Mutex
	records map[stagingKey]*model.Record
	bytes   int
}

type stagingKey struct {
	ns     eventlog.Ordinal
	number model.ContentNumber
}

func recordBytes(r *model.Record) int {
	n := len(r.Text) + len(r.Context)
	for i := range r.Embeddings {
		n += len(r.Embeddings[i].Vector)
	}
	return n
}

// put replaces what was staged under a number: a commit that failed frees its numbers for others.
func (s *staging) put(key stagingKey, r *model.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(key)
	size := recordBytes(r)
	if len(s.records) >= stagedRecordsMax || s.bytes+size > stagedBytesMax {
		return
	}
	if s.records == nil {
		s.records = map[stagingKey]*model.Record{}
	}
	s.records[key] = r
	s.bytes += size
}

// take removes and returns a record.
func (s *staging) take(key stagingKey) (*model.Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.records[key]
	s.drop(key)
	return r, ok
}

func (s *staging) drop(key stagingKey) {
	if r, ok := s.records[key]; ok {
		s.bytes -= recordBytes(r)
		delete(s.records, key)
	}
}

// Stage hands over a record that a commit about to be submitted brings, to spare Apply the reading. r must not be changed
// afterwards. Staging is bounded: what does not fit is read from contents.
func (p *Projections) Stage(ns eventlog.Ordinal, number model.ContentNumber, r *model.Record) {
	p.staged.put(stagingKey{ns, number}, r)
}

// Unstage drops staged records of a commit that failed.
func (p *Projections) Unstage(ns eventlog.Ordinal, numbers ...model.ContentNumber) {
	p.staged.mu.Lock()
	defer p.staged.mu.Unlock()
	for _, number := range numbers {
		p.staged.drop(stagingKey{ns, number})
	}
}
