package cold

import "github.com/membrain-db/membrain/vectors/internal/kernel"

const (
	pageBytes = 4096
	linksMin  = 31 // links of a block, or more as long as no fewer blocks fit a page
	linksMax  = 32
	sumBytes  = 4 // a CRC-32C, or the sum of squares in a block
	pairBytes = 8 // of the key table: key and node

	// One entry of the graph for each so many nodes, and at most entriesMax. A search compares them all: they take the place of
	// the upper levels of a graph, cost 20 ns each, and save pages. With 1,024 of them a million vectors in 10,000 clusters needed
	// a walk of width 160.
	nodesPerEntry = 64
	entriesMax    = 16384
)

// section is a run of bytes that is read when the shard is opened.
type section struct{ offset, bytes int64 }

func (s section) end() int64 { return s.offset + s.bytes }

// table is a run of rows that is read when a search needs it: whole pages, called buckets here, such that no row
// straddles two of them unless it is larger than a page.
type table struct {
	rowBytes    int
	perBucket   int
	bucketBytes int
	offset      int64
	buckets     int
	first       int // number of its first bucket among those of all tables
}

func newTable(rows, rowBytes int, offset int64, first int) table {
	t := table{rowBytes: rowBytes, perBucket: max(1, pageBytes/rowBytes), bucketBytes: roundUp(rowBytes, pageBytes), offset: offset, first: first}
	t.buckets = (rows + t.perBucket - 1) / t.perBucket
	return t
}

func (t *table) bytes() int64 { return int64(t.buckets) * int64(t.bucketBytes) }
func (t *table) end() int64   { return t.offset + t.bytes() }

// bucketOf returns the number of a row's bucket among those of all tables.
func (t *table) bucketOf(row uint32) int { return t.first + int(row)/t.perBucket }

// bucketOffset returns where a bucket of this table starts in the file.
func (t *table) bucketOffset(bucket int) int64 {
	return t.offset + int64(bucket-t.first)*int64(t.bucketBytes)
}

// within returns where a row starts in its bucket.
func (t *table) within(row uint32) int { return int(row) % t.perBucket * t.rowBytes }

// shape is what determines where everything lies.
type shape struct {
	form    Form
	navBits int
	exact   bool
	dim     int
	n       int
	entries int
}

// layout says where everything lies. The bytes are drawn in doc.go.
type layout struct {
	shape
	stride   int // codes of a block, padded
	links    int // slots for links in a block
	navBytes int // of one row of the codes in memory

	entryIDs, nav, keys, sums section
	blocks, pairs, floats     table
	fileBytes                 int64
}

func (s shape) layout() layout {
	l := layout{shape: s, stride: kernel.Stride(s.dim), navBytes: navBytes(s.dim, s.navBits)}
	l.links = linksFor(l.stride)
	l.entryIDs = section{pageBytes, 4 * int64(s.entries)}
	l.nav = section{l.entryIDs.end(), int64(s.n) * int64(l.navBytes)}
	l.keys = section{l.nav.end(), 4 * int64(s.n)}

	l.blocks = newTable(s.n, l.stride+sumBytes+4*l.links, 0, 0)
	l.pairs = newTable(s.n, pairBytes, 0, l.blocks.buckets)
	floats := 0
	if s.exact {
		floats = s.n
	}
	l.floats = newTable(floats, 4*s.dim, 0, l.pairs.first+l.pairs.buckets)
	l.sums = section{l.keys.end(), sumBytes * int64(l.buckets())}
	l.blocks.offset = (l.sums.end() + pageBytes - 1) / pageBytes * pageBytes
	l.pairs.offset = l.blocks.end()
	l.floats.offset = l.pairs.end()
	l.fileBytes = l.floats.end()
	return l
}

// buckets returns the number of buckets in all tables.
func (l *layout) buckets() int { return l.floats.first + l.floats.buckets }

// linksFor returns how many links a block has: as many as leave the number of blocks in a page, within bounds.
func linksFor(stride int) int {
	least := stride + sumBytes + 4*linksMin
	room := roundUp(least, pageBytes)
	if least <= pageBytes {
		room = pageBytes / (pageBytes / least)
	}
	return min(linksMax, (room-stride-sumBytes)/4)
}

// residentBytes is the memory of an open shard apart from its key bitmap.
func (l *layout) residentBytes() int64 {
	fences := 4 * int64(l.pairs.buckets)
	return l.entryIDs.bytes + l.nav.bytes + l.keys.bytes + l.sums.bytes + fences
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
