package cold

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// Costs that decide between walking the graph and scanning the codes in memory. They are constants and not measured, so
// that the same search gives the same answer everywhere. Measured on one machine at 384 dimensions.
const (
	scanNanos    = 25     // of a code in memory
	batchNanos   = 12_000 // of a page among many that are asked for at once
	walkNanos    = 30_000 // of a candidate of a walk
	walkWidthMax = 1024   // a wider walk is a scan
	nearestUsual = 10     // hits for which the widths of the header were measured
	extraWidth   = 2      // candidates for each hit beyond
	readAllMax   = 32     // so many matches are compared by their blocks at once
	scanPoolMin  = 1024   // candidates that a scan keeps, and at least scanPoolEach for each hit
	scanPoolEach = 8
	scanWindow   = 32 // candidates that are read at a time
)

// strategy says how a search goes about.
type strategy struct {
	traverse bool
	width    int // candidates of the walk
	matchMin int // fewer matches on the walk mean that the matches are elsewhere, and a scan follows
}

// plan decides by the exact number of matches. A walk that should meet as many matches as an unfiltered one meets vectors
// must be wider by the share that matches.
func (s *Shard) plan(k, matches int) strategy {
	extra := extraWidth * max(0, k-nearestUsual)
	width := float64(max(s.width+extra, k)) * float64(s.n) / float64(matches)
	walk := width * walkNanos
	scan := float64(matches)*scanNanos + float64(min(s.rescore+extra, matches))*batchNanos
	return strategy{
		traverse: walk < scan && width <= walkWidthMax && matches > readAllMax,
		width:    int(min(math.Ceil(width), widthMax)),
		matchMin: max(k, (s.width+extra)/2),
	}
}

// scan compares all matches by their codes in memory, and the best of them by their blocks. When there are few, all of them.
func (s *Shard) scan(c *Scratch, matches int, filter *roaring.Bitmap) error {
	if filter == nil && matches > readAllMax {
		return s.scanAll(c)
	}
	if err := s.collect(c, matches, filter); err != nil {
		return err
	}
	if len(c.nodes) <= max(readAllMax, c.best.size) {
		return s.compareBlocks(c, c.nodes)
	}
	c.pool.reset(c.scanPool())
	for from := 0; from < len(c.nodes); from += windowNodes {
		s.offer(c, c.nodes[from:min(from+windowNodes, len(c.nodes))])
	}
	return s.comparePool(c)
}

// scanPool is how many candidates a scan keeps.
func (c *Scratch) scanPool() int { return max(scanPoolMin, scanPoolEach*c.best.size) }

func (s *Shard) scanAll(c *Scratch) error {
	c.pool.reset(c.scanPool())
	for from := 0; from < s.n; from += windowNodes {
		window := c.fresh[:min(windowNodes, s.n-from)]
		for i := range window {
			window[i] = uint32(from + i)
		}
		s.offer(c, window)
	}
	return s.comparePool(c)
}

// comparePool compares candidates by their blocks, until the next could only be among the best if its code in memory said less than
// the truth by more than the slack. Where many vectors are about as near as the last of the best, it reads many.
func (s *Shard) comparePool(c *Scratch) error {
	c.rescored = 0
	for c.rescored < len(c.pool.items) {
		next := c.pool.items[c.rescored]
		if len(c.best.heap) == c.best.size && next.score()+s.slack*spread(next.score()) < c.best.heap[0].similarity {
			return nil
		}
		c.nodes = c.nodes[:0]
		for _, candidate := range c.pool.items[c.rescored:min(c.rescored+scanWindow, len(c.pool.items))] {
			c.nodes = append(c.nodes, candidate.id())
		}
		c.rescored += len(c.nodes)
		if err := s.compareBlocks(c, c.nodes); err != nil {
			return err
		}
	}
	return nil
}

// spread is what the error of an estimated cosine is in proportion to: the sine, since only what is at right angles to the
// vector is lost. It is bounded below, where errors of rounding count.
func spread(cosine float32) float32 {
	return float32(math.Sqrt(float64(max(1-cosine*cosine, 0.01))))
}

// compareBlocks ranks nodes by their blocks, in the order of the file.
func (s *Shard) compareBlocks(c *Scratch, nodes []uint32) error {
	slices.Sort(nodes)
	for from := 0; from < len(nodes); from += windowNodes {
		window := nodes[from:min(from+windowNodes, len(nodes))]
		s.soonAll(c, &s.blocks, window)
		for _, node := range window {
			block, err := s.touch(c, &s.blocks, node)
			if err != nil {
				return err
			}
			c.best.offer(found{s.similarity(c, block), s.keyOf[node], node})
		}
	}
	return nil
}

// soonAll starts to read rows in ascending order.
func (s *Shard) soonAll(c *Scratch, t *table, rows []uint32) {
	last := -1
	for _, row := range rows {
		if bucket := t.bucketOf(row); bucket != last {
			s.soon(c, t, row)
			last = bucket
		}
	}
}

// collectShare is the share of vectors from which on matches are found by looking at every key in memory; below it each is
// looked up in the key table of the file.
const collectShare = 256

// collect lists the nodes of all matches.
func (s *Shard) collect(c *Scratch, matches int, filter *roaring.Bitmap) error {
	c.nodes = c.nodes[:0]
	if filter == nil {
		for node := range s.n {
			c.nodes = append(c.nodes, uint32(node))
		}
		return nil
	}
	matching := roaring.And(filter, s.keys)
	switch {
	case matches < s.n/collectShare:
		return s.lookUpAll(c, matching)
	case s.dense:
		s.collectDense(c, matching)
	default:
		for node, key := range s.keyOf {
			if matching.Contains(key) {
				c.nodes = append(c.nodes, uint32(node))
			}
		}
	}
	return nil
}

func (s *Shard) collectDense(c *Scratch, matching *roaring.Bitmap) {
	c.dense = resized(c.dense, int(s.keys.Maximum())/64+1)
	clear(c.dense)
	matching.WriteDenseTo(c.dense)
	for node, key := range s.keyOf {
		if c.dense[key/64]>>(key%64)&1 != 0 {
			c.nodes = append(c.nodes, uint32(node))
		}
	}
}

func (s *Shard) lookUpAll(c *Scratch, keys *roaring.Bitmap) error {
	for at := keys.Iterator(); at.HasNext(); {
		node, err := s.lookUp(c, at.Next())
		if err != nil {
			return err
		}
		c.nodes = append(c.nodes, node)
	}
	return nil
}

// lookUp returns the node of a key that is in the shard.
func (s *Shard) lookUp(c *Scratch, key uint32) (uint32, error) {
	bucket := sort.Search(len(s.fences), func(i int) bool { return s.fences[i] > key }) - 1
	first := bucket * s.pairs.perBucket
	rows := min(s.pairs.perBucket, s.n-first)
	pairs, err := s.bucket(c, &s.pairs, uint32(first))
	if err != nil {
		return 0, err
	}
	i := sort.Search(rows, func(i int) bool { return binary.LittleEndian.Uint32(pairs[i*pairBytes:]) >= key })
	if i < rows && binary.LittleEndian.Uint32(pairs[i*pairBytes:]) == key {
		if node := binary.LittleEndian.Uint32(pairs[i*pairBytes+4:]); int(node) < s.n && s.keyOf[node] == key {
			return node, nil
		}
	}
	return 0, fmt.Errorf("%w: key table is wrong about key %d", ErrRebuild, key)
}

// compareFloats ranks the best anew by their rows of floats, and keeps k.
func (s *Shard) compareFloats(c *Scratch, k int) error {
	c.answer = append(c.answer[:0], c.best.heap...)
	slices.SortFunc(c.answer, func(a, b found) int { return cmp.Compare(a.node, b.node) })
	c.nodes = c.nodes[:0]
	for _, f := range c.answer {
		c.nodes = append(c.nodes, f.node)
	}
	s.soonAll(c, &s.floats, c.nodes)
	c.precise = 1 / math.Sqrt(kernel.DotFloat(c.floats, c.floats))
	c.best.reset(k)
	for _, f := range c.answer {
		similarity, err := s.similarityOfFloats(c, f.node)
		if err != nil {
			return err
		}
		f.similarity = similarity
		c.best.offer(f)
	}
	c.best.sort()
	return nil
}

func (s *Shard) similarityOfFloats(c *Scratch, node uint32) (float32, error) {
	b, err := s.touch(c, &s.floats, node)
	if err != nil {
		return 0, err
	}
	c.row = resized(c.row, s.dim)
	for i := range c.row {
		c.row[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	inverse := 1 / math.Sqrt(kernel.DotFloat(c.row, c.row))
	return float32(kernel.DotFloat(c.floats, c.row) * (c.precise * inverse)), nil
}

// Similarity appends to dst the cosine of q with the vector of each key, in order; NaN for a key that is absent.
// Errors: as Search.
func (s *Shard) Similarity(q Row, keys []uint32, dst []float32, c *Scratch) ([]float32, error) {
	if !q.direction(s.form, s.dim, c.room(s.dim)) {
		return dst, ErrQuery
	}
	c.begin(s.n, s.buckets())
	c.ready(s)
	c.floats = q.Float32
	if s.exact {
		c.precise = 1 / math.Sqrt(kernel.DotFloat(c.floats, c.floats))
	}
	err := s.guard(func() error {
		for _, key := range keys {
			similarity, err := s.similarityOfKey(c, key)
			if err != nil {
				return err
			}
			dst = append(dst, similarity)
		}
		return nil
	})
	return dst, err
}

func (s *Shard) similarityOfKey(c *Scratch, key uint32) (float32, error) {
	if !s.keys.Contains(key) {
		return float32(math.NaN()), nil
	}
	node, err := s.lookUp(c, key)
	if err != nil {
		return 0, err
	}
	if s.exact {
		return s.similarityOfFloats(c, node)
	}
	block, err := s.touch(c, &s.blocks, node)
	if err != nil {
		return 0, err
	}
	return s.similarity(c, block), nil
}
