package text_test

import (
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPackage_ImportsNothingImpure(t *testing.T) {
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	read := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		require.NoError(t, err)
		read++
		for _, i := range parsed.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			require.NoError(t, err)
			require.NotContains(t, []string{"os", "net", "sync", "math/rand", "math/rand/v2", "log", "time"}, path, f.Name())
		}
	}
	require.Greater(t, read, 5)
}
