package cold

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// beam is how many pages a traversal asks for at once: the disk reads them side by side while the first is worked on.
const beam = 4

// Search returns the k vectors nearest to q by cosine among those whose key is in filter (among all when filter is nil):
// always min(k, matches) of them, best first, ties by lower key. The filter is only read, and must not be changed
// meanwhile. The hits lie in the scratch until its next use. Without a filter it allocates nothing.
// Errors: ErrQuery, ErrClosed, and ErrRebuild when the file has been cut or damaged.
func (s *Shard) Search(q Row, k int, filter *roaring.Bitmap, c *Scratch) ([]Hit, error) {
	if !q.direction(s.form, s.dim, c.room(s.dim)) {
		return nil, ErrQuery
	}
	c.begin(s.n, s.buckets())
	c.ready(s)
	c.floats = q.Float32
	c.hits = c.hits[:0]
	matches := uint64(s.n)
	if filter != nil {
		matches = filter.AndCardinality(s.keys)
	}
	if k = int(min(uint64(max(k, 0)), matches)); k == 0 {
		return nil, nil
	}
	err := s.guard(func() error { return s.search(c, k, int(matches), filter) })
	s.searches.Add(1)
	s.pages.Add(int64(c.pages))
	if err != nil {
		return nil, err
	}
	for _, f := range c.best.heap {
		c.hits = append(c.hits, Hit{f.key, f.similarity})
	}
	return c.hits, nil
}

// search ranks the k best of the matches, of which there are at least k.
func (s *Shard) search(c *Scratch, k, matches int, filter *roaring.Bitmap) error {
	p := s.plan(k, matches)
	keep := k
	if s.exact {
		keep = min(matches, k+max(exactMargin, k/2))
	}
	if matches == s.n {
		filter = nil
	}
	c.best.reset(keep)
	if err := s.candidates(c, p, matches, filter); err != nil {
		return err
	}
	if s.exact {
		return s.compareFloats(c, k)
	}
	c.best.sort()
	return nil
}

// exactMargin is how many more vectors than asked for are compared by their floats, at least.
const exactMargin = 8

func (s *Shard) candidates(c *Scratch, p strategy, matches int, filter *roaring.Bitmap) error {
	if p.traverse {
		err := s.traverse(c, p.width, filter)
		if filter == nil || err != nil || s.matchesInPool(c, filter) >= p.matchMin {
			return err
		}
		c.best.reset(c.best.size)
	}
	return s.scan(c, matches, filter)
}

// matchesInPool returns how many of the nearest that a walk has met match. What matched on its way there does not count: far
// from the query there may be nothing but matches, and near it none.
func (s *Shard) matchesInPool(c *Scratch, filter *roaring.Bitmap) (matches int) {
	for _, candidate := range c.pool.items {
		if filter.Contains(s.keyOf[candidate.id()]) {
			matches++
		}
	}
	return matches
}

// traverse walks the graph with a pool of width candidates, and ranks those that match.
func (s *Shard) traverse(c *Scratch, width int, filter *roaring.Bitmap) error {
	c.pool.reset(width)
	visited := c.visited[:s.n]
	for from := 0; from < len(s.entryIDs); from += windowNodes {
		ids := s.entryIDs[from:min(from+windowNodes, len(s.entryIDs))]
		s.offer(c, c.fresh[:s.navigation.kernels.FilterPrefetch(ids, visited, c.epoch, s.navigation.rows, c.fresh[:])])
	}
	for s.nextBatch(c) {
		for _, node := range c.batch {
			block, err := s.touch(c, &s.blocks, node)
			if err != nil {
				return err
			}
			if key := s.keyOf[node]; filter == nil || filter.Contains(key) {
				c.best.offer(found{s.similarity(c, block), key, node})
			}
			s.expand(c, block)
		}
	}
	return nil
}

// nextBatch takes the best candidates that are not expanded: beam of them that need a page which this search has not
// touched, and what comes between them. It reports whether there is any.
func (s *Shard) nextBatch(c *Scratch) bool {
	c.batch = c.batch[:0]
	for pages := 0; pages < beam; {
		node, ok := c.pool.next()
		if !ok {
			break
		}
		c.batch = append(c.batch, node)
		if c.buckets[s.blocks.bucketOf(node)] != c.epoch {
			s.soon(c, &s.blocks, node)
			pages++
		}
	}
	return len(c.batch) > 0
}

// expand offers the neighbours in a block that are new.
func (s *Shard) expand(c *Scratch, block []byte) {
	links := c.links[:s.links]
	for i := range links {
		links[i] = binary.LittleEndian.Uint32(block[s.stride+sumBytes+4*i:])
	}
	n := s.navigation.kernels.FilterPrefetch(links, c.visited[:s.n], c.epoch, s.navigation.rows, c.fresh[:])
	s.offer(c, c.fresh[:n])
}

// offer puts nodes into the pool, at most windowNodes.
func (s *Shard) offer(c *Scratch, ids []uint32) {
	s.navigation.scores(&c.query, ids, c.dots[:], c.scores[:])
	for i, id := range ids {
		c.pool.add(c.scores[i], id)
	}
}

// similarity returns the cosine of the query and the codes of a block.
func (s *Shard) similarity(c *Scratch, block []byte) float32 {
	var dot [1]int32
	kernel.DotRows(c.codes[:s.stride], codesOf(block[:s.stride]), dot[:])
	return float32(float64(dot[0]) * (c.inverse * inverseOf(binary.LittleEndian.Uint32(block[s.stride:]))))
}

// inverseOf returns 1 / length. A damaged block cannot come here, so squares is positive.
func inverseOf(squares uint32) float64 { return 1 / math.Sqrt(float64(squares)) }

func bytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }
