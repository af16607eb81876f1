package hot

import (
	"math"
	"runtime"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Hit is one answer.
type Hit struct {
	Key        uint32
	Similarity float32 // cosine, of the vectors as they were given
}

// Query is what a search is asked for.
type Query struct {
	Vector Vector
	K      int             // answers wanted, at least 1
	Filter *roaring.Bitmap // keys that may be answers; nil: all. It is only read
	Exact  bool            // compare everything
	Ef     int             // width of the walk; 0: as calibrated
}

// Search appends to dst the K keys nearest to the vector, best first, ties by lower key: always min(K, matches). The
// similarities have the flat index's bits. It allocates only what dst lacks, and memory that searches share.
func (g *Graph) Search(q Query, dst []Hit) []Hit {
	s := g.begin(q.Vector)
	defer g.end(s, g.epochs.enter())
	least := min(q.K, g.Len())
	if least < 1 {
		return dst
	}
	q.K = min(q.K, math.MaxInt32)
	s.best.reset(q.K) // not least: a key that is bound meanwhile must not push out another
	p := g.plan.choose(g, &q, least)
	for p.walk {
		done := g.searchGraph(s, q, p) && len(s.best.heap) >= least
		if done && !p.strained(s.lastAt) {
			return s.best.appendTo(dst)
		}
		s.best.reset(q.K)
		p = p.after(done)
	}
	s.best.reset(q.K)
	g.scan(s, q, p.byKey)
	return s.best.appendTo(dst)
}

func (g *Graph) begin(v Vector) *search {
	s := g.searches.Get().(*search)
	s.prepare(g, v)
	s.visits = 0
	return s
}

func (g *Graph) end(s *search, entered uint64) {
	g.epochs.leave(entered)
	s.release()
	g.searches.Put(s)
	runtime.KeepAlive(g) // the tables
}

// searchGraph fills the ranking from a walk, and returns false when that cost more than the plan allows.
func (g *Graph) searchGraph(s *search, q Query, p plan) bool {
	node, level, ok := g.start()
	if !ok {
		return false
	}
	node = g.descend(s, node, level, 0)
	s.use(g, q.Filter)
	s.begin(g.Nodes(), p.ef)
	g.seed(s, node)
	s.visits = 0
	if !g.walk(s, 0, p.budget) {
		return false
	}
	s.lastAt = s.matchAt(p.k)
	g.rescore(s)
	return true
}

// settleTies is how many more nodes than answers are scored exactly: among them are those that rounding may have put behind
// the last answer.
const settleTies = 8

// rescore ranks the matching entries of the pool by their exact similarity: all whose nearness came from codes that stand for
// floats, after the kernel for floats has chosen among them; otherwise the first.
func (g *Graph) rescore(s *search) {
	if g.config.Float {
		g.sharpen(s)
	}
	most := s.best.size + settleTies
	for _, e := range s.pool {
		if e&matchBit == 0 {
			continue
		}
		if most == 0 {
			return
		}
		most--
		id := nodeOf(e)
		g.offerKeys(s, id, g.similarity(s, id))
	}
}

// sharpen sorts the matching entries of the pool by a product of floats, and drops the others.
func (g *Graph) sharpen(s *search) {
	matching := s.pool[:0]
	for _, e := range s.pool {
		if e&matchBit != 0 {
			matching = append(matching, e)
		}
	}
	s.pool = matching
	for from := 0; from < len(matching); from += windowRows {
		window := matching[from:min(from+windowRows, len(matching))]
		for i, e := range window {
			s.ids[i] = nodeOf(e)
		}
		const ahead = 4
		ids := s.ids[:len(window)]
		for i := 0; i < len(ids); i += ahead {
			j := min(i+ahead, len(ids))
			g.k.Prefetch(g.floatRows, ids[j:min(j+ahead, len(ids))])
			g.k.DotF32(s.floats, g.floatRows, ids[i:j], s.sums[i:j])
		}
		for i, id := range ids {
			near := s.sums[i]
			if _, inverse := g.float(id); *inverse > 1e-15 && *inverse < 1e15 {
				near *= float32(*inverse)
			} else { // float32 is too narrow
				near = g.similarity(s, id)
			}
			window[i] = entry(order(near), id) | matchBit
		}
	}
	slices.Sort(s.pool)
}

// offerKeys offers the keys of a node that match.
func (g *Graph) offerKeys(s *search, id uint32, similarity float32) {
	for at := g.firstKey(id); at != noKey; at = g.nextKey(at) {
		if key := uint32(at >> 32); s.match.has(key) {
			s.best.offer(similarity, key)
		}
	}
}

// similarity returns the cosine of the query and a node's vector.
func (g *Graph) similarity(s *search, id uint32) float32 {
	if g.config.Float {
		v, inverse := g.float(id)
		return cosine(dotFloat(s.vector.Float, v), s.inverse, *inverse)
	}
	s.one[0] = id
	g.k.DotI8(s.codes, g.codeRows, s.one[:], s.dot[:])
	g.k.DotI8(g.code(id), g.codeRows, s.one[:], s.square[:])
	return cosine(float64(s.dot[0]), s.inverse, inverseRoot(s.square[0]))
}

// Similarity returns the cosine of v and the vector of each key, appended to dst in order; NaN for a key that is absent.
func (g *Graph) Similarity(v Vector, keys []uint32, dst []float32) []float32 {
	s := g.begin(v)
	defer g.end(s, g.epochs.enter())
	for _, key := range keys {
		if id, ok := g.keys.get(key); ok {
			dst = append(dst, g.similarity(s, id))
		} else {
			dst = append(dst, nan)
		}
	}
	return dst
}

// Vector appends the vector of a key to the slice of its form in dst, and returns false when the key is absent.
func (g *Graph) Vector(key uint32, dst Vector) (Vector, bool) {
	defer runtime.KeepAlive(g)
	defer g.epochs.leave(g.epochs.enter())
	id, ok := g.keys.get(key)
	if !ok {
		return dst, false
	}
	if g.config.Float {
		v, _ := g.float(id)
		dst.Float = append(dst.Float, v...)
	} else {
		dst.Int8 = append(dst.Int8, g.code(id)[:g.config.Dim]...)
	}
	return dst, true
}
