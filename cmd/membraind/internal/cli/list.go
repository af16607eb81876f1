package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) list() *cobra.Command {
	c := s.pages(false, s.drawList)
	c.Use, c.Short = "list", "List memories in the order that they were encoded"
	c.Example = `  membraind list --limit 50
  membraind list --type fact,constraint --tag infra --include archived
  membraind list --cursor "$(membraind list --json | jq -r .next)"`
	return c
}

func (s *session) timeline() *cobra.Command {
	c := s.pages(true, s.drawTimeline)
	c.Use, c.Short = "timeline", "List memories in the order of what they tell of"
	c.Example = `  membraind timeline --since 2026-04-01 --until 2026-05-01
  membraind timeline --session session_3 --namespace conv-26`
	return c
}

func (s *session) pages(timeline bool, draw func(io.Writer, []model.View)) *cobra.Command {
	r := model.ListRequest{Timeline: timeline}
	c := &cobra.Command{
		Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			r.Namespace = s.space()
			return s.use(c.Context(), func(store *membrain.Store) error {
				got, err := store.List(c.Context(), r)
				if err != nil {
					return err
				}
				if got.Next != nil && !s.json {
					s.note("more: --cursor %s", clean(*got.Next))
				}
				return s.print(got, func(w io.Writer) { draw(w, got.Memories) })
			})
		},
	}
	f := c.Flags()
	f.IntVar(&r.Limit, "limit", model.DefaultLimit, fmt.Sprintf("at most `N` memories, to %d", model.LimitMax))
	f.StringVar(&r.Cursor, "cursor", "", "go on after the page that named `CURSOR`")
	bindFilter(f, &r.Filter)
	return c
}

func (s *session) drawList(w io.Writer, memories []model.View) {
	var rows [][]string
	for _, m := range memories {
		rows = append(rows, []string{
			m.ID.String(), m.Type.String(), m.Lifecycle.String(), fmt.Sprintf("%.3f", m.EffectiveStrength),
			fmt.Sprint(m.RecallCount), minute(m.CreatedAt), cut(clean(m.CompactText), s.room(100)),
		})
	}
	table(w, []string{"ID", "TYPE", "STATE", "STRENGTH", "RECALLS", "CREATED", "TEXT"}, rows)
}

func (s *session) drawTimeline(w io.Writer, memories []model.View) {
	var rows [][]string
	for _, m := range memories {
		at := m.CreatedAt
		if m.OccurredAt != nil {
			at = *m.OccurredAt
		}
		rows = append(rows, []string{minute(at), valueOrDash(m.SessionID), m.Type.String(), m.ID.String(), cut(clean(m.CompactText), s.room(90))})
	}
	table(w, []string{"WHEN", "SESSION", "TYPE", "ID", "TEXT"}, rows)
}
