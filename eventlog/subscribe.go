package eventlog

import (
	"context"
	"iter"
)

// Subscribe yields commits from seq (1 when 0) on: first those that are there, then each new one once it is
// durable and applied, without gap or duplicate. It ends with ctx, without an error; when the writer is closed it
// yields what is left and then ErrClosed. A slow consumer delays nobody: commits are read from the log when it
// asks for them. Errors: as Log.Scan; any error ends it.
func (w *Writer) Subscribe(ctx context.Context, from Seq) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		next := max(from, 1)
		for {
			applied, news, open := w.position()
			for record, err := range w.log.Scan(ctx, next) {
				switch {
				case ctx.Err() != nil:
					return
				case err != nil:
					yield(Record{}, err)
					return
				case record.Seq <= applied && !yield(record, nil):
					return
				}
				if record.Seq > applied {
					break // durable, but not applied yet
				}
				next = record.Seq + 1
			}
			if applied >= next {
				continue
			}
			if !open {
				yield(Record{}, ErrClosed)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-news:
			}
		}
	}
}

// position returns how far commits are visible, and a channel that is closed when that changes.
func (w *Writer) position() (applied Seq, news <-chan struct{}, open bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.news:
		return w.applied, w.news, false // run has stopped
	default:
		return w.applied, w.news, true
	}
}
