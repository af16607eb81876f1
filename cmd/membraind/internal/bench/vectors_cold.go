package bench

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/membrain-db/membrain/vectors"
)

// cold seals the set and asks the shard: with its pages in memory for recall, and without them for time.
func (r *runner) cold(ctx context.Context, set *vectorSet, flat *vectors.Flat, truth [][]vectors.Hit) error {
	r.say("vectors.cold: seal")
	path := filepath.Join(r.dir, "shard")
	spent, err := processorTimeOf(func() error {
		_, err := vectors.SealCold(ctx, path, vectors.Header{}, flat.ColdSource(), vectors.ColdOptions{})
		return err
	})
	if err != nil {
		return err
	}
	r.add("vectors.cold.seal_cpu_s", spent.Seconds(), "s", len(set.base))
	if err := r.coldWarm(path, set, truth); err != nil {
		return err
	}
	r.say("vectors.cold: search with the page cache dropped")
	var took latencies
	for _, q := range set.queries[:r.size(100, 30)] {
		t, dropped, err := askDropped(path, q)
		if err != nil {
			return err
		}
		if !dropped {
			return nil // this system has no way to
		}
		took = append(took, t)
	}
	r.add("vectors.cold.dropped.p50_ms", millis(took.at(0.5)), "ms", len(took))
	r.add("vectors.cold.dropped.p90_ms", millis(took.at(0.9)), "ms", len(took))
	return ctx.Err()
}

func (r *runner) coldWarm(path string, set *vectorSet, truth [][]vectors.Hit) (err error) {
	shard, _, err := vectors.OpenCold(path, vectors.Header{})
	if err != nil {
		return err
	}
	defer func() {
		if closed := shard.Close(); err == nil {
			err = closed
		}
	}()
	var got [][]vectors.Hit
	var took latencies
	for _, q := range set.queries {
		started := time.Now()
		hits, err := shard.Search(q, nearest, nil)
		if err != nil {
			return err
		}
		took = append(took, time.Since(started))
		got = append(got, hits)
	}
	stats := shard.Stats()
	r.add("vectors.cold.recall_at_10", recallOf(truth, got), "share", len(got))
	r.add("vectors.cold.pages_per_query", float64(stats.PagesTouched)/float64(stats.Searches), "pages of 4 KiB", len(got))
	r.add("vectors.cold.bytes_per_vector", float64(stats.ResidentBytes)/float64(stats.Vectors), "B in memory", stats.Vectors)
	r.add("vectors.cold.p50_ms", millis(took.at(0.5)), "ms", len(took))
	return nil
}

// askDropped opens the shard, makes the system forget the file's pages, and searches once. A page that nobody has touched
// since the file was mapped can be forgotten.
func askDropped(path string, q vectors.Embedding) (took time.Duration, dropped bool, err error) {
	shard, _, err := vectors.OpenCold(path, vectors.Header{})
	if err != nil {
		return 0, false, err
	}
	defer func() {
		if closed := shard.Close(); err == nil {
			err = closed
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	if dropped, err = dropPages(file); err != nil || !dropped {
		return 0, dropped, err
	}
	started := time.Now()
	_, err = shard.Search(q, nearest, nil)
	return time.Since(started), true, err
}
