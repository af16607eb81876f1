package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) update() *cobra.Command {
	var r model.UpdateRequest
	var tags []string
	var flags []model.PolicyFlag
	c := &cobra.Command{
		Use:   "update ID [TEXT|-]",
		Short: "Change a memory in place",
		Long: `Change text, type, kind, tags, retention or flags of a memory in place; what is not named stays. Each change is a new
version. --tag "" and --policy-flag "" alone take all of them away.`,
		Example: `  membraind update 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55 "The staging database moved to Dublin."
  membraind update --tag infra --tag db --retention durable --if-revision 2 0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55`,
		Args: words(1, 2),
		RunE: func(c *cobra.Command, args []string) (err error) {
			r.Namespace = s.space()
			if r.ID, err = model.ParseMemoryID("id", args[0]); err != nil {
				return err
			}
			if len(args) == 2 {
				text, err := s.text(args[1])
				if err != nil {
					return err
				}
				r.Text = &text
			}
			if c.Flags().Changed("tag") {
				r.Tags = ptr(unlessEmpty(tags))
			}
			if c.Flags().Changed("policy-flag") {
				r.PolicyFlags = &flags
			}
			return s.useOld(c.Context(), func(store *membrain.Store) error {
				got, err := store.Update(c.Context(), r)
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { fields(w, got) })
			})
		},
	}
	f := c.Flags()
	one(f, &r.Type, "type", model.ParseMemoryType, model.MemoryTypeLabels(), "what it is")
	one(f, &r.Kind, "kind", model.ParseKind, model.KindLabels(), "class")
	texts(f, &tags, "tag", "TAG", "replace its tags with")
	one(f, &r.Retention, "retention", model.ParseRetention, model.RetentionLabels(), "how long it is kept")
	f.Var(&orNone{many[model.PolicyFlag]{at: &flags, kind: "POLICY-FLAG,...", parse: model.ParsePolicyFlag}}, "policy-flag", "replace its governance flags: "+strings.Join(model.PolicyFlagLabels(), ", "))
	ifRevision(f, &r.IfRevision)
	requestID(f, &r.RequestID)
	return c
}

func ifRevision(f *pflag.FlagSet, at *uint64) {
	f.Uint64Var(at, "if-revision", 0, "only if it has version `N`")
}

// unlessEmpty makes the one empty string that stands for "none" an empty list.
func unlessEmpty(list []string) []string {
	if len(list) == 1 && list[0] == "" {
		return []string{}
	}
	return list
}

// orNone is many, but the empty string stands for "none".
type orNone struct{ many[model.PolicyFlag] }

// Set implements pflag.Value.
func (o *orNone) Set(s string) error {
	if s == "" {
		return nil
	}
	return o.many.Set(s)
}

func ptr[T any](v T) *T { return &v }
