package filters

import (
	"maps"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Widths of the finest buckets, as powers of two; the coarse ones are 64 times as wide.
const (
	millisShift = 26 // 18.6 hours; coarse 49.7 days
	tickShift   = 10 // 1,024 ticks; coarse 65,536
	coarseShift = 6
)

// ranges are bitmaps of ordinals by a number of theirs, in buckets of two widths.
type ranges struct {
	shift  uint
	fine   map[int64]*roaring.Bitmap
	coarse map[int64]*roaring.Bitmap
}

func newRanges(shift uint) ranges {
	return ranges{shift: shift, fine: map[int64]*roaring.Bitmap{}, coarse: map[int64]*roaring.Bitmap{}}
}

func (r *ranges) add(value int64, ordinal uint32) {
	into(r.fine, value>>r.shift, ordinal)
	into(r.coarse, value>>(r.shift+coarseShift), ordinal)
}

func (r *ranges) remove(value int64, ordinal uint32) {
	outOf(r.fine, value>>r.shift, ordinal)
	outOf(r.coarse, value>>(r.shift+coarseShift), ordinal)
}

func into(buckets map[int64]*roaring.Bitmap, key int64, ordinal uint32) {
	b := buckets[key]
	if b == nil {
		b = roaring.New()
		buckets[key] = b
	}
	b.Add(ordinal)
}

func outOf(buckets map[int64]*roaring.Bitmap, key int64, ordinal uint32) {
	b := buckets[key]
	if b == nil {
		return
	}
	if b.Remove(ordinal); b.IsEmpty() {
		delete(buckets, key)
	}
}

// between returns a new bitmap of the ordinals whose value is in [from, to). valueOf is asked in the buckets at the edges only.
func (r *ranges) between(from, to int64, valueOf func(uint32) int64) *roaring.Bitmap {
	if from >= to {
		return roaring.New()
	}
	var whole []*roaring.Bitmap
	edges := roaring.New()
	last := to - 1
	coarse := r.shift + coarseShift
	for key, bucket := range r.coarse { // a union does not depend on the order
		switch low, high := bounds(key, coarse); {
		case high < from || low > last:
		case low >= from && high <= last:
			whole = append(whole, bucket)
		default:
			for fine := key << coarseShift; fine < (key+1)<<coarseShift; fine++ {
				r.partly(r.fine[fine], fine, from, last, &whole, edges, valueOf)
			}
		}
	}
	result := roaring.FastOr(whole...)
	result.Or(edges)
	return result
}

// partly adds what a fine bucket has in [from, last] to whole or, an ordinal at a time, to edges.
func (r *ranges) partly(b *roaring.Bitmap, key, from, last int64,
	whole *[]*roaring.Bitmap, edges *roaring.Bitmap, valueOf func(uint32) int64) {
	low, high := bounds(key, r.shift)
	switch {
	case b == nil || high < from || low > last:
	case low >= from && high <= last:
		*whole = append(*whole, b)
	default:
		for it := b.Iterator(); it.HasNext(); {
			ordinal := it.Next()
			if v := valueOf(ordinal); v >= from && v <= last {
				edges.Add(ordinal)
			}
		}
	}
}

// bounds returns the least and the greatest value of a bucket.
func bounds(key int64, shift uint) (low, high int64) {
	low = key << shift
	return low, low + (1<<shift - 1)
}

// buckets yields the fine buckets that reach to from or beyond, in order of their values.
func (r *ranges) buckets(from int64) []*roaring.Bitmap {
	var list []*roaring.Bitmap
	for _, key := range slices.Sorted(maps.Keys(r.fine)) {
		if _, high := bounds(key, r.shift); high >= from {
			list = append(list, r.fine[key])
		}
	}
	return list
}

const (
	beginning = math.MinInt64
	endless   = math.MaxInt64
)
