package bench

import (
	"context"
	"os"
	"strings"

	"github.com/membrain-db/membrain/model"
)

// Options says where a benchmark works. The zero value is sane.
type Options struct {
	Dir      string       // where temporary stores are made; "" is the system's folder for temporary files
	DataDir  string       // holds the data sets; "" looks for them as [FindData] does
	Quick    bool         // smaller and shorter: figures that tell whether it works, not how fast
	Progress func(string) // hears what is being done; may be nil
}

// Report is what one benchmark found.
type Report struct {
	Bench   string `json:"bench"`
	Machine string `json:"machine"`
	Commit  string `json:"commit"` // of the sources that the program was built from; "unknown" without one
	Rows    []Row  `json:"rows"`
}

// Row is one figure.
type Row struct {
	Metric        string   `json:"metric"` // stable
	Value         float64  `json:"value"`
	Unit          string   `json:"unit"`
	N             int      `json:"n"`              // how many questions, calls or facts it is drawn from
	Baseline      string   `json:"baseline"`       // what it is compared with; "" is nothing
	BaselineValue *float64 `json:"baseline_value"` // in the same unit, from the same run
	Ratio         *float64 `json:"ratio"`          // Value / BaselineValue
}

// benchmark is one entry of the table.
type benchmark struct {
	name string
	run  func(context.Context, *runner) error
}

func benchmarks() []benchmark {
	return []benchmark{
		{"locomo", runLocomo},
		{"cranfield", runCranfield},
		{"log", runLog},
		{"actors", runActors},
		{"recall", runRecall},
		{"vectors", runVectors},
	}
}

// Names lists the benchmarks.
func Names() []string {
	var names []string
	for _, b := range benchmarks() {
		names = append(names, b.name)
	}
	return names
}

// Run runs one benchmark. When ctx ends it stops within a call or two. Errors: *model.Error with code validation for
// an unknown name, not_found for a missing data set; else what the store said.
func Run(ctx context.Context, name string, o Options) (Report, error) {
	for _, b := range benchmarks() {
		if b.name == name {
			return run(ctx, b, o)
		}
	}
	return Report{}, model.Invalid("benchmark", name, strings.Join(Names(), ", "))
}

func run(ctx context.Context, b benchmark, o Options) (report Report, err error) {
	dir, err := os.MkdirTemp(o.Dir, "membrain-bench-")
	if err != nil {
		return Report{}, model.Failure(model.CodeUnavailable, err, "make a temporary folder").WithHint("set TMPDIR to a folder with space")
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}()
	r := &runner{o: o, dir: dir}
	if err := b.run(ctx, r); err != nil {
		return Report{}, err
	}
	return Report{Bench: b.name, Machine: machine(), Commit: commit(ctx), Rows: r.rows}, nil
}
