package bench

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// load is what a number of callers got done.
type load struct {
	done    int
	elapsed time.Duration
	took    latencies
}

func (l load) perSecond() float64 { return float64(l.done) / l.elapsed.Seconds() }

// during makes callers call for a time. A call gets its number, counted from 0 over all of them.
func during(ctx context.Context, n int, d time.Duration, call func(i int) error) (load, error) {
	end := time.Now().Add(d)
	return callers(ctx, n, func(int) bool { return time.Now().Before(end) }, call)
}

// times makes callers share a number of calls.
func times(ctx context.Context, n, calls int, call func(i int) error) (load, error) {
	return callers(ctx, n, func(i int) bool { return i < calls }, call)
}

// callers makes n callers call as long as there is more to do, each waiting for its own answer. The first error of
// any stops all. Errors: those of the calls; that of ctx when it ended.
func callers(ctx context.Context, n int, more func(i int) bool, call func(i int) error) (load, error) {
	var next, failed atomic.Int64
	took, errs := make([]latencies, n), make([]error, n)
	started := time.Now()
	var wait sync.WaitGroup
	for c := range n {
		wait.Go(func() {
			for ctx.Err() == nil && failed.Load() == 0 {
				i := int(next.Add(1)) - 1
				if !more(i) {
					return
				}
				began := time.Now()
				if errs[c] = call(i); errs[c] != nil {
					failed.Add(1)
					return
				}
				took[c] = append(took[c], time.Since(began))
			}
		})
	}
	wait.Wait()
	out := load{elapsed: time.Since(started)}
	for _, t := range took {
		out.done += len(t)
		out.took = append(out.took, t...)
	}
	return out, errors.Join(append(errs, ctx.Err())...)
}
