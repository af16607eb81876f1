package membrain_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// required is go.mod as far as it matters here.
type required struct {
	modules []string // all
	direct  []string // without "// indirect"
	tools   []string // packages
}

func readGoMod(t *testing.T) (r required) {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	block := ""
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
			continue
		case len(fields) > 1 && fields[1] == "(":
			block = fields[0]
			continue
		case fields[0] == ")":
			block = ""
			continue
		case block == "":
			fields = fields[1:]
		}
		switch kind := strings.Fields(line)[0]; {
		case block == "tool" || kind == "tool":
			r.tools = append(r.tools, fields[0])
		case block == "require" || kind == "require":
			r.modules = append(r.modules, fields[0])
			if !strings.Contains(line, "// indirect") {
				r.direct = append(r.direct, fields[0])
			}
		}
	}
	require.NotEmpty(t, r.modules)
	return r
}

// moduleOf is the required module that holds a package, "" for the standard library and ourselves.
func (r required) moduleOf(pkg string) (longest string) {
	for _, module := range r.modules {
		if isUnder(pkg, module) && len(module) > len(longest) {
			longest = module
		}
	}
	return longest
}

// A module is used by packages, by "tests" or by the "go tool" command; each use is a name in the second column.
func TestDependencies_AreDocumented(t *testing.T) {
	mod := readGoMod(t)
	documented := map[string][]string{}
	for _, row := range rows(t, "docs/dependencies.md") {
		require.Len(t, row, 5, "columns of docs/dependencies.md: %v", row)
		require.Len(t, spans(row[0]), 1, "first column of docs/dependencies.md: %q", row[0])
		require.NotEmpty(t, row[2], "why %s", row[0])
		require.NotEmpty(t, row[3], "what %s costs", row[0])
		documented[spans(row[0])[0]] = sorted(spans(row[1]))
	}
	used := usesOf(mod, ownSources(t))
	for module, users := range used {
		if !slices.Equal(users, documented[module]) {
			t.Errorf("%s is used by %v, docs/dependencies.md says %v", module, users, documented[module])
		}
	}
	for module := range documented {
		if used[module] == nil {
			t.Errorf("%s has a row in docs/dependencies.md and is used by nobody", module)
		}
	}
	for _, module := range mod.direct {
		require.Contains(t, documented, module, "go.mod requires it directly")
	}
}

func usesOf(mod required, sources []source) map[string][]string {
	uses := map[string]map[string]bool{}
	note := func(pkg, user string) {
		if module := mod.moduleOf(pkg); module != "" {
			if uses[module] == nil {
				uses[module] = map[string]bool{}
			}
			uses[module][user] = true
		}
	}
	for _, s := range sources {
		for _, imported := range s.imports() {
			if !s.isTest() {
				note(imported, userName(s.folder))
			}
		}
	}
	for _, s := range sources { // tests are worth a word only where nothing else uses the module
		for _, imported := range s.imports() {
			if s.isTest() && len(uses[mod.moduleOf(imported)]) == 0 || uses[mod.moduleOf(imported)]["tests"] {
				note(imported, "tests")
			}
		}
	}
	for _, tool := range mod.tools {
		note(tool, "go tool")
	}
	lists := map[string][]string{}
	for module, users := range uses {
		lists[module] = slices.Sorted(maps.Keys(users))
	}
	return lists
}

// userName groups the parts of projections, the tools and the examples, which come and go.
func userName(folder string) string {
	for _, tree := range []string{"projections/", "internal/", "examples/"} {
		if strings.HasPrefix(folder, tree) {
			return tree + "..."
		}
	}
	if folder == "" {
		return "membrain"
	}
	return folder
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}
