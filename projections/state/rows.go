package state

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/membrain-db/membrain/eventlog"
)

// Rows hands every row to fn, parsed by as many goroutines as there are processors. fn is called by one of them at a
// time, in no order. Errors: those of Cells; fn's; the cause of ctx.
func (s *Snapshot) Rows(ctx context.Context, fn func(eventlog.Stream, *Row) error) error {
	for _, stream := range s.rows {
		if err := fn(stream, s.over.rows[stream]); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan []cell)
	var workers sync.WaitGroup
	var turn sync.Mutex
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for chunk := range work {
				if err := s.hand(chunk, &turn, fn); err != nil {
					cancel(err)
				}
			}
		})
	}
	err := s.feed(ctx, work)
	close(work)
	workers.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// feed sends the file's cells in chunks, until all are sent or ctx ends.
func (s *Snapshot) feed(ctx context.Context, work chan<- []cell) error {
	var chunk []cell
	send := func() error {
		select {
		case work <- chunk:
			chunk = nil
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	for c, err := range s.fileCells(rowsBucket) {
		if err != nil {
			return err
		}
		if chunk = append(chunk, c); len(chunk) < chunkCells {
			continue
		}
		if err := send(); err != nil {
			return err
		}
	}
	return send()
}

// hand parses a chunk, without the rows that an overlay replaces, and passes it on.
func (s *Snapshot) hand(chunk []cell, turn *sync.Mutex, fn func(eventlog.Stream, *Row) error) error {
	streams, rows := make([]eventlog.Stream, 0, len(chunk)), make([]*Row, 0, len(chunk))
	for _, c := range chunk {
		stream, err := ParseKey(c.key)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrRebuild, err)
		}
		if _, replaced := s.over.rows[stream]; replaced {
			continue
		}
		row, err := ParseRow(c.value)
		if err != nil {
			return fmt.Errorf("%w: row of %s: %w", ErrRebuild, stream, err)
		}
		streams, rows = append(streams, stream), append(rows, row)
	}
	turn.Lock()
	defer turn.Unlock()
	for i, stream := range streams {
		if err := fn(stream, rows[i]); err != nil {
			return err
		}
	}
	return nil
}
