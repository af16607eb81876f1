package filters

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
)

// Place is where a memory stands in a list: by time, then by id.
type Place struct {
	At model.Millis
	ID model.MemoryID
}

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.At, q.At), bytes.Compare(p.ID[:], q.ID[:]))
}

// Page returns the first places after a place among the matched ordinals, oldest first: at most limit of them, in order of
// creation, or of what they tell of for a timeline. after nil is the beginning. more says that others follow.
func (x *Index) Page(matched *roaring.Bitmap, after *Place, limit int, timeline bool) (page []Place, more bool) {
	order := &x.created
	if timeline {
		order = &x.when
	}
	from := int64(beginning)
	if after != nil {
		from = int64(after.At)
	}
	for _, bucket := range order.buckets(from) {
		page = append(page, x.places(roaring.And(bucket, matched), after, limit+1, timeline)...)
		if len(page) > limit {
			return page[:limit], true
		}
	}
	return page, false
}

// places returns the first few places of some ordinals that come after a place, in order.
func (x *Index) places(ordinals *roaring.Bitmap, after *Place, few int, timeline bool) (found []Place) {
	for it := ordinals.Iterator(); it.HasNext(); {
		h := x.columns.at(it.Next())
		p := Place{At: h.CreatedAt, ID: h.ID}
		if timeline {
			p.At = h.When()
		}
		if after != nil && p.compare(*after) <= 0 {
			continue
		}
		// Sorting now and then keeps this linear in a bucket that an import has filled.
		if found = append(found, p); len(found) >= 2*few+64 {
			slices.SortFunc(found, Place.compare)
			found = found[:few]
		}
	}
	slices.SortFunc(found, Place.compare)
	return found[:min(len(found), few)]
}
