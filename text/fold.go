package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the spelling under which words are compared: NFKC, lower case, typewriter
// apostrophes, no accents on Latin and Greek letters, no invisible joiners. Marks of other scripts
// stay, because they are letters there (Thai and Hindi vowels, Cyrillic й and ё).
// White space and punctuation stay where they are; bytes that are not UTF-8 become U+FFFD. Pure; returns
// s itself when it is lower-case ASCII. Fold(Fold(s)) = Fold(s).
func Fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	bare := false // the last base was Latin or Greek: its marks go
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD")) {
		if invisible(r) || bare && unicode.Is(unicode.Mn, r) {
			continue
		}
		if !unicode.IsMark(r) {
			bare = unicode.In(r, unicode.Latin, unicode.Greek)
		}
		writeFolded(&b, r)
	}
	return norm.NFC.String(b.String())
}

// writeFolded writes the lower case of r. The two letters whose upper case loses a distinction
// (ß and final ς) are written the way their upper case reads back.
func writeFolded(b *strings.Builder, r rune) {
	switch r = unicode.ToLower(r); r {
	case 'ß':
		b.WriteString("ss")
	case 'ς':
		b.WriteRune('σ')
	case '‘', '’', '‛', 'ʼ':
		b.WriteByte('\'')
	default:
		b.WriteRune(r)
	}
}

// invisible reports characters that change how a word looks and not which word it is: soft
// hyphen, joiners, byte order mark, variation selectors, the keycap frame.
func invisible(r rune) bool {
	switch r {
	case 0x00AD, 0x034F, 0x200C, 0x200D, 0x2060, 0x20E3, 0xFEFF:
		return true
	}
	return unicode.Is(unicode.Variation_Selector, r)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
