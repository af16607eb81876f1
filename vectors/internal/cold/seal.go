package cold

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
)

// Seal writes a shard of all vectors of a source to path, replacing what was there whole or not at all; searches of an open shard
// go on with the old file. It takes the graph of the source or builds one, chooses the order of the file, and measures
// how wide a search must be. Memory: about 300 bytes a vector beside the source; to build a graph, another Dim+150.
// Sealing 100,000 vectors of 384 with building takes about 14 s of processor time. Concurrent calls with one path are the
// caller's to prevent.
// Errors: ErrSource, the context's and the file system's; path then holds what it held.
func Seal(ctx context.Context, path string, s Source, o Options) (Info, error) {
	info, err := seal(ctx, path, s, o)
	if err != nil {
		return Info{}, fmt.Errorf("seal %s: %w", path, err)
	}
	return info, nil
}

func seal(ctx context.Context, path string, s Source, o Options) (info Info, err error) {
	h, err := headerFor(s, o)
	if err != nil {
		return Info{}, err
	}
	pairs, err := sortedKeys(s)
	if err != nil {
		return Info{}, err
	}
	g, err := graphOf(ctx, s, h.links)
	if err != nil {
		return Info{}, err
	}
	order, err := localityOrder(ctx, g)
	if err != nil {
		return Info{}, err
	}
	p := plan{source: s, graph: g, order: order, pairs: pairs, entries: entriesOf(g, order)}
	h.entries = len(p.entries)
	h.layout = h.shape.layout()
	err = replaceFile(path, func(file *os.File) error {
		info, err = writeShard(ctx, file, h, &p, o)
		return err
	})
	return info, err
}

// plan is what is to be written.
type plan struct {
	source  Source
	graph   *graph
	order   []uint32 // source vector of each node; a node is a vector's place in the file
	entries []uint32 // nodes
	pairs   []pair   // by key; the id is the source's
}

// pair is a key and whose it is.
type pair struct{ key, id uint32 }

func headerFor(s Source, o Options) (*header, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	h := &header{width: 1, rescore: 1, recall: 1, meta: o.Meta}
	h.shape = shape{form: s.Form(), navBits: navBitsFine, dim: s.Dim(), n: s.Len(), entries: entryCount(s.Len())}
	h.exact = o.Exact && h.form == FormFloat32
	if err := h.shape.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSource, err)
	}
	h.layout = h.shape.layout()
	if o.ResidentBytesMax > 0 && h.residentBytes() > o.ResidentBytesMax {
		h.navBits = navBitsCoarse
		h.layout = h.shape.layout()
	}
	return h, nil
}

func sortedKeys(s Source) ([]pair, error) {
	pairs := make([]pair, s.Len())
	for i := range pairs {
		pairs[i] = pair{s.Key(i), uint32(i)}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
	for i := 1; i < len(pairs); i++ {
		if pairs[i].key == pairs[i-1].key {
			return nil, fmt.Errorf("%w: key %d stands twice", ErrSource, pairs[i].key)
		}
	}
	return pairs, nil
}

// entriesOf returns the nodes at which searches start: some at equal distances in the order of the file, so that every
// region has one, and what cannot be reached from those.
func entriesOf(g *graph, order []uint32) []uint32 {
	n := len(order)
	count := entryCount(n)
	entries := make([]uint32, 0, count)
	reached := make([]bool, n)
	for i := range count {
		node := uint32(i * n / count)
		entries = append(entries, node)
		g.reach(order[node], reached)
	}
	for node, i := range order {
		if g.reach(i, reached) > 0 {
			entries = append(entries, uint32(node))
		}
	}
	return entries
}

// entryCount is how many entries a graph of n vectors has when all can be reached from them.
func entryCount(n int) int { return min(n, max(1, n/nodesPerEntry), entriesMax) }

// inverted returns the node of each vector.
func inverted(order []uint32) []uint32 {
	nodes := make([]uint32, len(order))
	for node, i := range order {
		nodes[i] = uint32(node)
	}
	return nodes
}
