package lexical_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/membrain-db/membrain/text"
)

// oracle is BM25 as the textbook has it: every document, every word, no lists, no bounds.
type oracle struct {
	analyser *text.Analyser
	docs     map[uint32]oracleDoc
	live     *roaring.Bitmap
}

type oracleDoc struct {
	text   string
	length int
	counts map[string]int
}

func newOracle() *oracle {
	return &oracle{analyser: text.NewAnalyser(), docs: map[uint32]oracleDoc{}, live: roaring.New()}
}

func (o *oracle) add(docs ...lexical.Doc) {
	for _, d := range docs {
		doc := oracleDoc{text: d.Text, counts: map[string]int{}}
		for _, t := range o.analyser.Document(nil, d.Text) {
			doc.counts[t.Stem]++
			if !t.Part {
				doc.length++
			}
		}
		o.docs[d.Ordinal] = doc
		o.live.Add(d.Ordinal)
	}
}

func (o *oracle) remove(ordinal uint32) { o.live.Remove(ordinal) }

func (o *oracle) purge(ordinals ...uint32) {
	for _, ordinal := range ordinals {
		o.live.Remove(ordinal)
		delete(o.docs, ordinal)
	}
}

// rounded is the length that counts for n tokens: exact to 40, then steps of a quarter.
func rounded(n int) int {
	if n <= 40 {
		return n
	}
	length := 40
	for range 22 {
		if next := length + length/4; next <= n {
			length = next
		}
	}
	return length
}

func (o *oracle) search(q lexical.Query) []lexical.Hit {
	counted := o.live
	if q.AsOf != nil {
		counted = q.AsOf
	}
	n, sum, df := 0, 0, map[string]int{}
	for ordinal, d := range o.docs {
		if !counted.Contains(ordinal) {
			continue
		}
		n++
		sum += rounded(d.length)
		for term := range d.counts {
			df[term]++
		}
	}
	mean := 1.0
	if sum > 0 {
		mean = float64(sum) / float64(n)
	}
	query := o.analyser.Query(nil, q.Text)
	hits := []lexical.Hit{}
	for ordinal, d := range o.docs {
		allowed := counted.Contains(ordinal)
		if q.Filter != nil {
			allowed = q.Filter.Contains(ordinal) && (q.AsOf == nil || allowed)
		}
		if !allowed {
			continue
		}
		score := 0
		for _, t := range query {
			tf := float64(min(d.counts[t.Stem], 4))
			if tf == 0 {
				continue
			}
			f := float64(df[t.Stem])
			idf := math.Log1p((float64(n) - f + 0.5) / (f + 0.5))
			norm := 0.9 * (1 - 0.3 + float64(0.3*float64(rounded(d.length))/mean))
			score += max(1, int(math.Round(idf*1.9*tf/(tf+norm)*65536)))
		}
		if score > 0 {
			hits = append(hits, lexical.Hit{Ordinal: ordinal, Score: int32(score)})
		}
	}
	slices.SortFunc(hits, func(a, b lexical.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	if len(hits) > q.K {
		hits = hits[:q.K]
	}
	return hits
}

// writer makes up texts whose words follow a skewed distribution, some of them in no spaced script.
type writer struct {
	rand  *rand.Rand
	words []string
}

func newWriter(seed uint64, words int) *writer {
	w := &writer{rand: rand.New(rand.NewPCG(seed, 1)), words: []string{"the", "and", "東京", "猫", "한국어는", "ฉันรัก"}}
	for i := range words {
		w.words = append(w.words, fmt.Sprintf("%c%co%d", 'b'+i%20, 'c'+i/20%20, i))
	}
	return w
}

func (w *writer) word() string {
	u := w.rand.Float64()
	return w.words[int(u*u*u*float64(len(w.words)))]
}

// text has 0 to 30 words, and now and then some hundreds.
func (w *writer) text() string {
	n := w.rand.IntN(31)
	if w.rand.IntN(50) == 0 {
		n = w.rand.IntN(600)
	}
	words := make([]string, n)
	for i := range words {
		words[i] = w.word()
	}
	return strings.Join(words, " ")
}

func (w *writer) query() string {
	words := make([]string, 1+w.rand.IntN(7))
	for i := range words {
		words[i] = w.word()
	}
	return strings.Join(words, " ")
}

func (w *writer) docs(from, to uint32) []lexical.Doc {
	var docs []lexical.Doc
	for ordinal := from; ordinal < to; ordinal++ {
		docs = append(docs, lexical.Doc{Ordinal: ordinal, Text: w.text()})
	}
	return docs
}

// filter is a random subset of 0 to n, with some ordinals that no index has.
func (w *writer) filter(n uint32) *roaring.Bitmap {
	set := roaring.New()
	switch w.rand.IntN(3) {
	case 0: // sparse
		for range n / 50 {
			set.Add(w.rand.Uint32N(n + 100))
		}
	case 1: // a run
		from := w.rand.Uint32N(n)
		set.AddRange(uint64(from), uint64(from+n/5))
	default:
		for ordinal := range n {
			if w.rand.IntN(2) == 0 {
				set.Add(ordinal)
			}
		}
		set.Add(1 << 31)
	}
	return set
}
