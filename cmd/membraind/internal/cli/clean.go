package cli

import (
	"strings"
	"unicode"
)

// clean makes a text of anyone's fit for one line of a terminal: white space becomes single spaces, and characters
// that would steer the terminal or reorder the line become a replacement character.
func clean(s string) string {
	return cleanLines(strings.Join(strings.Fields(s), " "))
}

// cleanLines is clean for a text that may keep its lines.
func cleanLines(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// cut shortens a line to columns; 0 leaves it.
func cut(s string, columns int) string {
	runes := []rune(s)
	if columns <= 1 || len(runes) <= columns {
		return s
	}
	return string(runes[:columns-1]) + "…"
}
