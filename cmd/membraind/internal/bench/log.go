package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// runLog measures durable commits by callers that each wait for their own, then scans.
func runLog(ctx context.Context, r *runner) error {
	if err := r.appends(ctx); err != nil {
		return err
	}
	return r.scans(ctx)
}

// race is the contenders on their way.
type race struct {
	*runner
	dir   string
	all   []contender
	next  []uint64 // commits so far, by contender
	syncs latencies
}

func (r *runner) appends(ctx context.Context) (err error) {
	dir := r.fresh()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	all, err := contenders(dir)
	if err != nil {
		return err
	}
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.close())
		}
	}()
	x := &race{runner: r, dir: dir, all: all, next: make([]uint64, len(all))}
	for _, n := range []int{1, 8, 64, 256} {
		if err := x.with(ctx, n); err != nil {
			return err
		}
	}
	r.add("log.fsync_ms", millis(x.syncs.at(0.5)), "ms", len(x.syncs)*syncRounds)
	return nil
}

const syncRounds = 50

// with runs the contenders by so many callers. They take turns, so that what else the machine does meets all.
func (x *race) with(ctx context.Context, n int) error {
	rounds, turn := x.size(5, 1), time.Duration(x.size(1000, 150))*time.Millisecond
	rates := make([][]float64, len(x.all))
	for round := range rounds {
		x.say("log: %d callers, round %d of %d", n, round+1, rounds)
		sync, err := fsyncTime(x.dir, syncRounds)
		if err != nil {
			return err
		}
		x.syncs = append(x.syncs, sync)
		for i, c := range x.all {
			rate, err := x.turn(ctx, i, n, turn)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			rates[i] = append(rates[i], rate)
		}
	}
	metric, ours := fmt.Sprintf("log.append_%d", n), median(rates[0])
	for i, c := range x.all[1:] {
		x.compare(metric, ours, "commits/s", rounds, c.name, median(rates[i+1]))
		metric += "_vs_sqlite"
	}
	return nil
}

// turn lets one contender commit for a time and returns its commits per second.
func (x *race) turn(ctx context.Context, i, n int, d time.Duration) (float64, error) {
	first := x.next[i] + 1
	got, err := during(ctx, n, d, func(k int) error { return x.all[i].commit(first + uint64(k)) })
	x.next[i] += uint64(got.done + n) // at the end each caller has drawn a number and left it
	return got.perSecond(), err
}

// median of rounds; of an even number the lower of the middle two.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
