package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
)

func (s *session) doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong with a store, and say what mends it",
		Long: `Look at everything that can be looked at without reading the whole log, which audit verify does. A store that cannot be
opened is told as blocked, with the reason. Exit code 0 is healthy, 6 degraded or blocked, 7 corrupt,
1 when a newer membrain wrote the store.`,
		Example: "  membraind doctor\n  membraind doctor --json", Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			examined := false
			var got membrain.DoctorReply
			err := s.useOld(c.Context(), func(store *membrain.Store) (err error) {
				got, err = store.Doctor(c.Context())
				examined = err == nil
				return err
			})
			if err != nil && !examined {
				return s.cannotExamine(err)
			}
			if err != nil {
				return err
			}
			if err := s.print(got, func(w io.Writer) { drawDoctor(w, got) }); err != nil || got.Status == membrain.Healthy {
				return err
			}
			return toldError{exitBusy}
		},
	}
}

// cannotExamine tells a store that does not open as blocked; faults of the command stay errors.
func (s *session) cannotExamine(err error) error {
	e := asError(err)
	exit := exitOf(e.Code)
	if !slices.Contains([]int{exitBusy, exitCorrupt, exitOther}, exit) {
		return err
	}
	got := membrain.DoctorReply{Status: membrain.Blocked, Checks: []membrain.Check{
		{Name: "open", Status: membrain.Blocked, Detail: e.Error(), Hint: e.Hint},
	}}
	if printErr := s.print(got, func(w io.Writer) { drawDoctor(w, got) }); printErr != nil {
		return printErr
	}
	return toldError{exit}
}

func drawDoctor(w io.Writer, got membrain.DoctorReply) {
	var rows [][]string
	for _, c := range got.Checks {
		rows = append(rows, []string{clean(c.Name), string(c.Status), clean(c.Detail), orDash(clean(c.Hint))})
	}
	table(w, []string{"CHECK", "STATUS", "DETAIL", "HINT"}, rows)
}
