package cold_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// quantile returns the share-th of the values in order.
func quantile[T int | time.Duration](values []T, share float64) T {
	slices.Sort(values)
	return values[min(len(values)-1, int(share*float64(len(values))))]
}

// dropCache makes the next reads of a file go to its disk. The system keeps pages that are mapped and were touched of late,
// so the process lets go of its view first.
func dropCache(t testing.TB, file *os.File) {
	require.NoError(t, unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// diskBytes returns what this process has read from disks.
func diskBytes(t testing.TB) (bytes int) {
	raw, err := os.ReadFile("/proc/self/io")
	require.NoError(t, err)
	_, after, _ := strings.Cut(string(raw), "\nread_bytes: ")
	_, err = fmt.Sscan(after, &bytes)
	require.NoError(t, err)
	return bytes
}

// measure searches count times and reports pages and time.
func measure(b *testing.B, path string, s *set, queries func() []float32, count int, dropped bool) {
	shard := open(b, path)
	file, err := os.Open(path)
	require.NoError(b, err)
	defer file.Close()
	scratch := cold.NewScratch()
	var pages, read []int
	var took []time.Duration
	sum := 0.0
	for range count {
		q := rowOf(s.form, queries())
		if dropped {
			shard.Forget()
			dropCache(b, file)
		}
		before := diskBytes(b)
		start := time.Now()
		hits, err := shard.Search(q, 10, nil, scratch)
		took = append(took, time.Since(start))
		read = append(read, diskBytes(b)-before)
		require.NoError(b, err)
		pages = append(pages, scratch.Pages())
		if !dropped {
			sum += share(hits, nearest(s, q, 10, nil))
		}
	}
	if !dropped {
		b.ReportMetric(sum/float64(count), "recall")
	}
	b.ReportMetric(float64(quantile(pages, 0.5)), "pages-p50")
	b.ReportMetric(float64(quantile(pages, 0.9)), "pages-p90")
	b.ReportMetric(float64(quantile(read, 0.5)>>10), "KiB-read-p50")
	b.ReportMetric(float64(quantile(took, 0.5).Microseconds()), "us-p50")
	b.ReportMetric(float64(quantile(took, 0.9).Microseconds()), "us-p90")
	b.ReportMetric(float64(shard.Stats().ResidentBytes)/float64(s.Len()), "B/vector")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkShard seals 100,000 vectors of 384 components (COLD_VECTORS says otherwise) and searches them with the page
// cache warm and dropped.
func BenchmarkShard(b *testing.B) {
	n := 100_000
	if v := os.Getenv("COLD_VECTORS"); v != "" {
		n, _ = strconv.Atoi(v)
	}
	for _, of := range []struct {
		name    string
		centres int
		spread  float64
		options cold.Options
	}{
		{"clustered", 1000, 0.7, cold.Options{}},
		{"clustered one bit", 1000, 0.7, cold.Options{ResidentBytesMax: 1}},
	} {
		c := newClusters(5, 384, of.centres, of.spread)
		s := c.set(cold.FormInt8, n)
		path := filepath.Join(b.TempDir(), "shard")
		start := time.Now()
		info, err := cold.Seal(context.Background(), path, s, of.options)
		require.NoError(b, err)
		b.Logf("%s: sealed in %v: %+v", of.name, time.Since(start), info)
		b.Run(of.name+"/warm", func(b *testing.B) { measure(b, path, s, c.draw, 100, false) })
		b.Run(of.name+"/dropped", func(b *testing.B) { measure(b, path, s, c.draw, 300, true) })
	}
}
