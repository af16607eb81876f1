package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/membrain-db/membrain"
)

// runActors measures memories as actors: strengthened together, woken, idle, and wanted by many at once.
func runActors(ctx context.Context, r *runner) error {
	var dir string
	for _, n := range []int{1_000, r.size(10_000, 2_000)} {
		dir = r.fresh()
		if err := r.with(ctx, dir, func(s *membrain.Store) error { return r.reinforced(ctx, s, n) }); err != nil {
			return err
		}
	}
	if err := r.lives(ctx, dir); err != nil {
		return err
	}
	return r.with(ctx, r.fresh(), func(s *membrain.Store) error { return r.overlap(ctx, s) })
}

// reinforced measures recalls of ten that strengthen what they return, in a namespace of n memories.
func (r *runner) reinforced(ctx context.Context, s *membrain.Store, n int) error {
	r.say("actors: %d memories", n)
	stories, err := fill(ctx, s, space, 1, n)
	if err != nil {
		return err
	}
	recall := func(i int) error {
		_, err := s.Recall(ctx, membrain.RecallRequest{Namespace: space, Query: stories[i*7919%n].question(i), Limit: 10})
		return err
	}
	if _, err := times(ctx, 32, r.size(2_000, 100), recall); err != nil { // wakes memories, fills caches
		return err
	}
	rounds, turn := r.size(3, 1), time.Duration(r.size(5_000, 500))*time.Millisecond
	at := map[int]*reinforcing{1: {}, 32: {}}
	for round := range rounds {
		for _, callers := range []int{1, 32} {
			r.say("actors: %d callers on %d memories, round %d of %d", callers, n, round+1, rounds)
			if err := at[callers].add(func() (load, error) { return during(ctx, callers, turn, recall) }); err != nil {
				return err
			}
		}
	}
	alone := median(at[1].rates)
	for _, callers := range []int{1, 32} {
		name := fmt.Sprintf("actors.recall_%d_of_%d", callers, n)
		r.compare(name, median(at[callers].rates), "recalls/s", at[callers].done, fmt.Sprintf("actors.recall_1_of_%d", n), alone)
		r.latency(name, at[callers].took)
		at[callers].report(r, name)
	}
	return nil
}

// reinforcing is what rounds of one number of callers gave.
type reinforcing struct {
	rates   []float64
	took    latencies
	done    int
	written uint64
	spent   time.Duration
	counted bool // the system told what was written and spent
}

func (x *reinforcing) add(round func() (load, error)) error {
	written, counts := writtenBytes()
	spent, tells := processorTime()
	got, err := round()
	if err != nil {
		return err
	}
	writtenAfter, _ := writtenBytes()
	spentAfter, _ := processorTime()
	x.rates, x.took, x.done = append(x.rates, got.perSecond()), append(x.took, got.took...), x.done+got.done
	x.written, x.spent, x.counted = x.written+writtenAfter-written, x.spent+spentAfter-spent, counts && tells
	return nil
}

func (x *reinforcing) report(r *runner, name string) {
	if x.counted && x.done > 0 {
		r.add(name+".written_bytes", float64(x.written)/float64(x.done), "B/recall", x.done)
		r.add(name+".processor_us", micros(x.spent)/float64(x.done), "us/recall", x.done)
	}
}
