package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/projections/state"
)

// catchUp folds the log over a table, from after what it has applied to the commit last, or for as long as more says so. It flushes
// the table now and then, and returns how many commits and facts it folded.
func catchUp(ctx context.Context, log eventlog.Log, t *state.Table, more func(*eventlog.Record) bool,
	progress func(done, total uint64)) (commits, facts uint64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from, head := t.Applied().Seq+1, log.Head().Seq
	if from > head {
		return 0, 0, nil
	}
	batches := make(chan catchUpItem, catchUpBatchesMax)
	go scan(ctx, log, from, more, batches)
	f := folder{table: t, strict: true}
	for item := range batches {
		if item.err != nil {
			return commits, facts, item.err
		}
		for _, d := range item.commits {
			s, err := f.fold(d)
			if err == nil {
				err = s.commit(t)
			}
			if err != nil {
				return commits, facts, err
			}
			commits++
			facts += uint64(len(d.facts))
		}
		if t.Dirty() > catchUpRowsMax {
			// A full disk costs memory here, and is no reason not to open.
			if err := t.Flush(); err != nil && !errors.Is(err, state.ErrUnavailable) {
				return commits, facts, err
			}
		}
		progress(commits, uint64(head-from)+1)
	}
	return commits, facts, ctx.Err()
}

// catchUpItem is a run of commits, or how the scan ended.
type catchUpItem struct {
	commits []decoded
	err     error
}

// scan reads and decodes ahead of the fold.
func scan(ctx context.Context, log eventlog.Log, from eventlog.Seq, more func(*eventlog.Record) bool, out chan<- catchUpItem) {
	defer close(out)
	var item catchUpItem
	send := func() bool {
		select {
		case out <- item:
			item = catchUpItem{}
			return true
		case <-ctx.Done():
			return false
		}
	}
	for record, err := range log.Scan(ctx, from) {
		if err != nil {
			item.err = fmt.Errorf("read log: %w", err)
			break
		}
		if !more(&record) {
			break
		}
		item.commits = append(item.commits, decode(&record))
		if len(item.commits) == catchUpBatch && !send() {
			return
		}
	}
	send()
}

func everything(*eventlog.Record) bool { return true }
