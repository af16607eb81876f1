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
			cpu := cpuSeconds(func() { g = build(b, hot.Config{Dim: dim, Float: float, Costs: walks}, stored) })
			truth := truths(g, asked, 10)
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
