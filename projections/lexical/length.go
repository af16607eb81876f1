package lexical

// A document's length is stored as one of 63 buckets: bucket 1+n is exactly n tokens up to 40,
// then each bucket is a quarter wider than the one before. Bucket 0 means "no such document", so
// a document of stop words only, whose length is 0, still counts.
const (
	buckets     = 64
	exactLength = 40
)

// lengthTable returns the length that each bucket stands for, which is the shortest in it.
func lengthTable() (table [buckets]uint32) {
	for b := 1; b < buckets; b++ {
		if n := uint32(b - 1); n <= exactLength {
			table[b] = n
		} else {
			table[b] = table[b-1] + table[b-1]/4
		}
	}
	return table
}

// bucketOf returns the bucket of a document of n tokens. Lengths beyond the last share it.
func (x *Index) bucketOf(n int) uint8 {
	if n <= exactLength {
		return uint8(n + 1)
	}
	b := exactLength + 1
	for b+1 < buckets && int(x.lengths[b+1]) <= n {
		b++
	}
	return uint8(b)
}
