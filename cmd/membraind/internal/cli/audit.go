package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) audit() *cobra.Command {
	c := &cobra.Command{
		Use: "audit", Short: "Check the log, and read it",
		Example: `  membraind audit verify
  membraind audit log --verb encode --limit 20`,
		Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(s.auditVerify(), s.auditLog())
	return c
}

func (s *session) auditVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check every commit, content and link",
		Long: `Read the whole log and all contents: checksums, hash chain, gaps, versions, ticks, that each text is the one that its fact
names, and that the state that is served is the fold of the log. Damage gives exit code 7.`,
		Example: "  membraind audit verify\n  membraind audit verify --json", Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			bars := s.bars()
			return s.useOld(c.Context(), func(store *membrain.Store) error {
				got, err := store.AuditVerify(c.Context(), func(done, total uint64) { bars.show("verify", done, total) })
				bars.clear()
				if err != nil {
					return err
				}
				if err := s.print(got, func(w io.Writer) { drawVerify(w, got) }); err != nil || got.OK {
					return err
				}
				return toldError{exitCorrupt}
			})
		},
	}
}

func drawVerify(w io.Writer, got membrain.VerifyReply) {
	if got.OK {
		fmt.Fprintf(w, "ok: %d commits with %d facts, head %d %s\n", got.Commits, got.Facts, got.HeadSeq, got.HeadHash)
		return
	}
	var rows [][]string
	for _, p := range got.Problems {
		rows = append(rows, []string{fmt.Sprint(p.Seq), clean(p.Kind), clean(p.Want), clean(p.Got)})
	}
	table(w, []string{"COMMIT", "PROBLEM", "WANT", "GOT"}, rows)
	if got.Truncated {
		fmt.Fprintln(w, "and more")
	}
}

func (s *session) auditLog() *cobra.Command {
	var f membrain.AuditFilter
	var verb string
	c := &cobra.Command{
		Use:   "log",
		Short: "Read the commits: who did what, when, through which door",
		Long:  "Read the commits, oldest first, refused requests included. Without --namespace those of all namespaces.",
		Example: `  membraind audit log
  membraind audit log --verb recall --from-seq 100 --limit 20
  membraind audit log --memory 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55
  membraind audit log --refused --written-by planner --json`,
		Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			f.Namespace, f.Verb = s.namedSpace(), verb
			if f.Limit < 0 {
				return model.Invalid("limit", fmt.Sprint(f.Limit), "0 for all, or a count")
			}
			return s.useOld(c.Context(), func(store *membrain.Store) error { return s.readAudit(c, store, f) })
		},
	}
	flags := c.Flags()
	flags.Uint64Var(&f.FromSeq, "from-seq", 0, "from commit `N` on")
	flags.Uint64Var(&f.ToSeq, "to-seq", 0, "to commit `N`; 0 is the head")
	flags.Var(&parsed[string]{at: &verb, kind: "VERB", parse: parseVerb}, "verb", "of one verb: "+strings.Join(model.VerbLabels(), ", "))
	flags.StringVar(&f.Agent, "written-by", "", "by agent `ID`")
	id(flags, &f.Memory, "memory", "that concern this memory")
	flags.BoolVar(&f.RefusedOnly, "refused", false, "only requests that were refused")
	flags.IntVar(&f.Limit, "limit", 0, "at most `N`; 0 is all")
	return c
}

func parseVerb(s string) (string, error) {
	v, err := model.ParseVerb(s)
	return v.String(), err
}

func (s *session) readAudit(c *cobra.Command, store *membrain.Store, f membrain.AuditFilter) error {
	entries := []membrain.AuditEntry{}
	for e, err := range store.AuditLog(c.Context(), f) {
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return s.print(map[string]any{"entries": entries}, func(w io.Writer) { drawAudit(w, entries) })
}

func drawAudit(w io.Writer, entries []membrain.AuditEntry) {
	var rows [][]string
	for _, e := range entries {
		rows = append(rows, []string{
			fmt.Sprint(e.Seq), minute(e.At), clean(e.Namespace), fmt.Sprint(e.Tick), clean(e.Door + " " + e.Verb), valueOrDash(e.AgentID), factsLine(e.Facts),
		})
	}
	table(w, []string{"SEQ", "AT", "NAMESPACE", "TICK", "CAUSE", "AGENT", "FACTS"}, rows)
}

// factsLine names the facts of a commit; of many of one type only the count.
func factsLine(facts []membrain.AuditFact) string {
	if len(facts) == 1 {
		return clean(facts[0].Type + " of " + facts[0].Stream)
	}
	count := map[string]int{}
	for _, f := range facts {
		count[f.Type]++
	}
	var parts []string
	for kind, n := range count {
		parts = append(parts, fmt.Sprintf("%d %s", n, clean(kind)))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
