package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain/model"
)

// Main runs one command and returns its exit code. Errors have been reported to env.Stderr.
func Main(ctx context.Context, env Env) int {
	s := &session{env: env}
	root := s.root()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var told toldError
	if errors.As(err, &told) {
		return told.exit
	}
	return report(env.Stderr, err, s.json || askedForJSON(env.Args))
}

// session is one run of the program.
type session struct {
	env Env
	globals
}

func (s *session) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "membraind",
		Short: "An event-sourced memory for software agents",
		Long: `membraind remembers, recalls and explains, on a directory of this machine, with no model, key or network.

Every change is a fact in an append-only log; what a memory is now is a fold over its facts, so that each answer can be
explained, audited and replayed.`,
		Example: `  membraind demo
  membraind encode --type fact "The staging database moved to Frankfurt."
  membraind recall "where is staging hosted?"
  membraind explain "where is staging hosted?"`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          words(0, 0),
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(s.env.Args)
	root.SetIn(s.env.Stdin)
	root.SetOut(s.env.Stdout)
	root.SetErr(s.env.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetUsageTemplate(shortUsage(root.UsageTemplate()))
	s.globals.bind(root.PersistentFlags())
	for _, g := range s.groups() {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.verbs {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("tool")
	root.SetCompletionCommandGroupID("tool")
	return root
}

// shortUsage leaves the global flags out of the help of a verb: membraind --help explains them once.
func shortUsage(template string) string {
	before, rest, _ := strings.Cut(template, "Global Flags:\n")
	_, after, _ := strings.Cut(rest, "{{end}}")
	return before + "Global flags: membraind --help lists them.{{end}}" + after
}

type group struct {
	id, title string
	verbs     []*cobra.Command
}

func (s *session) groups() []group {
	return []group{
		{"remember", "Remember and recall:", []*cobra.Command{s.encode(), s.recall(), s.list(), s.timeline(), s.inspect()}},
		{"explain", "Explain and audit:", []*cobra.Command{s.explain(), s.history(), s.replay(), s.audit()}},
		{"change", "Change:", []*cobra.Command{s.update(), s.reinforce(), s.pin(), s.unpin(), s.forget(), s.restore()}},
		{"move", "Move in and out:", []*cobra.Command{s.importFile(), s.export()}},
		{"care", "Care for a store:", []*cobra.Command{s.stats(), s.doctor(), s.rebuild(), s.namespaces(), s.params()}},
		{"tool", "The tool itself:", []*cobra.Command{s.demo(), s.bench(), s.version()}},
	}
}

// toldError has been told to the user already, as a result; only its exit code is left.
type toldError struct{ exit int }

func (e toldError) Error() string { return fmt.Sprintf("exit %d", e.exit) }

// words demands between low and high arguments (high -1: any number), as a refusal like all others.
func words(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) >= low && (high < 0 || len(args) <= high) {
			return nil
		}
		if !c.HasParent() {
			return unknownVerb(c, args[0])
		}
		err := model.Invalid("arguments", fmt.Sprintf("%d given", len(args)), c.UseLine())
		return err.WithHint(c.CommandPath() + " --help shows examples")
	}
}

func unknownVerb(root *cobra.Command, verb string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	err := model.Invalid("verb", verb, strings.Join(names, ", "))
	if near := root.SuggestionsFor(verb); len(near) > 0 {
		return err.WithHint("did you mean " + strings.Join(near, " or ") + "?")
	}
	return err.WithHint("membraind --help lists the verbs")
}

// askedForJSON tells how to report a fault that came before the flags were read.
func askedForJSON(args []string) bool {
	for _, a := range args {
		if a == "--" {
			return false
		}
		if a == "--json" || a == "--json=true" {
			return true
		}
	}
	return false
}
