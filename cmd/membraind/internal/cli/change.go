package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) reinforce() *cobra.Command {
	return s.change("reinforce", "Strengthen one memory as a recall would",
		"Strengthen one memory as a recall would. An archived or superseded one is refused.", (*membrain.Store).Reinforce)
}

func (s *session) pin() *cobra.Command {
	return s.change("pin", "Hold a memory against forgetting",
		"Hold a memory against forgetting: it is never archived until it is unpinned.", (*membrain.Store).Pin)
}

func (s *session) unpin() *cobra.Command {
	return s.change("unpin", "Return a pinned memory to the retention that it had", "", (*membrain.Store).Unpin)
}

func (s *session) forget() *cobra.Command {
	return s.change("forget", "Archive a memory",
		"Archive a memory: recall no longer returns it, inspect still shows it, restore brings it back.", (*membrain.Store).Forget)
}

func (s *session) restore() *cobra.Command {
	return s.change("restore", "Bring an archived memory back", "Bring an archived memory back to the state that it had.", (*membrain.Store).Restore)
}

// change is a verb that makes one audited mutation of one memory.
func (s *session) change(verb, short, long string, call func(*membrain.Store, context.Context, model.MemoryRequest) (model.MutationReply, error)) *cobra.Command {
	var r model.MemoryRequest
	c := &cobra.Command{
		Use: verb + " ID", Short: short, Long: long,
		Example: "  membraind " + verb + ` 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55
  membraind ` + verb + " --if-revision 3 --request-id r-18 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55",
		Args: words(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return s.withMemory(c, args[0], &r, func(store *membrain.Store) error {
				got, err := call(store, c.Context(), r)
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { fields(w, got) })
			})
		},
	}
	f := c.Flags()
	ifRevision(f, &r.IfRevision)
	requestID(f, &r.RequestID)
	return c
}
