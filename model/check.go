package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// list writes allowed labels for an error.
func list(labels []string) string { return strings.Join(labels, ", ") }

func counted(n int) string { return strconv.Itoa(n) }

// number refuses NaN, infinities and what lies outside [low,high].
func number(field string, v, low, high float64) error {
	if math.IsNaN(v) || v < low || v > high {
		return Invalid(field, strconv.FormatFloat(v, 'g', -1, 64), fmt.Sprintf("%g to %g", low, high))
	}
	return nil
}

// optional is number for a value that may be absent.
func optional(field string, v *float64, low, high float64) error {
	if v == nil {
		return nil
	}
	return number(field, *v, low, high)
}

// known refuses an enum value outside the vocabulary; 0, not given, passes.
func known[E interface {
	~uint8
	String() string
}](field string, v E, labels []string) error {
	if v != 0 && v.String() == "" {
		return Invalid(field, counted(int(v)), list(labels))
	}
	return nil
}

// reference checks a short string that is kept as it was given: valid UTF-8, no control characters, not blank, at
// most bytesMax bytes. "" is "not given" and passes.
func reference(field, s string, bytesMax int) error {
	switch {
	case s == "":
		return nil
	case len(s) > bytesMax:
		return TooLarge(field, len(s), bytesMax)
	case !utf8.ValidString(s):
		return Invalid(field, s, "valid UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return Invalid(field, s, "no control characters")
	case blank(s):
		return Invalid(field, s, "a text that is not blank")
	}
	return nil
}

// label checks like reference and returns s in NFC without surrounding white space, so that a filter finds it
// however it was typed.
func label(field, s string) (string, error) {
	if err := reference(field, s, LabelBytesMax); err != nil {
		return "", err
	}
	s = strings.TrimSpace(norm.NFC.String(s))
	if len(s) > LabelBytesMax {
		return "", TooLarge(field, len(s), LabelBytesMax)
	}
	return s, nil
}

// labelList checks every label, refuses an empty one, and lets duplicates collapse into the first.
func labelList(field string, in []string, most int) ([]string, error) {
	return stringList(field, in, most, label)
}

// referenceList is labelList for strings that are kept as they were given.
func referenceList(field string, in []string, most int) ([]string, error) {
	return stringList(field, in, most, func(field, s string) (string, error) {
		return s, reference(field, s, LabelBytesMax)
	})
}

func stringList(field string, in []string, most int, one func(field, s string) (string, error)) ([]string, error) {
	if len(in) > most {
		return nil, Invalid(field, fmt.Sprintf("%d values", len(in)), fmt.Sprintf("at most %d values", most))
	}
	var out []string
	seen := make(map[string]bool, len(in))
	for _, s := range in {
		if s == "" {
			return nil, Invalid(field, s, "values that are not empty")
		}
		s, err := one(field, s)
		if err != nil {
			return nil, err
		}
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out, nil
}

// idList refuses the zero id and too many, and lets duplicates collapse into the first.
func idList(field string, in []MemoryID, most int) ([]MemoryID, error) {
	if len(in) > most {
		return nil, Invalid(field, fmt.Sprintf("%d ids", len(in)), fmt.Sprintf("at most %d ids", most))
	}
	var out []MemoryID
	seen := make(map[MemoryID]bool, len(in))
	for _, id := range in {
		if id.Zero() {
			return nil, Invalid(field, "", "UUIDs")
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out, nil
}

// values checks a list of enum values, refuses 0, and returns it without duplicates.
func values[E interface {
	~uint8
	String() string
}](field string, in []E, labels []string) ([]E, error) {
	if len(in) > FilterValuesMax {
		return nil, Invalid(field, fmt.Sprintf("%d values", len(in)), fmt.Sprintf("at most %d values", FilterValuesMax))
	}
	var out []E
	for _, v := range in {
		if v.String() == "" {
			return nil, Invalid(field, counted(int(v)), list(labels))
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// body checks a long text: valid UTF-8, at most bytesMax bytes.
func body(field, s string, bytesMax int) error {
	if len(s) > bytesMax {
		return TooLarge(field, len(s), bytesMax)
	}
	if !utf8.ValidString(s) {
		return Invalid(field, s, "valid UTF-8")
	}
	return nil
}

// blank reports whether nothing of s can be seen: white space, control and format characters only.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf)
	})
}

// first returns the first fault.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
