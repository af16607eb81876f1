package lexical_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/stretchr/testify/require"
)

func indexOf(texts ...string) *lexical.Index {
	x := lexical.New()
	for i, s := range texts {
		x.Add([]lexical.Doc{{Ordinal: uint32(i), Text: s}})
	}
	return x
}

func ordinals(hits []lexical.Hit) []uint32 {
	found := []uint32{}
	for _, h := range hits {
		found = append(found, h.Ordinal)
	}
	return found
}

func find(x *lexical.Index, query string) []uint32 {
	return ordinals(x.Search(lexical.Query{Text: query, K: 100}))
}

func TestSearch_EqualsBruteForce(t *testing.T) {
	for _, size := range []struct {
		docs  uint32
		words int
	}{{1, 5}, {300, 30}, {4096, 200}, {13000, 2000}} {
		t.Run(fmt.Sprint(size.docs), func(t *testing.T) {
			w := newWriter(uint64(size.docs), size.words)
			x, o := lexical.New(), newOracle()
			docs := w.docs(0, size.docs)
			x.Add(docs)
			o.add(docs...)
			compare(t, x, o, w, size.docs)
		})
	}
}

// compare asks random questions of both: small k prunes, a k beyond all hits never does.
func compare(t *testing.T, x *lexical.Index, o *oracle, w *writer, n uint32) {
	t.Helper()
	for range 12 {
		q := lexical.Query{Text: w.query(), K: int(n) + 1}
		if w.rand.IntN(2) == 0 {
			q.Filter = w.filter(n)
		}
		want := o.search(q)
		for _, k := range []int{q.K, 1, 10, 100} {
			q.K = k
			require.Equal(t, want[:min(k, len(want))], append([]lexical.Hit{}, x.Search(q)...), "Search(%q) with k %d", q.Text, k)
		}
		for _, h := range want[:min(3, len(want))] {
			requireParts(t, x, q.Text, h)
		}
	}
	require.Equal(t, o.live.ToArray(), x.Live().ToArray())
}

func requireParts(t *testing.T, x *lexical.Index, query string, h lexical.Hit) {
	t.Helper()
	sum := int32(0)
	for _, part := range x.Explain(query, h.Ordinal) {
		require.Equal(t, part.TF > 0, part.Contribution > 0)
		sum += part.Contribution
	}
	require.Equal(t, h.Score, sum, "parts of %q for %d", query, h.Ordinal)
}

func TestSearch_FindsNothing(t *testing.T) {
	x := indexOf("a red bicycle", "the and of")
	for name, q := range map[string]lexical.Query{
		"no words":        {Text: "", K: 10},
		"stop words only": {Text: "who are you", K: 10},
		"unknown word":    {Text: "zeppelin", K: 10},
		"no room":         {Text: "bicycle", K: 0},
		"negative room":   {Text: "bicycle", K: -1},
		"empty filter":    {Text: "bicycle", K: 10, Filter: roaring.New()},
		"filter beyond":   {Text: "bicycle", K: 10, Filter: roaring.BitmapOf(2, 99, 1<<31)},
		"before anything": {Text: "bicycle", K: 10, AsOf: roaring.New()},
	} {
		require.Empty(t, x.Search(q), name)
	}
	require.Empty(t, lexical.New().Search(lexical.Query{Text: "bicycle", K: 10}))
	x.Purge([]uint32{0, 1})
	require.Empty(t, find(x, "bicycle"))
	require.Zero(t, x.Stats())
}

func TestSearch_TiesGoToTheLowerOrdinal(t *testing.T) {
	x := lexical.New()
	for ordinal := range uint32(9000) {
		x.Add([]lexical.Doc{{Ordinal: 8999 - ordinal, Text: "same words"}})
	}
	require.Equal(t, []uint32{0, 1, 2}, ordinals(x.Search(lexical.Query{Text: "words", K: 3})))
	filter := roaring.New()
	filter.AddRange(5000, 9000)
	require.Equal(t, []uint32{5000, 5001}, ordinals(x.Search(lexical.Query{Text: "same words", K: 2, Filter: filter})))
}

func TestSearch_IsLiteral(t *testing.T) {
	x := indexOf(`alpha "beta" gamma`, "title: alpha", "delta")
	for query, want := range map[string][]uint32{
		`alpha AND delta`:    {2, 0, 1},
		`"beta`:              {0},
		`title:alpha`:        {1, 0},
		`-delta`:             {2},
		`al*`:                {},
		`(((`:                {},
		`NOT gamma OR delta`: {2, 0},
	} {
		require.ElementsMatch(t, want, find(x, query), query)
	}
}

func TestSearch_FindsUnspacedScripts(t *testing.T) {
	x := indexOf("我昨天去了东京塔", "猫が好きです", "한국어는 어렵다", "ฉันรักแมว", "ﾊﾝｶｸ ｶﾀｶﾅ", "ＡＢＣ Café", "私はGoogleで働く", "naïve")
	for query, want := range map[string]uint32{
		"东京": 0, "猫": 1, "한국어": 2, "ฉัน": 3, "แมว": 3, "カタカナ": 4, "ハンカク": 4,
		"abc": 5, "cafe": 5, "CAFÉ": 5, "google": 6, "naive": 7, "Naïve": 7,
	} {
		require.Equal(t, []uint32{want}, find(x, query), query)
	}
}

func TestSearch_LongQueryIsCutNotRefused(t *testing.T) {
	x := indexOf("needle", "hay")
	require.Equal(t, []uint32{1}, find(x, strings.Repeat("hay ", 5000)+"needle"))
	require.Positive(t, x.Search(lexical.Query{Text: strings.Repeat("needle ", 5000), K: 1})[0].Score)
}

func TestExplain_NamesEveryWord(t *testing.T) {
	x := indexOf("red red red red red bicycle", "red car", "the")
	parts := x.Explain("a red bicycle, red zeppelin", 0)
	require.Len(t, parts, 3)
	hit := x.Search(lexical.Query{Text: "a red bicycle, red zeppelin", K: 1})[0]
	require.Equal(t, lexical.TermPart{Term: "red", Count: 2, DF: 2, TF: 4, Contribution: parts[0].Contribution}, parts[0])
	require.Equal(t, lexical.TermPart{Term: "bicycl", Count: 1, DF: 1, TF: 1, Contribution: parts[1].Contribution}, parts[1])
	require.Equal(t, lexical.TermPart{Term: "zeppelin", Count: 1}, parts[2])
	require.Equal(t, hit.Score, parts[0].Contribution+parts[1].Contribution)
	require.Empty(t, x.Explain("who are you", 0))
	require.Zero(t, x.Explain("red", 7)[0].TF)
}

func TestWeigh_CountsAsTheIndexDoes(t *testing.T) {
	x := indexOf("running shoes", "he runs", "the", "shoe")
	x.Remove(3, "shoe")
	terms, n := x.Weigh("Run, running: the shoes run zeppelin")
	require.Equal(t, 3, n)
	var got []string
	for _, term := range terms {
		got = append(got, fmt.Sprintf("%s/%s x%d df%d", term.Token.Surface, term.Token.Stem, term.Count, term.DF))
	}
	require.Equal(t, []string{"run/run x2 df2", "running/run x1 df2", "shoes/shoe x1 df1", "zeppelin/zeppelin x1 df0"}, got)
}

func TestSearch_AllocatesTheSameHoweverMuchItReads(t *testing.T) {
	if raceEnabled {
		t.Skip("under the race detector pools drop what they are given, at random")
	}
	w := newWriter(7, 500)
	docs := w.docs(0, 8192)
	query := w.words[9] + " " + w.words[40] + " " + w.words[200]
	filter := roaring.New()
	filter.AddRange(0, 1000)
	allocations := func(n int) float64 {
		x := lexical.New()
		x.Add(docs[:n])
		q := lexical.Query{Text: query, K: 10, Filter: filter}
		x.Search(q)
		return testing.AllocsPerRun(50, func() { x.Search(q) })
	}
	require.InDelta(t, allocations(1024), allocations(8192), 1)
}
