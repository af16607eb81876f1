package text_test

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/membrain-db/membrain/text"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/analyser.golden anew")

// The golden file is what stored indexes and vectors were made with. When it must change, raise
// AnalyserVersion in the same commit.
func TestAnalyser_GoldenFile(t *testing.T) {
	var got strings.Builder
	fmt.Fprintf(&got, "version %s\n", text.AnalyserVersion)
	a := text.NewAnalyser()
	for _, s := range goldenTexts(t) {
		fmt.Fprintf(&got, "\n%+q\n", s)
		fmt.Fprintf(&got, "  document %s\n", written(a.Document(nil, s)))
		fmt.Fprintf(&got, "  query    %s\n", written(a.Query(nil, s)))
	}
	const path = "testdata/analyser.golden"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func goldenTexts(t testing.TB) []string {
	t.Helper()
	lines, err := os.ReadFile("testdata/analyser.txt")
	require.NoError(t, err)
	var texts []string
	for line := range strings.Lines(string(lines)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		s, err := strconv.Unquote(strings.TrimSpace(line))
		require.NoError(t, err, line)
		texts = append(texts, s)
	}
	return texts
}

// written shows surface/stem, + for a bigram, - for a part.
func written(tokens []text.Token) string {
	var words []string
	for _, t := range tokens {
		switch {
		case t.Bigram:
			words = append(words, t.Surface+"+")
		case t.Part:
			words = append(words, t.Surface+"-")
		default:
			words = append(words, t.Surface+"/"+t.Stem)
		}
	}
	return strings.Join(words, " ")
}
