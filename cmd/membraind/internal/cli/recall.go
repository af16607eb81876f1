package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) recall() *cobra.Command {
	var r model.RecallRequest
	c := &cobra.Command{
		Use:   "recall QUERY",
		Short: "Ask what is remembered",
		Long:  "Ask what is remembered, best first. What is returned is strengthened, as with a brain; --no-reinforce only looks.",
		Example: `  membraind recall "where is staging hosted?"
  membraind recall --limit 3 --type fact,constraint --explain "login"
  membraind recall --since 2026-04-01 --session s-12 --no-reinforce --json "German"`,
		Args: words(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			r.Namespace, r.Query = s.space(), args[0]
			return s.use(c.Context(), func(store *membrain.Store) error {
				got, err := store.Recall(c.Context(), r)
				if err != nil {
					return err
				}
				s.noteRecall(got)
				return s.print(got, func(w io.Writer) { s.drawRecall(w, got, r.Explain) })
			})
		},
	}
	f := c.Flags()
	bindRecall(f, &r)
	f.BoolVar(&r.NoReinforce, "no-reinforce", false, "look only: strengthen nothing")
	f.BoolVar(&r.Explain, "explain", false, "show every part of every score")
	requestID(f, &r.RequestID)
	return c
}

// bindRecall adds the flags that recall and explain share.
func bindRecall(f *pflag.FlagSet, r *model.RecallRequest) {
	f.IntVar(&r.Limit, "limit", model.DefaultLimit, fmt.Sprintf("at most `N` results, to %d", model.LimitMax))
	f.IntVar(&r.TokenBudget, "token-budget", 0, "results of at most `N` tokens together; 0 is no bound")
	one(f, &r.Detail, "detail", model.ParseDetail, model.DetailLabels(), "how much of each text")
	bindFilter(f, &r.Filter)
}

func (s *session) noteRecall(got model.RecallReply) {
	switch {
	case got.Abstained && len(got.Nearest) > 0:
		nearest := got.Nearest[0]
		s.note("nothing is close enough to answer; nearest is %s: %s", nearest.ID, cut(clean(nearest.CompactText), 100))
	case len(got.Results) == 0:
		s.note("no memory matches")
	}
	if left := omitted(got.Omitted); left != "" && !s.json {
		s.note("left out: %s", left)
	}
	for _, n := range got.Notes {
		s.note("note: %s", clean(n))
	}
}

func (s *session) drawRecall(w io.Writer, got model.RecallReply, explain bool) {
	if !explain {
		s.drawResults(w, got.Results)
		return
	}
	if got.Trace != nil {
		drawQuery(w, &got.Trace.Query)
	}
	for i, r := range got.Results {
		drawResult(w, i+1, r)
	}
	if got.Trace != nil {
		drawStages(w, got.Trace.Stages)
		drawDropped(w, got.Trace.Dropped)
	}
}

func (s *session) drawResults(w io.Writer, results []model.RecallResult) {
	if len(results) == 0 {
		return
	}
	var rows [][]string
	for i, r := range results {
		rows = append(rows, []string{
			fmt.Sprint(i + 1), fmt.Sprintf("%.4f", r.Score), r.Type.String(), when(r.OccurredAt, r.CreatedAt),
			r.ID.String(), cut(clean(r.CompactText), s.room(92)),
		})
	}
	table(w, []string{"#", "SCORE", "TYPE", "WHEN", "ID", "TEXT"}, rows)
}

// when says when a memory's matter happened, or else how long ago it was encoded.
func when(occurred *string, created string) string {
	if occurred != nil {
		return minute(*occurred)
	}
	at, err := time.Parse(time.RFC3339, created)
	if err != nil {
		return created
	}
	return age(time.Since(at))
}

// minute shortens 2026-05-01T12:00:00.000Z to 2026-05-01 12:00.
func minute(stamp string) string {
	if len(stamp) < len("2026-05-01T12:00") {
		return stamp
	}
	return strings.Replace(stamp[:len("2026-05-01T12:00")], "T", " ", 1)
}

func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", max(int(d.Seconds()), 0))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// omitted words the counts of what was left out, by reason.
func omitted(counts map[string]int) string {
	var parts []string
	for reason, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d by %s", n, clean(reason)))
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
