package cold

import (
	"context"
	"fmt"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// graph has the neighbours of every vector, in slots of one size that end at the first kernel.Sentinel or their end.
type graph struct {
	slots int
	links []uint32
}

func newGraph(n, slots int) *graph {
	g := &graph{slots: slots, links: make([]uint32, n*slots)}
	for i := range g.links {
		g.links[i] = kernel.Sentinel
	}
	return g
}

func (g *graph) len() int { return len(g.links) / g.slots }

func (g *graph) row(i uint32) []uint32 { return g.links[int(i)*g.slots : (int(i)+1)*g.slots] }

// of returns the neighbours of i.
func (g *graph) of(i uint32) []uint32 {
	row := g.row(i)
	for n, link := range row {
		if link == kernel.Sentinel {
			return row[:n]
		}
	}
	return row
}

// set replaces the neighbours of i, of which there are at most slots.
func (g *graph) set(i uint32, links []uint32) {
	row := g.row(i)
	for n := copy(row, links); n < len(row); n++ {
		row[n] = kernel.Sentinel
	}
}

// graphOf takes the graph of a source, with at most slots neighbours a vector, or builds one.
func graphOf(ctx context.Context, s Source, slots int) (*graph, error) {
	g := newGraph(s.Len(), slots)
	some := false
	chosen := newChooser(s)
	for i := range s.Len() {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		links, err := chosen.links(uint32(i), slots)
		if err != nil {
			return nil, err
		}
		some = some || len(links) > 0
		g.set(uint32(i), links)
	}
	if some || s.Len() < 2 {
		return g, nil
	}
	return build(ctx, s, slots)
}

// chooser reads the links of a source and drops the least similar where there are too many.
type chooser struct {
	source Source
	rows   [2][]int8
	near   []near
	kept   []uint32
}

func newChooser(s Source) *chooser {
	return &chooser{source: s, rows: [2][]int8{make([]int8, s.Dim()), make([]int8, s.Dim())}}
}

func (c *chooser) links(i uint32, slots int) ([]uint32, error) {
	c.kept = c.kept[:0]
	for _, link := range c.source.Links(int(i)) {
		if int(link) >= c.source.Len() {
			return nil, fmt.Errorf("%w: vector %d has a link to %d of %d", ErrSource, i, link, c.source.Len())
		}
		if link != i {
			c.kept = append(c.kept, link)
		}
	}
	if len(c.kept) <= slots {
		return c.kept, nil
	}
	return c.nearest(i, slots)
}

func (c *chooser) nearest(i uint32, slots int) ([]uint32, error) {
	s := c.source
	if !s.Row(int(i)).direction(s.Form(), s.Dim(), c.rows[0]) {
		return nil, invalidRow(i)
	}
	c.near = c.near[:0]
	for _, link := range c.kept {
		if !s.Row(int(link)).direction(s.Form(), s.Dim(), c.rows[1]) {
			return nil, invalidRow(link)
		}
		c.near = append(c.near, near{cosineOf(c.rows[0], c.rows[1]), link})
	}
	sortNear(c.near)
	c.kept = c.kept[:0]
	for _, n := range c.near[:slots] {
		c.kept = append(c.kept, n.id)
	}
	return c.kept, nil
}

func invalidRow(i uint32) error {
	return fmt.Errorf("%w: vector %d has another form or dimension, no direction, or a number that is none", ErrSource, i)
}

// reach marks what can be reached from start, and returns how many vectors are new.
func (g *graph) reach(start uint32, reached []bool) int {
	if reached[start] {
		return 0
	}
	reached[start] = true
	stack, count := []uint32{start}, 1
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, link := range g.of(i) {
			if !reached[link] {
				reached[link] = true
				stack = append(stack, link)
				count++
			}
		}
	}
	return count
}
