package cold

import (
	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// Hit is one answer of a search.
type Hit struct {
	Key        uint32
	Similarity float32 // cosine, in [-1, 1]
}

// Scratch is the memory of a search, to be used again: one byte for each vector of the largest shard it met, and little
// else. One search at a time. The zero value is not usable; see NewScratch.
type Scratch struct {
	query   navQuery
	codes   []int8    // of the query, padded to kernel.BlockU4
	floats  []float32 // of the query, when the shard has rows of floats
	inverse float64   // 1 / length of codes
	precise float64   // 1 / length of floats

	epoch   uint8
	visited []uint8 // by node: whether it is this search's epoch
	buckets []uint8 // by bucket: likewise
	pages   int     // of the buckets touched

	rescored int // vectors of a scan that were compared by their blocks

	pool   pool
	best   ranking
	batch  []uint32
	links  [linksMax]uint32
	fresh  [windowNodes]uint32
	dots   [windowNodes]int32
	scores [windowNodes]float32
	nodes  []uint32
	hits   []Hit
	answer []found
	row    []float32
	dense  []uint64
}

// windowNodes is how many candidates are compared at once.
const windowNodes = 256

// NewScratch returns memory for searches of any shard.
func NewScratch() *Scratch { return new(Scratch) }

// Pages returns how many pages of 4 KiB the last search touched in the file, each counted once.
func (c *Scratch) Pages() int { return c.pages }

// begin forgets what the last search visited. Marks of other searches, of this shard or of another, have other epochs.
func (c *Scratch) begin(nodes, buckets int) {
	if len(c.visited) < nodes {
		c.visited = make([]uint8, nodes)
	}
	if len(c.buckets) < buckets {
		c.buckets = make([]uint8, buckets)
	}
	if c.epoch++; c.epoch == 0 {
		clear(c.visited)
		clear(c.buckets)
		c.epoch = 1
	}
	c.pages = 0
}

// room returns zeroed space for the codes of a query.
func (c *Scratch) room(dim int) []int8 {
	c.codes = resized(c.codes, kernel.Pad(dim, kernel.BlockU4))
	clear(c.codes[dim:])
	return c.codes[:dim]
}
