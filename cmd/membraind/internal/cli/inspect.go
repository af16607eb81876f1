package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) inspect() *cobra.Command {
	var r model.MemoryRequest
	c := &cobra.Command{
		Use:   "inspect ID",
		Short: "Show one memory with every field",
		Long:  "Show one memory with every field, as it is at the current tick. Looking strengthens nothing.",
		Example: `  membraind inspect 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55
  membraind inspect --no-payload --json 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55`,
		Args: words(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return s.withMemory(c, args[0], &r, func(store *membrain.Store) error {
				got, err := store.Inspect(c.Context(), r)
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { fields(w, got) })
			})
		},
	}
	c.Flags().BoolVar(&r.NoPayload, "no-payload", false, "leave out full text, context and payload")
	return c
}

// withMemory completes a request about the memory that an argument names, and opens the store.
func (s *session) withMemory(c *cobra.Command, arg string, r *model.MemoryRequest, work func(*membrain.Store) error) (err error) {
	r.Namespace = s.space()
	if r.ID, err = model.ParseMemoryID("id", arg); err != nil {
		return err
	}
	return s.useOld(c.Context(), work)
}
