package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/membrain-db/membrain/text"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

// The values are stored: none may ever change.
func TestFingerprint_IDN_3_GoldenValues(t *testing.T) {
	for _, c := range []struct {
		in   string
		want uint64
	}{
		{"", 0xef46db3751d8e999},            // xxhash64 of nothing
		{"hello world", 0x45ab6734b21e6968}, // xxhash64 of the text itself
		{"Ünïcödé STRASSE ΟΔΟΣ", 0x3fc92928192161f5},
		{"東京タワー 🙂 ไทย", 0xc780e802069b9c6},
	} {
		require.Equal(t, c.want, text.Fingerprint(c.in), "Fingerprint(%q) = %#x", c.in, text.Fingerprint(c.in))
	}
}

func TestFingerprint_IDN_3_SameForTheSameWords(t *testing.T) {
	for _, family := range [][]string{
		{"hello world", "Hello  World", "\thello\u00a0\nworld ", "HELLO\u3000WORLD"},
		{"Café", "cafe\u0301", "CAFÉ"},
		{"Straße", "STRASSE", "strasse"},
		{"ὁδός", "ὉΔΌΣ"},
	} {
		for _, s := range family {
			require.Equal(t, text.Fingerprint(family[0]), text.Fingerprint(s), "%q and %q", family[0], s)
		}
	}
}

func TestFingerprint_IDN_3_DiffersForOtherWords(t *testing.T) {
	seen := map[uint64]string{}
	for _, s := range []string{"cafe", "café", "cafés", "caf", "ca fe", "cafe.", "cafe 1", "ｃafe"} {
		require.NotContains(t, seen, text.Fingerprint(s), s)
		seen[text.Fingerprint(s)] = s
	}
}

func FuzzFingerprint(f *testing.F) {
	for _, s := range goldenTexts(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want := text.Fingerprint(s)
		require.Equal(t, want, text.Fingerprint(" \n"+strings.ReplaceAll(s, " ", "\t ")+"\u2003"), "white space")
		if utf8.ValidString(s) {
			require.Equal(t, want, text.Fingerprint(norm.NFD.String(s)), "decomposed")
			require.Equal(t, want, text.Fingerprint(norm.NFC.String(s)), "composed")
		}
		ascii := strings.Map(func(r rune) rune { return r & 0x7f }, s)
		require.Equal(t, text.Fingerprint(ascii), text.Fingerprint(strings.ToUpper(ascii)), "case")
	})
}
