package membrain_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	fenced  = regexp.MustCompile("(?ms)^ *```.*?\n *```")
)

// Every relative link of a Markdown file leads to a file, and to a heading where it names one.
func TestDocs_LinksLead(t *testing.T) {
	read := 0
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.IsDir() && isNoPackage(os.DirFS("."), name) {
			return fs.SkipDir
		}
		if path.Ext(name) != ".md" {
			return nil
		}
		read++
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, match := range link.FindAllStringSubmatch(fenced.ReplaceAllString(string(text), ""), -1) {
			if target := match[1]; !strings.Contains(target, "://") && !strings.HasPrefix(target, "mailto:") {
				requireTarget(t, name, target)
			}
		}
		return nil
	}))
	require.Greater(t, read, 5)
}

func requireTarget(t *testing.T, from, target string) {
	t.Helper()
	file, anchor, _ := strings.Cut(target, "#")
	to := from
	if file != "" {
		to = path.Join(path.Dir(from), file)
	}
	text, err := os.ReadFile(to)
	if anchor == "" {
		_, err = os.Stat(to)
	}
	if err != nil {
		t.Errorf("%s links to %s: %v", from, target, err)
		return
	}
	if anchor == "" {
		return
	}
	var anchors []string
	for _, match := range heading.FindAllStringSubmatch(string(text), -1) {
		anchors = append(anchors, anchorOf(match[1]))
	}
	if !slices.Contains(anchors, anchor) {
		t.Errorf("%s links to %s, but %s has the headings %v", from, target, to, anchors)
	}
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchorOf is the anchor that GitHub gives a heading.
func anchorOf(heading string) string {
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}

// Decisions are numbered without gaps, have the same three parts, and stand in the list.
func TestDecisions_AreListedAndWhole(t *testing.T) {
	files, err := fs.Glob(os.DirFS("docs/decisions"), "[0-9]*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	index, err := os.ReadFile("docs/decisions/README.md")
	require.NoError(t, err)
	for i, name := range files {
		require.Regexp(t, `^\d{4}-[a-z0-9-]+\.md$`, name)
		require.Equal(t, i+1, number(name), "%s follows a gap or a double", name)
		require.Contains(t, string(index), "("+name+")")
		text, err := os.ReadFile(path.Join("docs/decisions", name))
		require.NoError(t, err)
		for _, part := range []string{"## Context", "## Choice", "## Price"} {
			require.Contains(t, string(text), part, name)
		}
	}
}

func number(name string) (n int) {
	for _, digit := range name[:4] {
		n = 10*n + int(digit-'0')
	}
	return n
}

// rows are the body rows of the tables of a Markdown file, as cells without white space around them.
func rows(t *testing.T, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var all [][]string
	inBody := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			inBody = false
		case strings.HasPrefix(line, "|-") || strings.HasPrefix(line, "| -"):
			inBody = true
		case inBody:
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			all = append(all, cells)
		}
	}
	require.NotEmpty(t, all, "%s has no table", file)
	return all
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// spans are the words of a cell that stand in `backquotes`.
func spans(cell string) []string {
	var words []string
	for _, match := range codeSpan.FindAllStringSubmatch(cell, -1) {
		words = append(words, match[1])
	}
	return words
}
