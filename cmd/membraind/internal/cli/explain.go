package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) explain() *cobra.Command {
	var r model.ExplainRequest
	c := &cobra.Command{
		Use:   "explain QUERY|ID",
		Short: "Say why: for a query, a past request, or one memory",
		Long: `Say why. For a query: how it was read, what each stage let through, every part of every score, what was left out and
why. For a past recall, by its request id: the same, as it was answered then. For one memory: its fields and its history.
Explaining strengthens nothing and takes no tick.`,
		Example: `  membraind explain "where is staging hosted?"
  membraind explain --why-not 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55 "where is staging hosted?"
  membraind explain 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55
  membraind explain --request r-17`,
		Args: words(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Recall.Namespace = s.space()
			if len(args) == 1 {
				if id, err := model.ParseMemoryID("id", args[0]); err == nil {
					r.ID = id
				} else {
					r.Recall.Query = args[0]
				}
			}
			return s.use(c.Context(), func(store *membrain.Store) error {
				got, err := store.Explain(c.Context(), r)
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { s.drawExplain(w, got) })
			})
		},
	}
	f := c.Flags()
	bindRecall(f, &r.Recall)
	f.StringVar(&r.Request, "request", "", "explain the past recall with request id `R`")
	id(f, &r.WhyNot, "why-not", "also say why this memory is not among the results")
	return c
}

func (s *session) drawExplain(w io.Writer, got model.ExplainReply) {
	if got.Memory != nil {
		fields(w, got.Memory)
		fmt.Fprintln(w)
		drawHistory(w, got.History, s.room(100))
		return
	}
	if got.Request != nil {
		fmt.Fprintf(w, "request %s at tick %d, commit %d\n\n", clean(got.Request.RequestID), got.Request.Tick, got.Request.Seq)
	}
	drawQuery(w, got.Query)
	for i, r := range got.Results {
		drawResult(w, i+1, r)
	}
	drawStages(w, got.Stages)
	drawDropped(w, got.Dropped)
	drawWhyNot(w, got.WhyNot)
	if left := omitted(got.Omitted); left != "" {
		fmt.Fprintf(w, "left out: %s\n", left)
	}
}
