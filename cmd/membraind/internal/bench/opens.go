package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/membrain-db/membrain"
)

// opens grows a store to a million facts, 50,000 memories and recalls of 50, and opens it: as it was closed, and
// with everything derived made anew.
func (r *runner) opens(ctx context.Context) error {
	dir := r.fresh()
	facts, err := r.million(ctx, dir)
	if err != nil {
		return err
	}
	var opened []float64
	for range 5 {
		r.say("recall: open at %d facts", facts)
		started := time.Now()
		err := r.with(ctx, dir, func(*membrain.Store) error {
			opened = append(opened, time.Since(started).Seconds())
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.add("recall.open_s", median(opened), "s", facts)
	return r.with(ctx, dir, func(s *membrain.Store) error { return r.rebuild(ctx, s, facts) })
}

func (r *runner) rebuild(ctx context.Context, s *membrain.Store, facts int) error {
	r.say("recall: rebuild of %d facts", facts)
	took, err := timed(func() error { _, err := s.Rebuild(ctx, nil); return err })
	if err != nil {
		return err
	}
	r.add("recall.rebuild_s", took.Seconds(), "s", facts)
	r.add("recall.rebuild_per_s", float64(facts)/took.Seconds(), "facts/s", facts)
	took, err = timed(func() error { _, err := s.Replay(ctx, membrain.ReplayRequest{}); return err })
	r.add("recall.replay_per_s", float64(facts)/took.Seconds(), "facts/s", facts)
	return err
}

// million writes facts and returns how many: each memory is one, each recall of 50 is 51.
func (r *runner) million(ctx context.Context, dir string) (facts int, err error) {
	memories, limit := r.size(50_000, 2_000), 50
	recalls := (r.size(1_000_000, 20_000) - memories) / (limit + 1)
	err = r.with(ctx, dir, func(s *membrain.Store) error {
		stories, err := fill(ctx, s, space, 5, memories)
		if err != nil {
			return err
		}
		step := max(1, recalls/20)
		if _, err := times(ctx, 32, recalls, func(i int) error {
			if i%step == 0 {
				r.say("recall: %d memories and %d of %d recalls of %d", memories, i, recalls, limit)
			}
			_, err := s.Recall(ctx, membrain.RecallRequest{Namespace: space, Query: stories[i*7919%memories].question(i), Limit: limit})
			return err
		}); err != nil {
			return err
		}
		reply, err := s.Replay(ctx, membrain.ReplayRequest{})
		if err != nil {
			return fmt.Errorf("count the facts: %w", err)
		}
		facts = int(reply.Facts)
		return nil
	})
	return facts, err
}
