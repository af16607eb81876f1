package text

import (
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fingerprint returns xxhash64 of s in NFC, case-folded, with white space collapsed to single
// blanks and trimmed. Texts that differ only in those share a fingerprint; it is a hint that they
// are duplicates and never an identity. Stable across runs and machines. Pure.
// Source: spec rule IDN-3; case folding by canonical caseless matching (Unicode D145).
func Fingerprint(s string) uint64 {
	s = strings.ToValidUTF8(s, "\uFFFD") // the normaliser leaves open what it does next to other bytes
	folded := norm.NFC.String(cases.Fold().String(norm.NFD.String(s)))
	return xxhash.Sum64String(strings.Join(strings.Fields(folded), " "))
}
