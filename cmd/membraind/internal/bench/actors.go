package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/membrain-db/membrain"
)

// runActors measures memories as actors: strengthened together, woken, idle, and wanted by many at once.
func runActors(ctx context.Context, r *runner) error {
	dir := r.fresh()
	err := r.with(ctx, dir, func(s *membrain.Store) error {
		n := r.size(10_000, 1_000)
		r.say("actors: %d memories", n)
		stories, err := fill(ctx, s, space, 1, n)
		if err != nil {
			return err
		}
		return r.reinforced(ctx, s, stories)
	})
	if err != nil {
		return err
	}
	if err := r.lives(ctx, dir); err != nil {
		return err
	}
	return r.with(ctx, r.fresh(), func(s *membrain.Store) error { return r.overlap(ctx, s) })
}

// reinforced measures recalls of ten that strengthen what they return.
func (r *runner) reinforced(ctx context.Context, s *membrain.Store, stories []story) error {
	recall := func(i int) error {
		_, err := s.Recall(ctx, membrain.RecallRequest{Namespace: space, Query: stories[i*7919%len(stories)].question(i), Limit: 10})
		return err
	}
	if _, err := times(ctx, 32, r.size(2_000, 100), recall); err != nil { // wakes memories, fills caches
		return err
	}
	rounds, turn := r.size(3, 1), time.Duration(r.size(5_000, 500))*time.Millisecond
	rates := map[int][]float64{}
	for round := range rounds {
		for _, n := range []int{1, 32} {
			r.say("actors: %d callers, round %d of %d", n, round+1, rounds)
			before, counted := writtenBytes()
			got, err := during(ctx, n, turn, recall)
			if err != nil {
				return err
			}
			rates[n] = append(rates[n], got.perSecond())
			after, _ := writtenBytes()
			if round == rounds-1 {
				r.latency(fmt.Sprintf("actors.recall_%d", n), got.took)
				if counted {
					r.add(fmt.Sprintf("actors.written_per_recall_%d", n), float64(after-before)/float64(got.done), "B", got.done)
				}
			}
		}
	}
	r.add("actors.recall_1", median(rates[1]), "recalls/s", rounds)
	r.compare("actors.recall_32", median(rates[32]), "recalls/s", rounds, "actors.recall_1", median(rates[1]))
	return nil
}
