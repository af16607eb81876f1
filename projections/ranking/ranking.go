package ranking

import (
	"cmp"
	"math"
	"slices"

	"github.com/membrain-db/membrain/model"
)

// Candidate is one memory of the pool with everything that its score depends on.
type Candidate struct {
	Ordinal   uint32
	ID        model.MemoryID
	Lexical   float64 // raw BM25, valid when InLexical
	Vector    float64 // cosine, valid when InVector
	InLexical bool
	InVector  bool
	Lead      bool   // among the best of an arm: its neighbours belong in the pool
	Named     bool   // the query names an entity of it
	Session   uint64 // 0 is none
	Family    model.MemoryID
	Effective float64 // strength at the request's tick, [0,1]
	Salience  float64
	Confident float64
	Utility   float64
	Recency   float64 // [0,1]
	Context   float64 // [0,1], share of the caller's context ids that match
	Difficult float64 // [0,0.5]
	Conflict  bool    // open
}

// Edge says that To stands Step places after From in their session, or -Step before it. Only what an arm found needs
// edges from it: the rest has nothing to give.
type Edge struct {
	From, To int32 // places in the pool
	Step     int32 // not 0
}

// Part is one named summand.
type Part struct {
	Name  model.PartName
	Value float64
}

// Scored is a candidate with its score.
type Scored struct {
	*Candidate
	Score float64
	Lane  model.Lane
	at    int  // in the pool
	twin  bool // a later member of a duplicate family
}

// partsMax is one more than the largest model.PartName.
const partsMax = 16

// parts are the summands of a score by name.
type parts [partsMax]float64

func (p *parts) sum() float64 {
	total := 0.0
	for _, v := range p {
		total += v
	}
	return total
}

// Result is a ranked pool.
type Result struct {
	Ranked []Scored // best first; ties by id

	pool   []Candidate
	terms  []terms
	scales scales
	params model.RankingParams
}

// terms are the raw parts of one candidate's relevance.
type terms struct{ lexical, vector, neighbours, entity, episode float64 }

func (t *terms) base() float64 { return t.lexical + t.vector }

func (t *terms) sum() float64 { return t.base() + t.neighbours + t.entity + t.episode }

// scales are what the parts of one pool are measured by.
type scales struct{ peak, median float64 }

// Rank scores the pool. Shapes: pool of n, at most a few thousand; the result refers to its elements.
func Rank(pool []Candidate, edges []Edge, p model.RankingParams) Result {
	r := Result{pool: pool, terms: make([]terms, len(pool)), params: p}
	fuse(r.terms, pool, p)
	neighbours(r.terms, edges, p)
	named(r.terms, pool, p)
	episodes(r.terms, pool, p)
	r.scales.median = medianStrength(pool)
	for i := range pool {
		r.scales.peak = max(r.scales.peak, r.terms[i].sum())
	}
	r.order()
	return r
}

// place is a candidate in the order: small, so that sorting moves little.
type place struct {
	score float64
	at    int32
	twin  bool
}

// order sorts by score, lowers later members of duplicate families, and sorts again when that moved any.
func (r *Result) order() {
	places := make([]place, len(r.pool))
	for i := range r.pool {
		all := r.all(i)
		places[i] = place{score: all.sum(), at: int32(i)}
	}
	slices.SortFunc(places, r.better)
	if r.penaliseTwins(places) {
		slices.SortFunc(places, r.better)
	}
	r.Ranked = make([]Scored, len(places))
	for k, pl := range places {
		c := &r.pool[pl.at]
		r.Ranked[k] = Scored{Candidate: c, Score: pl.score, Lane: lane(c, &r.terms[pl.at]), at: int(pl.at), twin: pl.twin}
	}
}

// better orders by score, ties by id.
func (r *Result) better(a, b place) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return slices.Compare(r.pool[a.at].ID[:], r.pool[b.at].ID[:])
}

// penaliseTwins lowers all but the best of each duplicate family.
func (r *Result) penaliseTwins(places []place) (any bool) {
	if r.params.Duplicate == 0 {
		return false
	}
	seen := map[model.MemoryID]bool{}
	for i := range places {
		if f := r.pool[places[i].at].Family; !f.Zero() {
			seen[f] = false // families of one, which most are, need no look
		}
	}
	for i := range places {
		c := &r.pool[places[i].at]
		family := c.Family
		if family.Zero() {
			family = c.ID
		}
		first, known := seen[family]
		switch {
		case !known:
		case first:
			places[i].score -= r.params.Duplicate
			places[i].twin, any = true, true
		default:
			seen[family] = true
		}
	}
	return any
}

// Parts returns the summands of a score that are not zero, in the order of their names' values.
func (r *Result) Parts(s *Scored) []Part {
	all := r.all(s.at)
	if s.twin {
		all[model.PartDuplicate] = -r.params.Duplicate
	}
	list := make([]Part, 0, partsMax)
	for name, v := range all {
		if v != 0 {
			list = append(list, Part{model.PartName(name), v})
		}
	}
	return list
}

// all works out every part of a candidate but the penalty of a twin.
func (r *Result) all(at int) (all parts) {
	relevance(&all, &r.terms[at], r.scales)
	soft(&all, &r.pool[at], r.scales, r.params)
	return all
}

// fuse z-scores each arm over its own candidates and measures from the arm's floor, so what an arm did not
// return counts as its worst, and no share is negative.
func fuse(out []terms, pool []Candidate, p model.RankingParams) {
	lex := newArm(pool, func(c *Candidate) (float64, bool) { return c.Lexical, c.InLexical })
	vec := newArm(pool, func(c *Candidate) (float64, bool) { return c.Vector, c.InVector })
	for i := range pool {
		out[i].lexical, out[i].vector = p.LexicalWeight*lex.z(&pool[i]), p.VectorWeight*vec.z(&pool[i])
	}
}

type arm struct {
	of         func(*Candidate) (float64, bool)
	floor, dev float64
}

func newArm(pool []Candidate, of func(*Candidate) (float64, bool)) arm {
	a := arm{of: of, floor: math.Inf(1)}
	var n, sum, sq float64
	for i := range pool {
		if v, ok := of(&pool[i]); ok {
			n, sum, a.floor = n+1, sum+v, min(a.floor, v)
		}
	}
	for i := range pool {
		if v, ok := of(&pool[i]); ok {
			d := v - sum/n
			sq += d * d
		}
	}
	if n > 0 {
		a.dev = math.Sqrt(sq / n)
	}
	return a
}

// z returns the standard deviations above the arm's floor; 1 when the arm cannot tell its candidates apart.
func (a arm) z(c *Candidate) float64 {
	v, ok := a.of(c)
	switch {
	case !ok:
		return 0
	case a.dev < 1e-9:
		return 1
	}
	return (v - a.floor) / a.dev
}

// neighbours adds to each candidate a share of those around it in its session: of the k-th before it BeforeWeights[k-1],
// of the k-th after it AfterWeights[k-1].
func neighbours(out []terms, edges []Edge, p model.RankingParams) {
	for _, e := range edges {
		weights, step := &p.BeforeWeights, int(e.Step)
		if step < 0 {
			weights, step = &p.AfterWeights, -step
		}
		if step <= len(weights) {
			out[e.To].neighbours += weights[step-1] * out[e.From].base()
		}
	}
}

func named(out []terms, pool []Candidate, p model.RankingParams) {
	best := 0.0
	for i := range out {
		best = max(best, out[i].sum())
	}
	for i := range pool {
		if pool[i].Named {
			out[i].entity = p.EntityWeight * best
		}
	}
}

func episodes(out []terms, pool []Candidate, p model.RankingParams) {
	best := map[uint64]float64{}
	for i := range pool {
		if s := pool[i].Session; s != 0 {
			best[s] = max(best[s], out[i].sum())
		}
	}
	for i := range pool {
		out[i].episode = p.EpisodeWeight * best[pool[i].Session]
	}
}

func medianStrength(pool []Candidate) float64 {
	if len(pool) == 0 {
		return 1
	}
	all := make([]float64, len(pool))
	for i := range pool {
		all[i] = standing(pool[i].Effective)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// standing is the strength factor: weak memories keep 0.4, so strength never gates.
func standing(effective float64) float64 { return 0.4 + 0.6*effective }

// relevance sets the parts that say how well a memory answers; together they lie in [0,1].
func relevance(all *parts, t *terms, s scales) {
	if s.peak <= 0 {
		return
	}
	scale := 1 / s.peak
	all[model.PartLexical] = t.lexical * scale
	all[model.PartVector] = t.vector * scale
	all[model.PartNeighbours] = t.neighbours * scale
	all[model.PartEntity] = t.entity * scale
	all[model.PartEpisode] = t.episode * scale
}

// soft sets the parts that say how a memory stands.
func soft(all *parts, c *Candidate, s scales, p model.RankingParams) {
	all[model.PartStrength] = p.Strength * (standing(c.Effective)/s.median - 1)
	all[model.PartSalience] = p.Salience * c.Salience
	all[model.PartConfidence] = p.Confidence * c.Confident
	all[model.PartUtility] = p.Utility * c.Utility
	all[model.PartRecency] = p.Recency * c.Recency
	all[model.PartContext] = p.Context * c.Context
	all[model.PartDifficulty] = -p.Difficulty * c.Difficult
	if c.Conflict {
		all[model.PartConflict] = -p.Conflict
	}
}

func lane(c *Candidate, t *terms) model.Lane {
	switch {
	case c.InLexical && c.InVector:
		return model.LaneBoth
	case c.InLexical:
		return model.LaneLexical
	case c.InVector:
		return model.LaneVector
	case t.neighbours > 0:
		return model.LaneNeighbour
	}
	return model.LaneEntity
}
