package text_test

import (
	"testing"
	"unicode"

	"github.com/membrain-db/membrain/text"
	"github.com/stretchr/testify/require"
)

func TestFold_KeepsWhatIsALetterAndDropsWhatIsNot(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"Plain ASCII, kept": "plain ascii, kept",
		"Café":              "cafe",
		"Cafe\u0301":        "cafe",
		"Ἀθῆναι":            "αθηναι",
		"Ёлка й":            "ёлка й",
		"น้ำ":               "น\u0e49\u0e4d\u0e32",
		"हिन्दी":            "हिन्दी",
		"ｶﾞ":                "ガ",
		"ＡＢＣ":               "abc",
		"don’t":             "don't",
		"İ":                 "i",
		"ẞß":                "ssss",
		"co\u00adop\ufeff":  "coop",
		"각":                 "각",
		"\xff":              "\ufffd",
	} {
		require.Equal(t, want, text.Fold(in), "Fold(%q)", in)
	}
}

func TestFold_IsStableForEveryCharacter(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		once := text.Fold("x" + string(r) + "y")
		if twice := text.Fold(once); once != twice {
			t.Errorf("Fold(%q) = %q, and again %q", r, once, twice)
		}
	}
}
