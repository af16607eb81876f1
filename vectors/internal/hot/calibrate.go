package hot

import (
	"math/rand/v2"
	"slices"
)

// Quality is what Calibrate found.
type Quality struct {
	Ef     int     // width of the walk
	Recall float64 // at that width, of the sample's nearest ten; NaN before the first calibration
	Nodes  int     // in the graph at that time
}

// Quality returns what the last calibration found.
func (g *Graph) Quality() Quality {
	k := g.plan.known.Load()
	return Quality{Ef: k.ef, Recall: k.recall, Nodes: k.nodes}
}

// NeedsCalibration says that a tenth of the nodes have come or gone since the last calibration, or that there was none.
// Safe to call at any time.
func (g *Graph) NeedsCalibration() bool {
	return 10*g.changes.Load() > int64(g.plan.known.Load().nodes)
}

const (
	sampleQueries = 64
	sampleK       = 10
)

// sample is one query and how near the last of its true neighbours is.
type sample struct {
	node   uint32
	vector Vector
	worst  float32
	k      int
}

// Calibrate finds the smallest width at which searches find the part `target` of the true ten neighbours of 64 vectors
// of the graph, and makes it the width of all searches to come. Such a search is kept off the vector's own node, as if it
// had never come, which makes it a query like those to come. A fifth of what target leaves to 1 is
// added on top, since a sample errs. It measures costs as well, unless New was given them. Readers do not wait.
func (g *Graph) Calibrate(target float64) {
	old := g.plan.known.Load()
	know := &knowledge{costs: old.costs, ef: efMax, visitsPerEf: old.visitsPerEf, recall: 1, nodes: g.Nodes()}
	if samples := g.sample(); len(samples) > 0 {
		target += (1 - target) / 5
		for know.ef = efMin; ; know.ef += max(4, know.ef/6) {
			know.recall, know.visitsPerEf = g.measure(samples, know.ef)
			if know.recall >= target || know.ef >= min(efMax, g.Len()) {
				break
			}
		}
		if g.config.Costs == (Costs{}) {
			know.costs = g.measureCosts(samples, know)
		}
	}
	g.plan.known.Store(know)
	g.changes.Store(0)
}

// sample draws nodes of level 0 and finds their true neighbours by a scan. The same graph gives the same sample.
func (g *Graph) sample() []sample {
	n := g.nodes.Load()
	if n == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(g.config.Seed, uint64(n)))
	var samples []sample
	for range 4 * sampleQueries {
		id := r.Uint32N(n)
		if level, _ := g.place(id); level > 0 || !g.alive(id) {
			continue
		}
		if q := g.without(id); q.k > 0 {
			samples = append(samples, q)
		}
		if len(samples) == sampleQueries {
			break
		}
	}
	return samples
}

// without makes the query that asks for the neighbours of a node.
func (g *Graph) without(id uint32) sample {
	q := sample{node: id}
	if g.config.Float {
		v, _ := g.float(id)
		q.vector.Float = slices.Clone(v)
	} else {
		q.vector.Int8 = slices.Clone(g.code(id)[:g.config.Dim])
	}
	s := g.begin(q.vector)
	defer g.end(s, g.epochs.enter())
	s.best.reset(sampleK)
	s.skip = id
	g.scan(s, Query{Vector: q.vector}, false)
	if q.k = len(s.best.heap); q.k > 0 {
		q.worst = unorder(uint32(s.best.heap[0] >> 32))
	}
	return q
}

// measure returns the recall of the samples at a width, and the visits for each unit of it. An answer counts when it is
// as near as the last true one, so equal vectors are equally right.
func (g *Graph) measure(samples []sample, ef int) (recall, visitsPerEf float64) {
	found, wanted, visits := 0, 0, 0
	for _, q := range samples {
		s := g.begin(q.vector)
		entered := g.epochs.enter()
		s.best.reset(q.k)
		s.skip = q.node
		g.searchGraph(s, Query{Vector: q.vector}, plan{ef: max(ef, q.k), budget: unbounded})
		for _, h := range s.best.heap {
			if unorder(uint32(h>>32)) >= q.worst {
				found++
			}
		}
		wanted += q.k
		visits += s.visits
		g.end(s, entered)
	}
	return float64(found) / float64(wanted), float64(visits) / float64(len(samples)) / float64(ef)
}
