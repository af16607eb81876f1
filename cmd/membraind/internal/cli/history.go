package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) history() *cobra.Command {
	var r model.MemoryRequest
	return &cobra.Command{
		Use:     "history ID",
		Short:   "Show every fact of one memory, oldest first",
		Example: `  membraind history 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55`,
		Args:    words(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return s.withMemory(c, args[0], &r, func(store *membrain.Store) error {
				got, err := store.History(c.Context(), r)
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { drawHistory(w, got.Facts, s.room(100)) })
			})
		},
	}
}

// drawHistory cuts what a fact changed to columns; 0 shows all.
func drawHistory(w io.Writer, facts []model.HistoryFact, columns int) {
	var rows [][]string
	for _, f := range facts {
		rows = append(rows, []string{
			fmt.Sprint(f.Seq), fmt.Sprint(f.Version), fmt.Sprint(f.Tick), minute(f.At), clean(f.Type), orDash(clean(f.Cause)),
			valueOrDash(f.AgentID), cut(changes(f.Changes), columns),
		})
	}
	table(w, []string{"SEQ", "VERSION", "TICK", "AT", "FACT", "CAUSE", "AGENT", "CHANGES"}, rows)
}

// changes writes what a fact changed, in the order of the names.
func changes(c map[string]any) string {
	if len(c) == 0 {
		return "-"
	}
	raw, err := json.Marshal(c)
	if err != nil { // replies always marshal: their types are ours
		panic(err)
	}
	return clean(string(raw))
}
