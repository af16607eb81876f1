package lexical_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/projections/lexical"
)

// corpus100k is 100,000 made-up memories of 0 to 30 words over 30,000 words.
var corpus100k = sync.OnceValue(func() []lexical.Doc { return newWriter(1, 30000).docs(0, 100_000) })

var index100k = sync.OnceValue(func() *lexical.Index {
	x := lexical.New()
	x.Add(corpus100k())
	return x
})

func benchmarkSearch(b *testing.B, filter *roaring.Bitmap) {
	x, w := index100k(), newWriter(2, 30000)
	queries := make([]string, 512)
	for i := range queries {
		queries[i] = w.query()
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		x.Search(lexical.Query{Text: queries[i%len(queries)], K: 100, Filter: filter})
	}
}

func BenchmarkSearch100k(b *testing.B) { benchmarkSearch(b, nil) }

func BenchmarkSearch100kFiltered(b *testing.B) {
	for name, step := range map[string]uint32{"half": 2, "percent": 100} {
		filter := roaring.New()
		for ordinal := uint32(0); ordinal < 100_000; ordinal += step {
			filter.Add(ordinal)
		}
		b.Run(name, func(b *testing.B) { benchmarkSearch(b, filter) })
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
