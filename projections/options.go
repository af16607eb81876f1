package projections

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/snapshots"
)

// Options of Open. Dir, Log and Contents are required; the zero value of the rest is what a server wants.
type Options struct {
	Dir       string // data directory: state.db and index/ are made in it
	Log       eventlog.Log
	Contents  eventlog.Contents
	Snapshots *snapshots.Store // nil: no checkpoints, neither read nor written

	Listener        func(Event)              // told of what happens in the background, one call at a time; must not block or call back; nil for nobody
	Progress        func(done, total uint64) // commits folded so far by a long catch-up; nil for nobody
	Clock           func() time.Time         // time.Now when nil; for the creation time of checkpoints only
	CheckpointEvery int                      // facts between checkpoints of the table; 0 means 100,000, below 0 never
	FlushRows       int                      // changed rows at which the table is flushed; 0 means 20,000
	FlushAfter      time.Duration            // time after a change at which it is; 0 means 5 s
}

// Defaults and bounds.
const (
	checkpointEvery   = 100_000
	checkpointsKept   = 16
	flushRows         = 20_000
	flushAfter        = 5 * time.Second
	catchUpRowsMax    = 50_000 // changed rows kept in memory while catching up
	indexSaveDocs     = 50_000 // changed documents after which the index files are saved
	stagedRecordsMax  = 4096
	stagedBytesMax    = 64 << 20
	mentionsMax       = 64 // entities that one query may name
	mentionTokensMax  = 16 // of an entity's name; a longer one is never recognised
	catchUpBatch      = 256
	catchUpBatchesMax = 4
)

func (o Options) withDefaults() (Options, error) {
	var faults []error
	if o.Dir == "" {
		faults = append(faults, errors.New("no Dir"))
	}
	if o.Log == nil {
		faults = append(faults, errors.New("no Log"))
	}
	if o.Contents == nil {
		faults = append(faults, errors.New("no Contents"))
	}
	if len(faults) > 0 {
		return o, fmt.Errorf("projections: options: %w", errors.Join(faults...))
	}
	o.Listener = oneAtATime(o.Listener)
	if o.Progress == nil {
		o.Progress = func(uint64, uint64) {}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.CheckpointEvery == 0 {
		o.CheckpointEvery = checkpointEvery
	}
	if o.FlushRows <= 0 {
		o.FlushRows = flushRows
	}
	if o.FlushAfter <= 0 {
		o.FlushAfter = flushAfter
	}
	return o, nil
}

// oneAtATime keeps a listener from being called by two goroutines at once.
func oneAtATime(listener func(Event)) func(Event) {
	var turn sync.Mutex
	return func(e Event) {
		turn.Lock()
		defer turn.Unlock()
		if listener != nil {
			listener(e)
		}
	}
}

// EventKind is what an Event tells of.
type EventKind string

// The kinds of Event.
const (
	EventRebuilt     EventKind = "rebuilt"     // a derived file was of no use and has been made again; Cause says why
	EventQuarantined EventKind = "quarantined" // a stream is out of service
	EventUnreadable  EventKind = "unreadable"  // texts cannot be read, so no search finds their memories; Cause is that of the first
	EventFailed      EventKind = "failed"      // background work failed and will be tried again
	EventCheckpoint  EventKind = "checkpoint"  // a checkpoint was written
)

// Event is something that happened in the background. It holds no text of a caller.
type Event struct {
	Kind      EventKind
	What      string // the file or the work: "state.db", "lexical", "vectors", "fingerprints", "contents", "flush", "checkpoint"
	Namespace eventlog.Ordinal
	Seq       eventlog.Seq
	Cause     error
}
