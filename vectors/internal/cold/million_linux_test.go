package cold_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/membrain-db/membrain/vectors/internal/cold"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const (
	millionDir   = "COLD_MILLION"       // a folder for the shard, which is kept there; unset skips the benchmark
	millionChild = "COLD_MILLION_CHILD" // set in the process under the memory limit
	millionLimit = 512 << 20
	millionCount = 300
)

// task is what the process under the limit is asked, and its truth.
type task struct {
	Queries [][]int8
	Nearest [][]uint32
}

// figures are its answer.
type figures struct {
	OpenMillis             float64
	Recall                 float64
	PagesP50, PagesP90     int
	WarmP50, WarmP90       time.Duration
	DroppedP50, DroppedP90 time.Duration
	ResidentBytesPerVector float64
	PeakRSSBytes           int64 // with the pages of the file
}

// BenchmarkMillion serves 1,000,000 vectors of 384 components from a process that gets no more than 512 MiB of memory of its
// own (RLIMIT_DATA), and whose resident set, pages of the file included, never exceeds that.
func BenchmarkMillion(b *testing.B) {
	dir := os.Getenv(millionDir)
	if dir == "" {
		b.Skip(millionDir + " names no folder")
	}
	path, asked := filepath.Join(dir, "million.shard"), filepath.Join(dir, "million.json")
	if _, err := os.Stat(asked); err != nil {
		sealMillion(b, path, asked)
	}
	command := exec.Command(os.Args[0], "-test.run=TestMillion_Child", "-test.v")
	command.Env = append(os.Environ(), millionChild+"=1", "GOMEMLIMIT=450MiB")
	out, err := command.CombinedOutput()
	require.NoError(b, err, string(out))
	var f figures
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "figures "); ok {
			require.NoError(b, json.Unmarshal([]byte(rest), &f))
		}
	}
	require.Less(b, f.PeakRSSBytes, int64(millionLimit))
	b.ReportMetric(f.Recall, "recall")
	b.ReportMetric(float64(f.PagesP50), "pages-p50")
	b.ReportMetric(float64(f.PagesP90), "pages-p90")
	b.ReportMetric(float64(f.DroppedP50.Microseconds()), "us-p50-dropped")
	b.ReportMetric(float64(f.DroppedP90.Microseconds()), "us-p90-dropped")
	b.ReportMetric(float64(f.WarmP50.Microseconds()), "us-p50-warm")
	b.ReportMetric(f.OpenMillis, "ms-open")
	b.ReportMetric(float64(f.PeakRSSBytes>>20), "MiB-rss-peak")
	b.ReportMetric(f.ResidentBytesPerVector, "B/vector")
}

// sealMillion makes the shard and the questions.
func sealMillion(b *testing.B, path, asked string) {
	c := newClusters(9, 384, 10_000, 0.7)
	s := &set{form: cold.FormInt8, dim: 384}
	for range 1_000_000 {
		s.keys = append(s.keys, 0)
		s.codes = append(s.codes, codesOf(c.draw())...)
	}
	s.shuffleKeys(c.r)
	start := time.Now()
	info, err := cold.Seal(context.Background(), path, s, cold.Options{Recall: 0.97})
	require.NoError(b, err)
	b.Logf("sealed in %v: %+v", time.Since(start), info)
	var asks task
	for range millionCount {
		asks.Queries = append(asks.Queries, codesOf(c.draw()))
	}
	asks.Nearest = nearestKeys(s, asks.Queries, 10)
	raw, err := json.Marshal(asks)
	require.NoError(b, err)
	require.NoError(b, os.WriteFile(asked, raw, 0o600))
}

// nearestKeys compares with everything, by the kernel.
func nearestKeys(s *set, queries [][]int8, k int) [][]uint32 {
	flat := slices.Concat(queries...)
	dots := make([]int32, len(queries))
	best := make([][]cold.Hit, len(queries))
	for i := range s.Len() {
		row := s.Row(i).Int8
		kernel.DotRows(row, flat, dots)
		inverse := 1 / math.Sqrt(float64(kernel.SquareSum(row)))
		for q, dot := range dots {
			best[q] = append(best[q], cold.Hit{Key: s.keys[i], Similarity: float32(float64(dot) * inverse)})
			if len(best[q]) == 4096 || i == s.Len()-1 {
				slices.SortFunc(best[q], func(a, b cold.Hit) int { return cmp.Compare(b.Similarity, a.Similarity) })
				best[q] = best[q][:min(k, len(best[q]))]
			}
		}
	}
	keys := make([][]uint32, len(queries))
	for q, hits := range best {
		for _, h := range hits {
			keys[q] = append(keys[q], h.Key)
		}
	}
	return keys
}

// TestMillion_Child is the process under the limit.
func TestMillion_Child(t *testing.T) {
	if os.Getenv(millionChild) == "" {
		t.Skip("only as a process of BenchmarkMillion")
	}
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: millionLimit, Max: millionLimit}))
	dir := os.Getenv(millionDir)
	raw, err := os.ReadFile(filepath.Join(dir, "million.json"))
	require.NoError(t, err)
	var asks task
	require.NoError(t, json.Unmarshal(raw, &asks))
	f := askMillion(t, filepath.Join(dir, "million.shard"), asks)
	f.PeakRSSBytes = peakRSS(t)
	line, err := json.Marshal(f)
	require.NoError(t, err)
	fmt.Printf("\nfigures %s\n", line)
}

func askMillion(t *testing.T, path string, asks task) (f figures) {
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	dropCache(t, file)
	start := time.Now()
	shard := open(t, path)
	f.OpenMillis = float64(time.Since(start).Microseconds()) / 1000
	scratch := cold.NewScratch()
	var pages []int
	var dropped, warm []time.Duration
	for i, codes := range asks.Queries {
		shard.Forget()
		dropCache(t, file)
		for round := range 2 {
			start := time.Now()
			hits, err := shard.Search(cold.Row{Int8: codes}, 10, nil, scratch)
			took := time.Since(start)
			require.NoError(t, err)
			if round == 1 {
				warm = append(warm, took)
				continue
			}
			dropped = append(dropped, took)
			pages = append(pages, scratch.Pages())
			for _, h := range hits {
				if slices.Contains(asks.Nearest[i], h.Key) {
					f.Recall += 0.1 / float64(len(asks.Queries))
				}
			}
		}
	}
	f.PagesP50, f.PagesP90 = quantile(pages, 0.5), quantile(pages, 0.9)
	f.DroppedP50, f.DroppedP90 = quantile(dropped, 0.5), quantile(dropped, 0.9)
	f.WarmP50, f.WarmP90 = quantile(warm, 0.5), quantile(warm, 0.9)
	f.ResidentBytesPerVector = float64(shard.Stats().ResidentBytes) / float64(shard.Len())
	return f
}

func peakRSS(t *testing.T) int64 {
	raw, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			require.NoError(t, err)
			return kib << 10
		}
	}
	return 0
}
