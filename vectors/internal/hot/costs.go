package hot

import (
	"math"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

const (
	timedRuns = 3
	timedRows = 1 << 14
	timedKeys = 1 << 13
)

// measureCosts times walks, a scan of some rows and one of some keys, and takes the fastest of three each: what disturbs
// a measurement makes it slower. Each touches more memory than a cache near the processor holds, as real searches do. All of
// it takes about ten milliseconds.
func (g *Graph) measureCosts(samples []sample, know *knowledge) Costs {
	q := Query{Vector: samples[0].vector}
	rows := min(g.nodes.Load(), timedRows)
	keys := g.someKeys()
	return Costs{
		Visit: fastest(func() int {
			_, perEf := g.measure(samples, know.ef)
			return int(perEf * float64(know.ef) * float64(len(samples)))
		}),
		Row: g.timeScan(q, int(rows), func(s *search) { g.scanRows(s, q, rows) }),
		Key: g.timeScan(q, int(keys.GetCardinality()), func(s *search) {
			g.scanKeys(s, Query{Vector: q.Vector, Filter: keys})
		}),
	}
}

// timeScan returns the nanoseconds a row of scan.
func (g *Graph) timeScan(q Query, rows int, scan func(*search)) float64 {
	return fastest(func() int {
		s := g.begin(q.Vector)
		defer g.end(s, g.epochs.enter())
		s.best.reset(sampleK)
		s.begin(0, 64+4*sampleK)
		scan(s)
		return rows
	})
}

// someKeys returns keys of nodes that lie far from each other, as those of a filter do.
func (g *Graph) someKeys() *roaring.Bitmap {
	keys := roaring.New()
	n := g.nodes.Load()
	for id := uint32(0); id < n; id += 1 + n/timedKeys {
		if at := g.firstKey(id); at != noKey {
			keys.Add(uint32(at >> 32))
		}
	}
	return keys
}

// fastest returns nanoseconds by what run says it did, at least a tenth.
func fastest(run func() int) float64 {
	best := math.Inf(1)
	for range timedRuns {
		start := time.Now()
		did := run()
		best = min(best, float64(time.Since(start))/float64(max(1, did)))
	}
	return max(best, 0.1)
}
