package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/vectors/embed"
)

const (
	recallTypical = 10_000 // memories of the store that recall.p50_ms is taken from
	smallSpace    = "small"
)

// runRecall measures encode and recall by the size of the namespace, then how a large store opens.
func runRecall(ctx context.Context, r *runner) error {
	var first *sized
	for _, n := range []int{1_000, 10_000, 100_000} {
		if r.o.Quick && n > recallTypical {
			break
		}
		got := &sized{n: n}
		err := r.with(ctx, r.fresh(), func(s *membrain.Store) error { return r.measure(ctx, s, got) })
		if err != nil {
			return err
		}
		if first == nil {
			first = got
		}
		r.reportSized(got, first)
	}
	return r.opens(ctx)
}

// sized is what calls took on a namespace of n memories.
type sized struct {
	n               int
	importing       time.Duration
	encode, encodes latencies // into the namespace; into one of a single memory
	embedText       latencies // of what encode embeds, alone
	recall, reading latencies // reinforcing; without
	embedQuery      latencies
}

// measure fills a namespace and calls, one after the other, so that no call waits for another.
func (r *runner) measure(ctx context.Context, s *membrain.Store, out *sized) error {
	r.say("recall: %d memories", out.n)
	started := time.Now()
	stories, err := fill(ctx, s, space, 3, out.n)
	if err != nil {
		return err
	}
	out.importing = time.Since(started)
	calls := r.size(500, 50)
	if err := r.measureRecall(ctx, s, stories, calls, out); err != nil {
		return err
	}
	return r.measureEncode(ctx, s, calls, out)
}

func (r *runner) measureRecall(ctx context.Context, s *membrain.Store, stories []story, calls int, out *sized) error {
	embedder, err := embed.Static()
	if err != nil {
		return err
	}
	for i := range calls + calls/10 {
		request := membrain.RecallRequest{Namespace: space, Query: stories[i*7919%len(stories)].question(i), Limit: 10, NoReinforce: true}
		reading, err := timed(func() error { _, err := s.Recall(ctx, request); return err })
		if err != nil {
			return err
		}
		request.NoReinforce = false
		recall, err := timed(func() error { _, err := s.Recall(ctx, request); return err })
		if err != nil {
			return err
		}
		query, err := timed(func() error { _, err := embedder.EmbedQuery(ctx, request.Query, nil); return err })
		if err != nil {
			return err
		}
		if i >= calls/10 { // the first wake caches
			out.reading, out.recall, out.embedQuery = append(out.reading, reading), append(out.recall, recall), append(out.embedQuery, query)
		}
	}
	return nil
}

func (r *runner) measureEncode(ctx context.Context, s *membrain.Store, calls int, out *sized) error {
	embedder, err := embed.Static()
	if err != nil {
		return err
	}
	w := newWriter(4)
	for i := range calls {
		text := w.write().text
		encode, err := timed(func() error {
			_, err := s.Encode(ctx, membrain.EncodeRequest{Namespace: space, Text: text})
			return err
		})
		if err != nil {
			return err
		}
		// a namespace of its own each time has nothing to compare with: what is left is embedding and the commit
		alone, err := timed(func() error {
			_, err := s.Encode(ctx, membrain.EncodeRequest{Namespace: fmt.Sprintf("%s-%d", smallSpace, i), Text: text})
			return err
		})
		if err != nil {
			return err
		}
		embedded, err := timed(func() error { _, err := embedder.EmbedDocuments(ctx, []string{text}); return err })
		if err != nil {
			return err
		}
		out.encode, out.encodes, out.embedText = append(out.encode, encode), append(out.encodes, alone), append(out.embedText, embedded)
	}
	return nil
}

func timed(call func() error) (time.Duration, error) {
	started := time.Now()
	err := call()
	return time.Since(started), err
}

// reportSized compares with the smallest size, so that ratios show how cost grows.
func (r *runner) reportSized(got, first *sized) {
	prefix := fmt.Sprintf("recall.%d.", got.n)
	note := func(metric string, of func(*sized) time.Duration, calls int) {
		r.compare(prefix+metric, millis(of(got)), "ms", calls, fmt.Sprintf("recall.%d.%s", first.n, metric), millis(of(first)))
	}
	quantile := func(l func(*sized) latencies, q float64) func(*sized) time.Duration {
		return func(s *sized) time.Duration { return l(s).at(q) }
	}
	recall := func(s *sized) latencies { return s.recall }
	encode := func(s *sized) latencies { return s.encode }
	note("p50_ms", quantile(recall, 0.5), len(got.recall))
	note("p99_ms", quantile(recall, 0.99), len(got.recall))
	note("embed_p50_ms", quantile(func(s *sized) latencies { return s.embedQuery }, 0.5), len(got.recall))
	note("search_p50_ms", func(s *sized) time.Duration { return rest(s.reading, s.embedQuery) }, len(got.recall))
	note("commit_p50_ms", func(s *sized) time.Duration { return rest(s.recall, s.reading) }, len(got.recall))
	note("encode.p50_ms", quantile(encode, 0.5), len(got.encode))
	note("encode.p99_ms", quantile(encode, 0.99), len(got.encode))
	note("encode.embed_p50_ms", quantile(func(s *sized) latencies { return s.embedText }, 0.5), len(got.encode))
	note("encode.search_p50_ms", func(s *sized) time.Duration { return rest(s.encode, s.encodes) }, len(got.encode))
	note("encode.commit_p50_ms", func(s *sized) time.Duration { return rest(s.encodes, s.embedText) }, len(got.encode))
	r.add(prefix+"import_per_s", float64(got.n)/got.importing.Seconds(), "memories/s", got.n)
	if got.n == recallTypical {
		r.latency("recall", got.recall)
		r.latency("recall.encode", got.encode)
	}
}

// rest is what a call takes beyond a part of it, by medians; the two were timed alternately, so noise meets both.
func rest(whole, part latencies) time.Duration { return max(0, whole.at(0.5)-part.at(0.5)) }
