package projections

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/filters"
	"github.com/membrain-db/membrain/projections/state"
)

// Compiled is a filter ready for View.Match: see Space.Compile.
type Compiled = filters.Compiled

// Hot is a memory's row of columns; View.Hot returns it.
type Hot = filters.Hot

// Space is one namespace as its readers see it. Safe for concurrent use; a Space stays valid while the projections are open, also
// over a Rebuild.
type Space struct {
	p       *Projections
	world   *world
	ordinal eventlog.Ordinal
	symbols *symbols
	brain   atomic.Pointer[brainState] // apart from mu, so that it may be asked for within a View

	mu   sync.RWMutex // readers hold it for a whole View, the projector while it puts a commit in place
	body *body
}

// brainState is the fold of a namespace's own stream.
type brainState struct {
	brain *model.Brain // nil when its first fact already could not be folded
	head  eventlog.Seq
}

// StreamState is the latest fold of a memory.
type StreamState struct {
	Memory *model.Memory // immutable
	Head   eventlog.Seq  // commit of its last fact
}

// Ordinal returns the number of the namespace.
func (s *Space) Ordinal() eventlog.Ordinal { return s.ordinal }

// Name returns the name of the namespace; "" when it has been erased.
func (s *Space) Name() string {
	name, _ := s.p.names.text(model.Symbol(s.ordinal))
	return name
}

// Brain returns the state of the namespace, immutable; nil when its stream is quarantined from its first fact on.
func (s *Space) Brain() *model.Brain {
	return s.brain.Load().brain
}

// BrainHead returns the version of the brain's stream and the commit of its last fact: what the next fact builds on.
func (s *Space) BrainHead() (version uint64, seq eventlog.Seq) {
	b := s.brain.Load()
	if b.brain != nil {
		version = b.brain.Version
	}
	return version, b.head
}

// Memory returns the latest fold of a memory. Errors: ErrNotFound; ErrQuarantined (a *QuarantinedError); ErrUnavailable; ErrClosed.
func (s *Space) Memory(id model.MemoryID) (StreamState, error) {
	stream := memoryStream(s.ordinal, id)
	row, ok, err := s.row(stream)
	switch {
	case err != nil:
		return StreamState{}, err
	case ok && row.Fault != nil:
		return StreamState{}, &QuarantinedError{Quarantined{Stream: stream, Seq: row.Fault.Seq, Reason: row.Fault.Reason}}
	case !ok || row.Memory == nil:
		return StreamState{}, fmt.Errorf("memory %s: %w", id, ErrNotFound)
	}
	return StreamState{Memory: row.Memory, Head: row.Head}, nil
}

// row reads a row. A table that a rebuild has closed meanwhile has a successor.
func (s *Space) row(stream eventlog.Stream) (*state.Row, bool, error) {
	for {
		table := s.world.table.Load()
		row, ok, err := table.Get(stream)
		if err == nil || s.world.table.Load() == table {
			return row, ok, s.p.readFailed(err)
		}
	}
}

// Record reads a content record. Errors: ErrNotFound; eventlog.ErrErased; eventlog.ErrCorrupt; eventlog.ErrUnavailable.
func (s *Space) Record(n model.ContentNumber) (model.Record, error) {
	return s.p.record(s.ordinal, n)
}

func (p *Projections) record(ns eventlog.Ordinal, n model.ContentNumber) (model.Record, error) {
	b, err := p.o.Contents.Get(ns, uint64(n))
	if errors.Is(err, eventlog.ErrNotFound) {
		return model.Record{}, fmt.Errorf("content %d/%d: %w: %w", ns, n, ErrNotFound, err)
	}
	if err != nil {
		return model.Record{}, fmt.Errorf("read content %d/%d: %w", ns, n, err)
	}
	r, err := codec.DecodeRecord(b)
	if err != nil {
		return model.Record{}, fmt.Errorf("read content %d/%d: %w", ns, n, err)
	}
	return r, nil
}

// Lookup returns the symbol of a string of this namespace.
func (s *Space) Lookup(text string) (model.Symbol, bool) { return s.symbols.lookup(text) }

// Text returns the string of a symbol; ok is false when it was erased or never was.
func (s *Space) Text(symbol model.Symbol) (text string, ok bool) { return s.symbols.text(symbol) }

// Compile resolves a filter for a viewer at the tick of the request. A string that the namespace does not know matches nothing.
func (s *Space) Compile(f model.Filter, viewer model.Viewer, tick model.Tick) Compiled {
	return filters.Compile(f, viewer, tick, s.symbols.lookup)
}

// List returns the ids of at most limit (at least 1) matching memories after a cursor ("" is the beginning), oldest first: by
// creation, or by what they tell of for a timeline. next is "" at the end. Memories that come meanwhile appear
// where they belong. Errors: ErrCursor.
func (s *Space) List(c Compiled, cursor string, limit int, timeline bool) (ids []model.MemoryID, next string, err error) {
	after, err := parseCursor(cursor, timeline)
	if err != nil {
		return nil, "", err
	}
	var page []filters.Place
	var more bool
	s.Read(func(v *View) {
		page, more = v.body.filters.Page(v.Match(c), after, max(1, limit), timeline)
	})
	for _, place := range page {
		ids = append(ids, place.ID)
	}
	if more {
		next = formatCursor(page[len(page)-1], timeline)
	}
	return ids, next, nil
}

const (
	cursorCreated  = 'c'
	cursorTimeline = 't'
	cursorBytes    = 1 + 8 + 16
)

func cursorKind(timeline bool) byte {
	if timeline {
		return cursorTimeline
	}
	return cursorCreated
}

func formatCursor(p filters.Place, timeline bool) string {
	b := binary.BigEndian.AppendUint64([]byte{cursorKind(timeline)}, uint64(p.At))
	return base64.RawURLEncoding.EncodeToString(append(b, p.ID[:]...))
}

func parseCursor(cursor string, timeline bool) (*filters.Place, error) {
	if cursor == "" {
		return nil, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(b) != cursorBytes || b[0] != cursorKind(timeline) {
		return nil, fmt.Errorf("%w: %q", ErrCursor, cursor)
	}
	return &filters.Place{At: model.Millis(binary.BigEndian.Uint64(b[1:])), ID: model.MemoryID(b[9:])}, nil
}
