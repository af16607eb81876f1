package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain/cmd/membraind/internal/bench"
)

func (s *session) bench() *cobra.Command {
	var o bench.Options
	c := &cobra.Command{
		Use:   "bench NAME",
		Short: "Measure this machine",
		Long: `Measure this machine with one of: ` + strings.Join(bench.Names(), ", ") + `. Stores are made in temporary folders and removed;
no data directory of yours is touched. locomo and cranfield need their data sets, which are not shipped.`,
		Example: `  membraind bench log
  membraind bench locomo --datasets ./datasets --json`,
		ValidArgs: bench.Names(),
		Args:      words(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			o.Progress = func(what string) { s.note("%s", clean(what)) }
			got, err := bench.Run(c.Context(), args[0], o)
			if err != nil {
				return err
			}
			return s.print(got, func(w io.Writer) { drawBench(w, got) })
		},
	}
	f := c.Flags()
	f.StringVar(&o.DataDir, "datasets", "", "folder `DIR` with the data sets (else $MEMBRAIN_DATASETS)")
	f.StringVar(&o.Dir, "temp", "", "make the temporary stores in `DIR`")
	f.BoolVar(&o.Quick, "quick", false, "smaller and shorter: tells whether it works, not how fast")
	return c
}

func drawBench(w io.Writer, r bench.Report) {
	fmt.Fprintf(w, "%s on %s, commit %s\n\n", r.Bench, clean(r.Machine), orDash(clean(r.Commit)))
	var rows [][]string
	for _, row := range r.Rows {
		rows = append(rows, []string{row.Metric, figure(&row.Value), row.Unit, fmt.Sprint(row.N), orDash(row.Baseline), figure(row.BaselineValue), figure(row.Ratio)})
	}
	table(w, []string{"METRIC", "VALUE", "UNIT", "N", "BASELINE", "VALUE", "RATIO"}, rows)
}

// figure writes a number with four digits that count.
func figure(v *float64) string {
	switch {
	case v == nil:
		return "-"
	case *v >= 10_000 || *v <= -10_000:
		return fmt.Sprintf("%.0f", *v)
	}
	return fmt.Sprintf("%.4g", *v)
}
