package fingerprints

import (
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
)

// Index holds the fingerprints of one namespace. Make one with New.
type Index struct {
	of       map[uint32]model.Fingerprint
	first    map[model.Fingerprint]uint32   // the only ordinal, for most
	families map[model.Fingerprint][]uint32 // all ordinals, ascending, where there are several
}

// New returns an empty index.
func New() *Index {
	return &Index{
		of:       map[uint32]model.Fingerprint{},
		first:    map[model.Fingerprint]uint32{},
		families: map[model.Fingerprint][]uint32{},
	}
}

// Add notes the fingerprint of a live ordinal, in place of what was noted before.
func (x *Index) Add(ordinal uint32, f model.Fingerprint) {
	if was, ok := x.of[ordinal]; ok {
		if was == f {
			return
		}
		x.Remove(ordinal)
	}
	x.of[ordinal] = f
	if family, ok := x.families[f]; ok {
		at, _ := slices.BinarySearch(family, ordinal)
		x.families[f] = slices.Insert(family, at, ordinal)
		return
	}
	if other, ok := x.first[f]; ok {
		delete(x.first, f)
		x.families[f] = []uint32{min(other, ordinal), max(other, ordinal)}
		return
	}
	x.first[f] = ordinal
}

// Remove forgets an ordinal and reports whether it was there.
func (x *Index) Remove(ordinal uint32) bool {
	f, ok := x.of[ordinal]
	if !ok {
		return false
	}
	delete(x.of, ordinal)
	family, several := x.families[f]
	if !several {
		delete(x.first, f)
		return true
	}
	at, _ := slices.BinarySearch(family, ordinal)
	if family = slices.Delete(family, at, at+1); len(family) > 1 {
		x.families[f] = family
		return true
	}
	delete(x.families, f)
	x.first[f] = family[0]
	return true
}

// Ordinals returns the ordinals of a fingerprint that are allowed, ascending, in a new slice; allowed nil allows all.
func (x *Index) Ordinals(f model.Fingerprint, allowed *roaring.Bitmap) []uint32 {
	all := x.families[f]
	if only, ok := x.first[f]; ok {
		all = []uint32{only}
	}
	var found []uint32
	for _, ordinal := range all {
		if allowed == nil || allowed.Contains(ordinal) {
			found = append(found, ordinal)
		}
	}
	return found
}

// Keys returns a new bitmap of the ordinals in the index.
func (x *Index) Keys() *roaring.Bitmap {
	keys := roaring.New()
	keys.AddMany(x.sorted())
	return keys
}

// Len returns the number of ordinals.
func (x *Index) Len() int { return len(x.of) }

func (x *Index) sorted() []uint32 { return slices.Sorted(maps.Keys(x.of)) }
