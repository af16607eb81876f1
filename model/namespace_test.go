package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestNamespace_GOV_1_Valid(t *testing.T) {
	for given, want := range map[string]string{
		"default": "default", "team/ops": "team/ops", "a": "a", "alice@acme.example:prod_1-x.y": "alice@acme.example:prod_1-x.y",
		"cafe\u0301": "caf\u00e9", "日本": "日本", "٣": "٣", "A": "A", strings.Repeat("n", 128): strings.Repeat("n", 128),
		"a//b": "a//b", ".": ".",
	} {
		got, err := model.ParseNamespace(given)
		require.NoError(t, err, given)
		require.Equal(t, want, got)
	}
}

func TestNamespace_GOV_1_Refused(t *testing.T) {
	for _, given := range []string{
		"", "/a", "a/", "/", "..", "a..b", "../x", "a b", "a\tb", "a\x00", "a\\b", "a?b", "a#b", "a%2fb", "a*", "\xff",
		"x\u030c\u0301\u0334", "emoji🙂", "a\u200bb", strings.Repeat("n", 129), strings.Repeat("日", 43), strings.Repeat("a", 1<<20),
	} {
		_, err := model.ParseNamespace(given)
		got := fault(t, err)
		require.Equal(t, "namespace", got.Field, "%q", given)
		require.Contains(t, got.Allowed, "1 to 128 bytes")
		require.LessOrEqual(t, len(got.Value), 110)
	}
}
