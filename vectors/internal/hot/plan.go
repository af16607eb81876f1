package hot

import (
	"math"
	"sync/atomic"
)

// Costs are nanoseconds, all positive: what the planner weighs. Only their ratios matter.
type Costs struct {
	Row   float64 // to compare one row in a scan of all
	Key   float64 // to look up and compare one key of a filter
	Visit float64 // to compare one vector in a walk, with all that a walk does besides
}

// assumed stands in until Calibrate has measured.
var assumed = Costs{Row: 20, Key: 40, Visit: 80}

// planner chooses between a walk and a scan. What it knows may be replaced while searches run.
type planner struct {
	known atomic.Pointer[knowledge]
}

// knowledge is what was measured on this graph.
type knowledge struct {
	costs       Costs
	ef          int
	visitsPerEf float64
	recall      float64 // of the sample at ef; NaN before the first calibration
	nodes       int     // how many there were
}

const (
	efMin = 16
	efMax = 2048

	// widerByFilter is by how much a walk under a filter is wider than one without, which calibration was for: the nodes that
	// match need not lie together. Measured on 100,000 vectors: half of all, those farthest from a query: recall .97 with 1.
	widerByFilter = 2
	// widerByStrain is by how much the second walk is wider than one that was strained.
	widerByStrain = 4
)

func (p *planner) init(c Costs) {
	if c == (Costs{}) {
		c = assumed
	}
	p.known.Store(&knowledge{costs: c, ef: 64, visitsPerEf: 14, recall: math.NaN()})
}

// plan is how to search.
type plan struct {
	walk   bool
	ef     int
	budget int  // vectors that a walk may compare
	byKey  bool // if it comes to a scan

	k          int
	share      float64 // of the nodes that match
	cost, scan float64 // of the walk, of the scan
	wide       bool    // this is the second walk
}

// choose weighs a walk, which compares more vectors the fewer of them match, against a scan, whose cost is known. A
// walk that turns out to cost more than the scan is given up. Source: measured.md's crossover
// sqrt(480 c_graph / (c_scan n)).
func (p *planner) choose(g *Graph, q *Query, k int) plan {
	known := p.known.Load()
	n := float64(g.Len())
	matches, scan, byKey := n, float64(g.Nodes())*known.costs.Row, false
	if q.Filter != nil {
		c := float64(q.Filter.GetCardinality())
		matches = min(n, c)
		if byKey = c*known.costs.Key < scan; byKey {
			scan = c * known.costs.Key
		}
	}
	ef := q.Ef
	if ef == 0 {
		ef = known.ef + 2*max(0, k-10)
		if q.Filter != nil {
			ef *= widerByFilter
		}
	}
	ef = max(ef, k)
	share := matches / max(n, 1)
	cost := float64(ef) * known.visitsPerEf * known.costs.Visit / max(share, 1e-9)
	return plan{
		walk:   !q.Exact && cost < scan,
		ef:     ef,
		budget: int(scan / known.costs.Visit),
		byKey:  byKey,
		k:      k, share: share, cost: cost, scan: scan,
	}
}

// strained says that the last of the answers stood at a place in the pool that a filter which has nothing to do with
// the query does not put it at: what is nearest to the query does not match, and what matches lies far off in all directions, where
// a walk misses some.
func (p plan) strained(lastAt int) bool {
	return p.share < 1 && !p.wide && float64(lastAt) > 2*float64(p.k)/p.share+16
}

// after returns what to do when a walk was strained, or failed: a much wider one, if that is cheaper than the scan.
func (p plan) after(done bool) plan {
	p.wide = true
	p.ef *= widerByStrain
	p.walk = done && p.cost*widerByStrain < p.scan
	return p
}
