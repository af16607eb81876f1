package text_test

import (
	"strings"
	"testing"

	"github.com/membrain-db/membrain/text"
	"github.com/stretchr/testify/require"
)

func TestCompact_CutsBetweenClusters(t *testing.T) {
	family := "👨‍👩‍👧" // 18 bytes
	for _, c := range []struct {
		in    string
		bytes int
		want  string
	}{
		{"short", 5, "short"},
		{"short", 4, "shor"},
		{"short", 0, ""},
		{"short", -1, ""},
		{"", 0, ""},
		{"cafe\u0301!", 5, "caf"},
		{"cafe\u0301!", 6, "cafe\u0301"},
		{"a" + family + "b", 18, "a"},
		{"a" + family + "b", 19, "a" + family},
		{family, 17, ""},
		{"🇫🇷🇩🇪", 15, "🇫🇷"},
		{"a\r\nb", 2, "a"},
		{"a\xff\xffb", 2, "a\xff"},
	} {
		require.Equal(t, c.want, text.Compact(c.in, c.bytes), "Compact(%q, %d)", c.in, c.bytes)
	}
}

func TestCompact_LosesNoMoreThanACluster(t *testing.T) {
	s := strings.Repeat("naïve 東京 👍🏽 ", 40)
	for limit := range len(s) + 2 {
		got := text.Compact(s, limit)
		require.LessOrEqual(t, len(got), limit)
		require.True(t, strings.HasPrefix(s, got))
		require.Less(t, min(limit, len(s))-len(got), 8, "limit %d", limit)
	}
}
