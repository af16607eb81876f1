package membrain_test

import (
	"go/ast"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// Every goroutine has an owner, a stop and a line in docs/threads.md.
func TestThreads_AreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, row := range rows(t, "docs/threads.md") {
		require.Len(t, row, 5, "columns of docs/threads.md: %v", row)
		require.Len(t, spans(row[0]), 1, "file in %v", row)
		require.NotEmpty(t, row[3], "owner in %v", row)
		require.NotEmpty(t, row[4], "stop in %v", row)
		for _, function := range spans(row[1]) {
			documented[spans(row[0])[0]+" "+function] = true
		}
	}
	started := map[string]bool{}
	for _, s := range ownSources(t) {
		if !s.isTest() && s.folder != conformanceSuite && !isUnder(s.folder, "internal") && !isUnder(s.folder, "examples") {
			for _, function := range starters(s.file) {
				started[s.name+" "+function] = true
			}
		}
	}
	require.NotEmpty(t, started)
	require.Empty(t, without(started, documented), "these start a goroutine and have no row in docs/threads.md")
	require.Empty(t, without(documented, started), "these have a row in docs/threads.md and start no goroutine")
}

// without is what a has and b has not, in order.
func without(a, b map[string]bool) []string {
	left := []string{}
	for key := range a {
		if !b[key] {
			left = append(left, key)
		}
	}
	return sorted(left)
}

// starters lists the functions that hold a go statement, call a method Go (WaitGroup, errgroup) or time.AfterFunc.
func starters(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		starts := false
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				starts = true
			case *ast.CallExpr:
				f, ok := n.Fun.(*ast.SelectorExpr)
				starts = starts || ok && (f.Sel.Name == "Go" || f.Sel.Name == "AfterFunc")
			}
			return true
		})
		if starts {
			names = append(names, nameOf(decl))
		}
	}
	return names
}

func nameOf(decl ast.Decl) string {
	if f, ok := decl.(*ast.FuncDecl); ok {
		return f.Name.Name
	}
	return "var"
}

func TestThreads_NoticeEveryWayToStart(t *testing.T) {
	sources, err := readSources(fstest.MapFS{"text/x.go": {Data: []byte(`package text

func a() { go b() }
func b() { func() { go a() }() }
func (x *T) c() { x.wg.Go(a) }
func d() { time.AfterFunc(1, a) }
func e() { a(); x.Goes(); x.Go = nil }

var v = func() { go a() }
`)}})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c", "d", "var"}, starters(sources[0].file))
}
