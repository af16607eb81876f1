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
	Named     bool   // the query names an entity of it
	Session   uint64 // 0 is none
	Family    model.MemoryID
	Before    []int // pool indexes of the nearest memories before it in its session, nearest first, -1 when not in the pool
	After     []int
	Effective float64 // strength at the request's tick, [0,1]
	Salience  float64
	Confident float64
	Utility   float64
	Recency   float64 // [0,1]
	Context   float64 // [0,1], share of the caller's context ids that match
	Difficult float64 // [0,0.5]
	Conflict  bool    // open
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
	parts *[partsMax]float64
	twin  float64 // penalty of a later member of a duplicate family
}

// partsMax is one more than the largest model.PartName.
const partsMax = 16

// Parts returns the summands that are not zero, in the order of their names' values. They sum to Score.
func (s *Scored) Parts() []Part {
	list := make([]Part, 0, partsMax)
	for name, v := range s.parts {
		if model.PartName(name) == model.PartDuplicate {
			v -= s.twin
		}
		if v != 0 {
			list = append(list, Part{model.PartName(name), v})
		}
	}
	return list
}

// Result is a ranked pool.
type Result struct {
	Ranked []Scored // best first; ties by id
	// Peak is the raw relevance that 1 stands for; it tells how good the best is, across queries.
	Peak float64
}

// Rank scores the pool. Shapes: pool of n, at most a few thousand; the result refers to its elements.
func Rank(pool []Candidate, p model.RankingParams) Result {
	base := fuse(pool, p)
	spread := neighbours(pool, base, p)
	entity := named(pool, spread, p)
	episode := episodes(pool, spread, entity, p)
	scale := scales{median: medianStrength(pool)}
	for i := range pool {
		scale.peak = max(scale.peak, spread[i]+entity[i]+episode[i])
	}
	parts := make([][partsMax]float64, len(pool))
	out := make([]Scored, len(pool))
	for i := range pool {
		relevance(&parts[i], base[i], spread[i], entity[i], episode[i], scale)
		soft(&parts[i], &pool[i], scale, p)
		out[i] = Scored{Candidate: &pool[i], Score: sum(&parts[i]), Lane: lane(&pool[i], spread[i]), parts: &parts[i]}
	}
	slices.SortFunc(out, better)
	penaliseDuplicates(out, p)
	return Result{Ranked: out, Peak: scale.peak}
}

// scales are what the parts of one pool are measured by.
type scales struct{ peak, median float64 }

func sum(parts *[partsMax]float64) float64 {
	total := 0.0
	for _, v := range parts {
		total += v
	}
	return total
}

// fused is the share of the two arms in a candidate's relevance.
type fused struct{ lexical, vector float64 }

func (f fused) sum() float64 { return f.lexical + f.vector }

// fuse z-scores each arm over its own candidates and measures from the arm's floor, so what an arm did not
// return counts as its worst, and no share is negative.
func fuse(pool []Candidate, p model.RankingParams) []fused {
	lex := newArm(pool, func(c *Candidate) (float64, bool) { return c.Lexical, c.InLexical })
	vec := newArm(pool, func(c *Candidate) (float64, bool) { return c.Vector, c.InVector })
	out := make([]fused, len(pool))
	for i := range pool {
		out[i] = fused{p.LexicalWeight * lex.z(&pool[i]), p.VectorWeight * vec.z(&pool[i])}
	}
	return out
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

// neighbours adds to each candidate a share of those around it in its session.
func neighbours(pool []Candidate, base []fused, p model.RankingParams) []float64 {
	out := make([]float64, len(pool))
	for i := range pool {
		out[i] = base[i].sum() + around(pool[i].Before, p.BeforeWeights, base) + around(pool[i].After, p.AfterWeights, base)
	}
	return out
}

func around(at []int, weights [3]float64, base []fused) float64 {
	sum := 0.0
	for k, j := range at {
		if k < len(weights) && j >= 0 {
			sum += weights[k] * base[j].sum()
		}
	}
	return sum
}

func named(pool []Candidate, spread []float64, p model.RankingParams) []float64 {
	best := 0.0
	for _, s := range spread {
		best = max(best, s)
	}
	out := make([]float64, len(pool))
	for i := range pool {
		if pool[i].Named {
			out[i] = p.EntityWeight * best
		}
	}
	return out
}

func episodes(pool []Candidate, spread, entity []float64, p model.RankingParams) []float64 {
	best := map[uint64]float64{}
	for i := range pool {
		if s := pool[i].Session; s != 0 {
			best[s] = max(best[s], spread[i]+entity[i])
		}
	}
	out := make([]float64, len(pool))
	for i := range pool {
		out[i] = p.EpisodeWeight * best[pool[i].Session]
	}
	return out
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
func relevance(parts *[partsMax]float64, base fused, spread, entity, episode float64, s scales) {
	if s.peak <= 0 {
		return
	}
	scale := 1 / s.peak
	parts[model.PartLexical] = base.lexical * scale
	parts[model.PartVector] = base.vector * scale
	parts[model.PartNeighbours] = (spread - base.sum()) * scale
	parts[model.PartEntity] = entity * scale
	parts[model.PartEpisode] = episode * scale
}

// soft sets the parts that say how a memory stands.
func soft(parts *[partsMax]float64, c *Candidate, s scales, p model.RankingParams) {
	parts[model.PartStrength] = p.Strength * (standing(c.Effective)/s.median - 1)
	parts[model.PartSalience] = p.Salience * c.Salience
	parts[model.PartConfidence] = p.Confidence * c.Confident
	parts[model.PartUtility] = p.Utility * c.Utility
	parts[model.PartRecency] = p.Recency * c.Recency
	parts[model.PartContext] = p.Context * c.Context
	parts[model.PartDifficulty] = -p.Difficulty * c.Difficult
	if c.Conflict {
		parts[model.PartConflict] = -p.Conflict
	}
}

func lane(c *Candidate, spread float64) model.Lane {
	switch {
	case c.InLexical && c.InVector:
		return model.LaneBoth
	case c.InLexical:
		return model.LaneLexical
	case c.InVector:
		return model.LaneVector
	case spread > 0:
		return model.LaneNeighbour
	}
	return model.LaneEntity
}

// penaliseDuplicates lowers all but the best of each duplicate family and restores the order.
func penaliseDuplicates(ranked []Scored, p model.RankingParams) {
	seen := map[model.MemoryID]bool{}
	hit := false
	for i := range ranked {
		family := ranked[i].Family
		if family.Zero() {
			family = ranked[i].ID
		}
		if seen[family] && p.Duplicate != 0 {
			ranked[i].twin = p.Duplicate
			ranked[i].Score -= p.Duplicate
			hit = true
		}
		seen[family] = true
	}
	if hit {
		slices.SortFunc(ranked, better)
	}
}

// better orders by score, ties by id.
func better(a, b Scored) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), slices.Compare(a.ID[:], b.ID[:]))
}
