package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
)

func (s *session) stats() *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "Show figures of the whole store", Example: "  membraind stats --json", Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return s.use(c.Context(), func(store *membrain.Store) error {
				got, err := store.Stats(c.Context())
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { fields(w, got) })
			})
		},
	}
}

func (s *session) namespaces() *cobra.Command {
	return &cobra.Command{
		Use: "namespaces", Short: "List the namespaces", Example: "  membraind namespaces", Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return s.use(c.Context(), func(store *membrain.Store) error {
				got, err := store.Namespaces(c.Context())
				if err != nil {
					return err
				}
				return s.print(map[string]any{"namespaces": got}, func(w io.Writer) { drawNamespaces(w, got) })
			})
		},
	}
}

func drawNamespaces(w io.Writer, got []membrain.NamespaceReply) {
	var rows [][]string
	for _, n := range got {
		rows = append(rows, []string{clean(n.Name), fmt.Sprint(n.Memories), fmt.Sprint(n.Tick)})
	}
	table(w, []string{"NAMESPACE", "MEMORIES", "TICK"}, rows)
}

func (s *session) rebuild() *cobra.Command {
	return &cobra.Command{
		Use:   "rebuild",
		Short: "Make everything that is derived anew from the log",
		Long:  "Make state, indexes and filters anew from the log and the contents, which stay untouched. Answers are the same before and after.",
		Args:  words(0, 0), Example: "  membraind rebuild",
		RunE: func(c *cobra.Command, _ []string) error {
			bars := s.bars()
			return s.useAs(c.Context(), opening{stays: true, there: true}, func(store *membrain.Store) error {
				got, err := store.Rebuild(c.Context(), func(done, total uint64) { bars.show("rebuild", done, total) })
				bars.clear()
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { fields(w, got) })
			})
		},
	}
}
