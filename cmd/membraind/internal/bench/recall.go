package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/vectors/embed"
)

const (
	recallTypical = 10_000  // memories of the store that recall.p50_ms is taken from
	smallSpace    = "small" // holds only what is encoded while measuring: too little for its search to count
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
	recall, reading latencies // the same query, strengthening and not
	embedQuery      latencies // the query alone
	encode, alone   latencies // the same text, into the namespace and into smallSpace
	embedText       latencies // the text alone
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
	for range calls {
		text := w.write().text
		encode, err := timed(func() error {
			_, err := s.Encode(ctx, membrain.EncodeRequest{Namespace: space, Text: text})
			return err
		})
		if err != nil {
			return err
		}
		alone, err := timed(func() error {
			_, err := s.Encode(ctx, membrain.EncodeRequest{Namespace: smallSpace, Text: text})
			return err
		})
		if err != nil {
			return err
		}
		embedded, err := timed(func() error { _, err := embedder.EmbedDocuments(ctx, []string{text}); return err })
		if err != nil {
			return err
		}
		out.encode, out.alone, out.embedText = append(out.encode, encode), append(out.alone, alone), append(out.embedText, embedded)
	}
	return nil
}

func timed(call func() error) (time.Duration, error) {
	started := time.Now()
	err := call()
	return time.Since(started), err
}

// reportSized compares with the smallest size, so that ratios show how cost grows. The parts of a call are medians
// of differences between calls that were made one after the other, so noise meets both.
func (r *runner) reportSized(got, first *sized) {
	prefix, base := fmt.Sprintf("recall.%d.", got.n), fmt.Sprintf("recall.%d.", first.n)
	for _, m := range []struct {
		metric string
		q      float64
		of     func(*sized) latencies
	}{
		{"p50_ms", 0.50, func(s *sized) latencies { return s.recall }},
		{"p99_ms", 0.99, func(s *sized) latencies { return s.recall }},
		{"embed_p50_ms", 0.50, func(s *sized) latencies { return s.embedQuery }},
		{"search_p50_ms", 0.50, func(s *sized) latencies { return s.reading.beyond(s.embedQuery) }},
		{"commit_p50_ms", 0.50, func(s *sized) latencies { return s.recall.beyond(s.reading) }},
		{"encode.p50_ms", 0.50, func(s *sized) latencies { return s.encode }},
		{"encode.p99_ms", 0.99, func(s *sized) latencies { return s.encode }},
		{"encode.embed_p50_ms", 0.50, func(s *sized) latencies { return s.embedText }},
		{"encode.search_p50_ms", 0.50, func(s *sized) latencies { return s.encode.beyond(s.alone) }},
		{"encode.commit_p50_ms", 0.50, func(s *sized) latencies { return s.alone.beyond(s.embedText) }},
	} {
		value := m.of(got)
		r.compare(prefix+m.metric, millis(value.at(m.q)), "ms", len(value), base+m.metric, millis(m.of(first).at(m.q)))
	}
	r.add(prefix+"import_per_s", float64(got.n)/got.importing.Seconds(), "memories/s", got.n)
	if got.n == recallTypical {
		r.latency("recall", got.recall)
		r.latency("recall.encode", got.encode)
	}
}
