//go:build unix

package hot_test

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/membrain-db/membrain/vectors/internal/hot"
)

// BenchmarkHNSW builds a graph of clustered vectors of 384 dimensions once and searches it at several widths on one thread. It
// reports recall@10, searches in a second of processor time, and of the build CPU seconds and bytes a vector.
func BenchmarkHNSW(b *testing.B) {
	for _, n := range []int{20_000, 100_000} {
		benchmarkSize(b, n)
	}
}

func benchmarkSize(b *testing.B, n int) {
	const queries, dim = 500, 384
	r := rand.New(rand.NewPCG(1, 1))
	rows := clustered(r, n+queries, dim, n/100, 1)
	for _, float := range []bool{false, true} {
		name := fmt.Sprintf("n=%d/float=%v", n, float)
		b.Run(name, func(b *testing.B) {
			vectors := vectorsOf(rows, float)
			asked, stored := vectors[:queries], vectors[queries:]
			var g *hot.Graph
			cpu := cpuSeconds(func() { g = build(b, hot.Config{Dim: dim, Float: float}, stored) })
			truth := truths(g, asked, 10)
			g.Calibrate(0.99)
			fmt.Printf("calibrated: %+v, costs %+v\n", g.Quality(), g.Costs())
			benchmarkFilters(b, g, asked)
			for _, ef := range []int{16, 24, 32, 48, 64, 96, 128, 256} {
				b.Run(fmt.Sprintf("ef=%d", ef), func(b *testing.B) {
					b.ReportAllocs()
					var hits []hot.Hit
					i := 0
					took := cpuSeconds(func() {
						for b.Loop() {
							hits = g.Search(hot.Query{Vector: asked[i%queries], K: 10, Ef: ef}, hits[:0])
							i++
						}
					})
					b.ReportMetric(float64(i)/took, "searches/s")
					b.ReportMetric(recallOf(g, asked, truth, 10, ef), "recall@10")
					b.ReportMetric(cpu, "build-cpu-s")
					b.ReportMetric(float64(g.MemoryBytes())/float64(n), "B/vector")
				})
			}
		})
	}
}

// benchmarkFilters reports searches as calibrated under filters that let a part of the keys through: any, or those nearest to the
// first query.
func benchmarkFilters(b *testing.B, g *hot.Graph, asked []hot.Vector) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, share := range []float64{1, 0.5, 0.25, 0.1, 0.01, 0.001} {
		filters := filtersOf(g, r, asked[0], share)
		for _, kind := range []string{"random", "near", "far"} {
			b.Run(fmt.Sprintf("filter=%v/%s", share, kind), func(b *testing.B) {
				var hits []hot.Hit
				i := 0
				took := cpuSeconds(func() {
					for b.Loop() {
						hits = g.Search(hot.Query{Vector: asked[i%len(asked)], K: 10, Filter: filters[kind]}, hits[:0])
						i++
					}
				})
				found, wanted := 0, 0
				for _, q := range asked[:50] {
					want := g.Search(hot.Query{Vector: q, K: 10, Filter: filters[kind], Exact: true}, nil)
					found += agreement(g.Search(hot.Query{Vector: q, K: 10, Filter: filters[kind]}, nil), want)
					wanted += len(want)
				}
				b.ReportMetric(float64(found)/float64(wanted), "recall@10")
				b.ReportMetric(took*1e6/float64(i), "cpu-us/search")
			})
		}
	}
}

// cpuSeconds returns the processor time that the process took for f.
func cpuSeconds(f func()) float64 {
	before := processTime()
	f()
	return (processTime() - before).Seconds()
}

func processTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
