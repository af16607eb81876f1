package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const namespaceAllowed = "1 to 128 bytes of letters, digits, . _ - / @ : without .. and without a slash at either end"

// ParseNamespace returns the namespace in NFC: 1 to NamespaceBytesMax bytes of letters, digits and . _ - / @ :,
// without "..", without a slash at either end. Names are compared exactly. Pure. Source: GOV-1, interfaces.md.
//
// Errors: *Error (validation) that says what is allowed.
func ParseNamespace(s string) (string, error) {
	if len(s) > 4*NamespaceBytesMax { // NFC shortens no text to a quarter; keeps the work bounded
		return "", Invalid("namespace", s, namespaceAllowed)
	}
	if !utf8.ValidString(s) {
		return "", Invalid("namespace", s, namespaceAllowed)
	}
	n := norm.NFC.String(s)
	switch {
	case n == "", len(n) > NamespaceBytesMax, strings.Contains(n, ".."),
		strings.HasPrefix(n, "/"), strings.HasSuffix(n, "/"):
		return "", Invalid("namespace", s, namespaceAllowed)
	}
	for _, r := range n {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/@:", r) {
			return "", Invalid("namespace", s, fmt.Sprintf("%s (%q is not)", namespaceAllowed, r))
		}
	}
	return n, nil
}
