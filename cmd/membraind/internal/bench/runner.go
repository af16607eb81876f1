package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/membrain-db/membrain"
)

// runner is one run of one benchmark.
type runner struct {
	o    Options
	dir  string // of this run alone
	rows []Row
	dirs int
}

func (r *runner) say(format string, args ...any) {
	if r.o.Progress != nil {
		r.o.Progress(fmt.Sprintf(format, args...))
	}
}

// size is full, or quick when the run is to be short.
func (r *runner) size(full, quick int) int {
	if r.o.Quick {
		return quick
	}
	return full
}

// fresh names a folder that is not there yet.
func (r *runner) fresh() string {
	r.dirs++
	return filepath.Join(r.dir, fmt.Sprintf("store-%d", r.dirs))
}

// with opens a store in dir, does the work and closes it.
func (r *runner) with(ctx context.Context, dir string, work func(*membrain.Store) error) error {
	store, err := membrain.Open(ctx, dir, membrain.Options{})
	if err != nil {
		return err
	}
	err = work(store)
	if closed := store.Close(); err == nil {
		err = closed
	}
	return err
}

// add notes a figure without a baseline.
func (r *runner) add(metric string, value float64, unit string, n int) {
	r.rows = append(r.rows, Row{Metric: metric, Value: value, Unit: unit, N: n})
}

// compare notes a figure beside its baseline.
func (r *runner) compare(metric string, value float64, unit string, n int, baseline string, than float64) {
	row := Row{Metric: metric, Value: value, Unit: unit, N: n, Baseline: baseline, BaselineValue: &than}
	if than != 0 {
		ratio := value / than
		row.Ratio = &ratio
	}
	r.rows = append(r.rows, row)
}
