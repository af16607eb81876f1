package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) params() *cobra.Command {
	var set []string
	c := &cobra.Command{
		Use:   "params",
		Short: "Show or set the parameters of a namespace",
		Long: `Show the parameters that steer a namespace, or change some of them. The change is a fact: it holds from now on, and
replay uses the values of each time. docs/model.md explains every one.`,
		Example: `  membraind params
  membraind params --set strength.base_stability=5000 --set ranking.recency=0.1`,
		Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return s.use(c.Context(), func(store *membrain.Store) error {
				p, err := store.Params(c.Context(), s.space())
				if err != nil {
					return err
				}
				if len(set) > 0 {
					if p, err = changed(p, set); err != nil {
						return err
					}
					if err := store.SetParams(c.Context(), s.space(), p); err != nil {
						return err
					}
				}
				return s.print(p, func(w io.Writer) { fields(w, p) })
			})
		},
	}
	texts(c.Flags(), &set, "set", "NAME=VALUE", "change")
	return c
}

// changed returns p with the settings "group.name=value" put in; the engine checks ranges.
func changed(p model.Params, settings []string) (model.Params, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return p, err
	}
	var tree map[string]map[string]json.RawMessage
	if err := json.Unmarshal(raw, &tree); err != nil {
		return p, err
	}
	for _, setting := range settings {
		if err := put(tree, setting); err != nil {
			return p, err
		}
	}
	if raw, err = json.Marshal(tree); err != nil {
		return p, err
	}
	var out model.Params
	if err := json.Unmarshal(raw, &out); err != nil {
		return p, model.Invalid("set", strings.Join(settings, " "), "numbers; true or false for spacing; three numbers in brackets for before_weights and after_weights")
	}
	return out, nil
}

func put(tree map[string]map[string]json.RawMessage, setting string) error {
	name, value, _ := strings.Cut(setting, "=")
	group, field, _ := strings.Cut(name, ".")
	if _, known := tree[group][field]; !known {
		return model.Invalid("set", setting, "NAME=VALUE, with a NAME of "+strings.Join(paramNames(tree), ", "))
	}
	if !json.Valid([]byte(value)) || bytes.Equal([]byte(value), []byte("null")) {
		return model.Invalid(name, value, "a value such as 0.5")
	}
	tree[group][field] = json.RawMessage(value)
	return nil
}

func paramNames(tree map[string]map[string]json.RawMessage) []string {
	var names []string
	for group, members := range tree {
		for field := range maps.Keys(members) {
			names = append(names, group+"."+field)
		}
	}
	slices.Sort(names)
	return names
}
