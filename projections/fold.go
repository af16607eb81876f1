package projections

import (
	"errors"
	"fmt"
	"strings"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/filters"
	"github.com/membrain-db/membrain/projections/state"
)

// foldFormat grows whenever the same log would fold to other rows; a state.db of another format is folded again.
const foldFormat = 1

// decoded is a commit with its facts read.
type decoded struct {
	record *eventlog.Record
	facts  []model.Fact // nil where errs has an error
	errs   []error
}

func decode(r *eventlog.Record) decoded {
	d := decoded{record: r, facts: make([]model.Fact, len(r.Facts)), errs: make([]error, len(r.Facts))}
	for i := range r.Facts {
		f := &r.Facts[i]
		d.facts[i], d.errs[i] = codec.DecodeFact(f.Type, f.Schema, f.Body)
	}
	return d
}

// step is what one commit does to the table.
type step struct {
	head     eventlog.Head
	changes  []change
	requests []state.Request
}

// change is what it does to one stream. before is nil when the stream is new; rows are immutable.
type change struct {
	stream        eventlog.Stream
	before, after *state.Row
}

// folder folds commits over a table, which it only reads.
type folder struct {
	table  *state.Table
	strict bool // refuse facts of a newer version, instead of quarantining their streams
}

// fold works out a commit. Errors: those of reading the table; codec.ErrUnsupported when strict.
func (f folder) fold(d decoded) (step, error) {
	r := d.record
	s := step{head: eventlog.Head{Seq: r.Seq, Hash: r.Hash}}
	at := make(map[eventlog.Stream]int, len(r.Facts)+1)
	for i := range r.Facts {
		if f.strict && errors.Is(d.errs[i], codec.ErrUnsupported) {
			return s, fmt.Errorf("commit %d: %w", r.Seq, d.errs[i])
		}
		c, err := f.changeOf(&s, at, r.Facts[i].Stream)
		if err != nil {
			return s, err
		}
		c.after = foldFact(c.after, r, &r.Facts[i], d.facts[i], d.errs[i])
	}
	if err := f.foldHead(&s, at, r); err != nil {
		return s, err
	}
	s.requests = receipts(d)
	return s, nil
}

// changeOf returns the change of a stream, begun with the row that the table has.
func (f folder) changeOf(s *step, at map[eventlog.Stream]int, stream eventlog.Stream) (*change, error) {
	if i, ok := at[stream]; ok {
		return &s.changes[i], nil
	}
	row, ok, err := f.table.Get(stream)
	if err != nil {
		return nil, fmt.Errorf("read state of %s: %w", stream, err)
	}
	if !ok {
		row = nil
	}
	at[stream] = len(s.changes)
	s.changes = append(s.changes, change{stream: stream, before: row, after: row})
	return &s.changes[len(s.changes)-1], nil
}

// foldHead puts what the commit's head carries into its namespace's brain.
func (f folder) foldHead(s *step, at map[eventlog.Stream]int, r *eventlog.Record) error {
	if r.Namespace == 0 {
		return nil
	}
	c, err := f.changeOf(s, at, brainStream(r.Namespace))
	if err != nil {
		return err
	}
	if c.after == nil {
		s.changes = s.changes[:len(s.changes)-1] // a namespace that was never created has no brain
		return nil
	}
	if c.after.Brain == nil {
		return nil
	}
	row := *c.after
	row.Brain = row.Brain.WithHead(model.CommitHead{
		Tick: model.Tick(r.Tick), Millis: model.Millis(r.TimeMillis),
		ContentHigh: model.ContentNumber(r.ContentHigh), SymbolHigh: model.Symbol(r.SymbolHigh),
	})
	c.after = &row
	return nil
}

func brainStream(ns eventlog.Ordinal) eventlog.Stream {
	return eventlog.Stream{Namespace: ns, Family: eventlog.FamilyBrain}
}

func memoryStream(ns eventlog.Ordinal, id model.MemoryID) eventlog.Stream {
	return eventlog.Stream{Namespace: ns, Family: eventlog.FamilyMemory, ID: id}
}

// foldFact returns the row after a fact. A fact that does not fit quarantines its stream, for good.
func foldFact(row *state.Row, r *eventlog.Record, stored *eventlog.Fact, fact model.Fact, decodeErr error) *state.Row {
	next := state.Row{}
	if row != nil {
		if row.Fault != nil {
			return row
		}
		next = *row
	}
	err := decodeErr
	if err == nil {
		err = assign(&next, r, stored, fact)
	}
	if err == nil {
		next.Head = r.Seq
		return &next
	}
	if row != nil {
		next = *row
	}
	next.Fault = &state.Fault{Seq: r.Seq, Reason: reason(stored, err)}
	return &next
}

// assign folds a fact into a row. Errors: the fact is not the next of its stream, or none for it.
func assign(row *state.Row, r *eventlog.Record, stored *eventlog.Fact, fact model.Fact) error {
	if stored.Prev != row.Head {
		return fmt.Errorf("follows commit %d, the stream ends at %d", stored.Prev, row.Head)
	}
	if want := versionOf(row) + 1; stored.Version != want {
		return fmt.Errorf("version %d, want %d", stored.Version, want)
	}
	switch stored.Stream.Family {
	case eventlog.FamilyMemory:
		row.Memory = model.Apply(row.Memory, fact)
		if row.Memory != nil && stored.Stream.ID != [16]byte(row.Memory.ID) {
			return errors.New("state of another memory")
		}
		if row.Memory != nil && !hasOrdinal(row.Memory) {
			return fmt.Errorf("content number %d is out of range", row.Memory.Content.Number)
		}
	case eventlog.FamilyBrain:
		row.Brain = model.ApplyBrain(row.Brain, fact)
	default:
		return fmt.Errorf("no fold for streams of family %d", stored.Stream.Family)
	}
	if versionOf(row) != stored.Version {
		return errors.New("is no fact for this stream")
	}
	return nil
}

func hasOrdinal(m *model.Memory) bool {
	_, ok := filters.OrdinalOf(m)
	return ok
}

func versionOf(row *state.Row) uint64 {
	switch {
	case row.Memory != nil:
		return row.Memory.Version
	case row.Brain != nil:
		return row.Brain.Version
	}
	return 0
}

// reason names the type of a fact and what is wrong with it, in printable ASCII, so that equal faults give equal rows.
func reason(stored *eventlog.Fact, err error) string {
	text := fmt.Sprintf("%s (schema %d): %v", stored.Type, stored.Schema, err)
	text = strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
	return text[:min(len(text), state.ReasonBytesMax)]
}

// receipts returns the request that a commit acknowledges: it begins with a receipt.
func receipts(d decoded) []state.Request {
	r := d.record
	if r.RequestDigest == [16]byte{} {
		return nil
	}
	for _, f := range d.facts {
		if _, ok := f.(model.RequestAccepted); ok {
			return []state.Request{{Namespace: r.Namespace, Digest: r.RequestDigest, Seq: r.Seq}}
		}
	}
	return nil
}

// commit puts a step into the table.
func (s step) commit(t *state.Table) error {
	changes := make([]state.Change, len(s.changes))
	for i, c := range s.changes {
		changes[i] = state.Change{Stream: c.stream, Row: c.after, New: c.before == nil}
	}
	return t.Commit(s.head, changes, s.requests)
}
