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
		found := x.places(roaring.And(bucket, matched), after, timeline)
		slices.SortFunc(found, Place.compare)
		page = append(page, found...)
		if len(page) > limit {
			return page[:limit], true
		}
	}
	return page, false
}

// places returns the places of some ordinals that come after a place.
func (x *Index) places(ordinals *roaring.Bitmap, after *Place, timeline bool) (found []Place) {
	for it := ordinals.Iterator(); it.HasNext(); {
		h := x.columns.at(it.Next())
		p := Place{At: h.CreatedAt, ID: h.ID}
		if timeline {
			p.At = h.When()
		}
		if after == nil || p.compare(*after) > 0 {
			found = append(found, p)
		}
	}
	return found
}
