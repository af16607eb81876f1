package text

import (
	"unicode"
	"unicode/utf8"
)

// class says what a character does to the word around it.
type class uint8

const (
	classBreak      class = iota // ends whatever stands before it
	classWord                    // letter or digit of a spaced script
	classUnspaced                // letter of a script that writes no spaces, or Hangul
	classMark                    // belongs to the character before it
	classApostrophe              // inside a word only
)

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		return classOfASCII(byte(r))
	}
	switch {
	case unicode.IsMark(r):
		return classMark
	case unspaced(r):
		return classUnspaced
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return classWord
	}
	return classBreak
}

func classOfASCII(c byte) class {
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9', 'A' <= c && c <= 'Z':
		return classWord
	case c == '\'':
		return classApostrophe
	}
	return classBreak
}

// unspaced reports letters that are matched by pairs of clusters, for want of spaces or, in
// Hangul, because particles are glued to the noun (한국어는).
func unspaced(r rune) bool {
	if r < 0x0E00 { // Thai is the first of them
		return false
	}
	switch r {
	case 'ー', '〆', '〇': // prolonged sound, closing mark, zero: of no script, or no letter
		return true
	}
	return unicode.IsLetter(r) && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
