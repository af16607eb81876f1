package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/cmd/membraind/internal/cli"
)

var (
	helpVerb = regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`)
	helpFlag = regexp.MustCompile(`(?m)^ +(?:-[a-z], )?(--[a-z-]+)`)
)

// Every verb has a heading in docs/cli.md, and every flag that its help lists stands on that page.
func TestDocs_EveryVerbAndFlagIsHere(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	require.NoError(t, err)
	page := string(text)
	var headings []string
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "### ") {
			headings = append(headings, line)
		}
	}
	flags := requireFlags(t, page, "help")
	for _, match := range helpVerb.FindAllStringSubmatch(help(t, "help"), -1) {
		verb := match[1]
		require.Regexp(t, `\b`+verb+`\b`, strings.Join(headings, ""), "docs/cli.md has no heading for %s", verb)
		flags += requireFlags(t, page, "help", verb)
	}
	flags += requireFlags(t, page, "help", "audit", "verify") + requireFlags(t, page, "help", "audit", "log")
	require.Greater(t, flags, 100)
}

// requireFlags demands each flag of a help text on the page, and returns how many there are.
func requireFlags(t *testing.T, page string, args ...string) int {
	t.Helper()
	flags := helpFlag.FindAllStringSubmatch(help(t, args...), -1)
	for _, flag := range flags {
		require.Regexp(t, "`[^`\n]*"+regexp.QuoteMeta(flag[1])+"[` ,.]", page, "docs/cli.md lacks a flag of %v", args)
	}
	return len(flags)
}

func help(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	env := cli.Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}
	require.Zero(t, cli.Main(context.Background(), env))
	return out.String()
}
