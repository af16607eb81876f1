package membrain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/membrain-db/membrain"

// source is one parsed Go file of the repository, whatever its build tags.
type source struct {
	name   string // slash path from the module root
	folder string // package path from the module root, "" for the root package
	file   *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// isExternalTest says that the file is of package foo_test.
func (s source) isExternalTest() bool {
	return s.isTest() && strings.HasSuffix(s.file.Name.Name, "_test")
}

func (s source) imports() []string {
	var paths []string
	for _, spec := range s.file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err == nil { // the parser has refused all others
			paths = append(paths, p)
		}
	}
	return paths
}

// readSources parses every Go file of the module: not testdata, not hidden folders, not modules inside it.
func readSources(tree fs.FS) ([]source, error) {
	var sources []source
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isNoPackage(tree, name):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := path.Dir(name)
		if folder == "." {
			folder = ""
		}
		sources = append(sources, source{name, folder, file})
		return nil
	})
	return sources, err
}

func isNoPackage(tree fs.FS, folder string) bool {
	base := path.Base(folder)
	if folder == "." {
		return false
	}
	_, err := fs.Stat(tree, path.Join(folder, "go.mod"))
	return err == nil || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
}

// ownSources are the sources of this repository.
func ownSources(t *testing.T) []source {
	t.Helper()
	sources, err := readSources(os.DirFS("."))
	require.NoError(t, err)
	require.Greater(t, len(sources), 100, "the test does not run in the module root")
	return sources
}
