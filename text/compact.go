package text

import "github.com/clipperhouse/uax29/v2/graphemes"

// Compact returns the longest beginning of s that has at most bytesMax bytes and ends between two
// grapheme clusters, so that no accent, flag or family emoji is cut in half. It is empty when the
// first cluster does not fit. Pure.
func Compact(s string, bytesMax int) string {
	if len(s) <= bytesMax {
		return s
	}
	end := 0
	for g := graphemes.FromString(s); g.Next() && g.End() <= bytesMax; {
		end = g.End()
	}
	return s[:end]
}
