package lexical

import (
	"maps"
	"slices"
)

// Words lists the dictionary, so that a test can look for erased words where they would hide.
func (x *Index) Words() []string { return slices.Sorted(maps.Keys(x.dict)) }

// Checksum lets a test forge sections that pass for whole.
func Checksum(b []byte) uint32 { return checksum(b) }
