package lexical_test

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/projections/lexical"
)

// corpus100k is 100,000 made-up memories of 0 to 30 words, a few of hundreds, over 30,000 words.
var corpus100k = sync.OnceValue(func() []lexical.Doc { return newWriter(1, 30000).docs(0, 100_000) })

var index100k = sync.OnceValue(func() *lexical.Index {
	x := lexical.New()
	x.Add(corpus100k())
	return x
})

// index1M holds that corpus ten times over, so that each list is ten times as long.
var index1M = sync.OnceValue(func() *lexical.Index {
	x := lexical.New()
	for round := range uint32(10) {
		docs := slices.Clone(corpus100k())
		for i := range docs {
			docs[i].Ordinal += round * 100_000
		}
		x.Add(docs)
	}
	return x
})

// benchmarkSearch reports the median and the 99th percentile besides the mean.
func benchmarkSearch(b *testing.B, x *lexical.Index, filter *roaring.Bitmap) {
	w := newWriter(2, 30000)
	queries := make([]string, 512)
	for i := range queries {
		queries[i] = w.query()
	}
	var times []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		x.Search(lexical.Query{Text: queries[i%len(queries)], K: 100, Filter: filter})
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-p50")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
}

func BenchmarkSearch100k(b *testing.B) { benchmarkSearch(b, index100k(), nil) }

func BenchmarkSearch1M(b *testing.B) {
	if testing.Short() {
		b.Skip("takes 20 s to build")
	}
	benchmarkSearch(b, index1M(), nil)
}

func BenchmarkSearch100kFiltered(b *testing.B) {
	for _, f := range []struct {
		name string
		step uint32
	}{{"half", 2}, {"percent", 100}} {
		filter := roaring.New()
		for ordinal := uint32(0); ordinal < 100_000; ordinal += f.step {
			filter.Add(ordinal)
		}
		b.Run(f.name, func(b *testing.B) { benchmarkSearch(b, index100k(), filter) })
	}
}

func BenchmarkAdd(b *testing.B) {
	docs := corpus100k()
	x := lexical.New()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d := docs[i%len(docs)]
		d.Ordinal = uint32(i)
		x.Add([]lexical.Doc{d})
	}
}

func BenchmarkPurge100k(b *testing.B) {
	docs := corpus100k()
	x := index100k()
	for i := 0; b.Loop(); i++ {
		d := docs[i%len(docs)]
		x.Purge([]uint32{d.Ordinal})
		x.Add([]lexical.Doc{d})
	}
}

func BenchmarkSave100k(b *testing.B) {
	x := index100k()
	var file bytes.Buffer
	for b.Loop() {
		file.Reset()
		if err := x.Save(&file, lexical.Header{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(file.Len())/100_000, "B/doc")
}

func BenchmarkLoad100k(b *testing.B) {
	file := stored(b, index100k(), lexical.Header{})
	for b.Loop() {
		if _, _, err := lexical.Load(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}
