package hot

import "sync/atomic"

// What the low half of a head or a posting says.
const (
	noKey     = 0
	lastKey   = 1
	postsFrom = 2 // more keys at posting low - postsFrom
)

// postings is the writer of keys' view of the posts table.
type postings struct {
	free retired
	rows int
}

// Bind makes key an answer that node, which Insert returned, gives. The key is not bound yet. Errors: the system's
// when it has no memory; the key is then not bound.
func (g *Graph) Bind(key, node uint32) error {
	head := g.head(node)
	rest := atomic.LoadUint64(head)
	now := uint64(key)<<32 | lastKey
	if rest != noKey {
		post, err := g.newPosting()
		if err != nil {
			return err
		}
		atomic.StoreUint64(g.post(post), rest)
		now = uint64(key)<<32 | uint64(post+postsFrom)
	}
	g.keys.put(key, node)
	atomic.StoreUint64(head, now)
	g.bound.Add(1)
	return nil
}

func (g *Graph) post(i uint32) *uint64 { return (*uint64)(at(g.posts, i, 8)) }

func (g *Graph) newPosting() (uint32, error) {
	if post, ok := g.postings.free.pop(&g.epochs); ok {
		return post, nil
	}
	if err := g.posts.Grow(g.postings.rows + 1); err != nil {
		return 0, err
	}
	g.postings.rows++
	return uint32(g.postings.rows - 1), nil
}

// Unbind takes a key out and reports whether it was there. A node that loses its last key is dead: Consolidate takes
// it out of the graph.
func (g *Graph) Unbind(key uint32) bool {
	node, ok := g.keys.get(key)
	if !ok {
		return false
	}
	g.keys.remove(key)
	g.bound.Add(-1)
	place, before := g.head(node), (*uint64)(nil)
	for uint32(*place>>32) != key { // only this goroutine writes: no need of atomic loads
		before, place = place, g.post(uint32(*place)-postsFrom)
	}
	switch low := uint32(*place); {
	case low >= postsFrom: // what follows moves here
		post := low - postsFrom
		atomic.StoreUint64(place, *g.post(post))
		g.postings.free.push(post, &g.epochs)
	case before != nil: // the last of several
		post := uint32(*before) - postsFrom
		atomic.StoreUint64(before, *before&^0xffffffff|lastKey)
		g.postings.free.push(post, &g.epochs)
	default:
		atomic.StoreUint64(place, noKey)
		g.bury(node)
	}
	return true
}

// bury hands a dead node to the next consolidation.
func (g *Graph) bury(node uint32) {
	g.grave.Lock()
	g.grave.nodes = append(g.grave.nodes, node)
	g.grave.Unlock()
	g.dead.Add(1)
}

// Drop gives up a node that Insert returned and nobody bound, unless other keys have it.
func (g *Graph) Drop(node uint32) {
	if !g.alive(node) {
		g.bury(node)
	}
}

// Node returns the node of a key.
func (g *Graph) Node(key uint32) (node uint32, ok bool) { return g.keys.get(key) }

// Keys calls yield with every key, in the order of nodes, until it returns false. A key bound or taken out meanwhile
// may be met or not.
func (g *Graph) Keys(yield func(key uint32) bool) {
	defer g.epochs.leave(g.epochs.enter())
	for id := range g.nodes.Load() {
		for at := g.firstKey(id); at != noKey; at = g.nextKey(at) {
			if !yield(uint32(at >> 32)) {
				return
			}
		}
	}
}

// firstKey and nextKey walk the keys of a node: the upper half of what they return is a key, unless it is noKey.
func (g *Graph) firstKey(id uint32) uint64 { return atomic.LoadUint64(g.head(id)) }

func (g *Graph) nextKey(at uint64) uint64 {
	if uint32(at) < postsFrom {
		return noKey
	}
	return atomic.LoadUint64(g.post(uint32(at) - postsFrom))
}
