package embed_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/text"
	"github.com/membrain-db/membrain/vectors"
	"github.com/membrain-db/membrain/vectors/embed"
)

var update = flag.Bool("update", false, "write testdata/golden.txt anew; a changed vector needs a new embedder id")

const goldenFile = "testdata/golden.txt"

func static(t testing.TB) *embed.StaticEN {
	e, err := embed.Static()
	require.NoError(t, err)
	return e
}

func document(t testing.TB, e embed.Embedder, s string) vectors.Embedding {
	out, err := e.EmbedDocuments(context.Background(), []string{s})
	require.NoError(t, err)
	require.Len(t, out, 1)
	return out[0]
}

func query(t testing.TB, e embed.Embedder, s string, idf embed.IDF) vectors.Embedding {
	v, err := e.EmbedQuery(context.Background(), s, idf)
	require.NoError(t, err)
	return v
}

// statistics returns the IDF of an index of n documents in which stems have the given document frequencies.
func statistics(n int, df map[string]uint32) embed.IDF {
	return func(s string) (out []embed.WeighedToken, _ int) {
		for _, tok := range text.NewAnalyser().Query(nil, s) {
			out = append(out, embed.WeighedToken{Surface: tok.Surface, Stem: tok.Stem, Count: 1, DF: df[tok.Stem]})
		}
		return out, n
	}
}

// TestStatic_GoldenHashes pins the bytes of vectors: each line of the file is "document" or "query", the start of
// the sha256 of the stored vector, and the quoted text. The first line is the id; another id may give other vectors.
func TestStatic_GoldenHashes(t *testing.T) {
	e := static(t)
	idf := statistics(5000, map[string]uint32{"guitar": 3, "blue": 900, "buy": 5000})
	texts := goldenTexts(t)
	var b strings.Builder
	fmt.Fprintln(&b, e.ID())
	for _, s := range texts {
		fmt.Fprintf(&b, "document %s %q\n", sum(document(t, e, s)), s)
		fmt.Fprintf(&b, "query    %s %q\n", sum(query(t, e, s, idf)), s)
	}
	if *update {
		require.NoError(t, os.WriteFile(goldenFile, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

func goldenTexts(t *testing.T) (out []string) {
	f, err := os.Open("testdata/texts.txt")
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		out = append(out, lines.Text())
	}
	require.Greater(t, len(out), 10)
	return out
}

func sum(e vectors.Embedding) string {
	return fmt.Sprintf("%x", sha256.Sum256(e.AppendBinary(nil)))[:24]
}

func TestStatic_IDIsTheTablesSumAndTheAnalysersVersion(t *testing.T) {
	b, err := os.ReadFile("table/static-en-1.bin")
	require.NoError(t, err)
	stated, err := os.ReadFile("table/static-en-1.bin.sha256")
	require.NoError(t, err)
	got := fmt.Sprintf("%x", sha256.Sum256(b))
	require.Equal(t, got+"  static-en-1.bin\n", string(stated))
	require.Equal(t, "static-en-1/"+got[:12]+"/"+text.AnalyserVersion, static(t).ID())
}

func TestStatic_EveryTextHasAValidVector(t *testing.T) {
	e := static(t)
	for _, s := range []string{
		"", " ", "?!", "who are you", "🎉🎉", "zyzzyvax", "a\x00b", "\xff\xfe broken", "猫が好きです", "ฉันรักแมว",
		strings.Repeat("word ", 200_000), strings.Repeat("x", 1<<20),
	} {
		require.NoError(t, document(t, e, s).Validate(e.Dim()), "document %.20q", s)
		require.NoError(t, query(t, e, s, nil).Validate(e.Dim()), "query %.20q", s)
		require.NoError(t, query(t, e, s, statistics(1, nil)).Validate(e.Dim()), "query with idf %.20q", s)
	}
}

func TestStatic_TextWithoutTokensIsNearItselfOnly(t *testing.T) {
	e := static(t)
	party := document(t, e, "🎉🎉")
	require.Equal(t, float32(1), vectors.Cosine(party, query(t, e, "🎉🎉", statistics(100, nil))))
	for _, other := range []string{"", "🎉", "?!", "who are you", "We met at the harbour in Lisbon."} {
		require.InDelta(t, 0, vectors.Cosine(party, document(t, e, other)), 0.2, other)
	}
}

func TestStatic_NearIsWhatMeansTheSame(t *testing.T) {
	e := static(t)
	for _, c := range []struct{ query, near, far string }{
		{"dog", "The puppy barked all night.", "The invoice is due on Monday."},
		{"repairing motorcycles", "She repaired a motorcycle.", "He baked a cake."},
		{"Which doctor did Ana see?", "Ana went to a physician in town.", "Ben plays the cello in town."},
		{"好き", "猫が好きです", "東京へ行きます"},
		{"猫", "猫が好きです", "東京へ行きます"},
	} {
		q := query(t, e, c.query, nil)
		near, far := vectors.Cosine(q, document(t, e, c.near)), vectors.Cosine(q, document(t, e, c.far))
		require.Greater(t, near, far+0.05, "cosine of %q with %q against %q", c.query, c.near, c.far)
	}
}

func TestStatic_IDFOfTheNamespaceSteersAQueryAndNoDocument(t *testing.T) {
	e := static(t)
	blue, guitar := document(t, e, "The blue one."), document(t, e, "A guitar!")
	lead := func(df map[string]uint32) float32 {
		q := query(t, e, "blue guitar", statistics(1000, df))
		return vectors.Cosine(q, guitar) - vectors.Cosine(q, blue)
	}
	require.Greater(t, lead(map[string]uint32{"blue": 900, "guitar": 1}), float32(0.4))
	require.Less(t, lead(map[string]uint32{"blue": 1, "guitar": 900}), float32(-0.4))
}

func TestStatic_QueryWithoutStatisticsIsEmbeddedAsADocument(t *testing.T) {
	e := static(t)
	const s = "Where did Melanie buy her blue guitar?"
	want := document(t, e, s)
	require.Equal(t, want, query(t, e, s, nil))
	require.Equal(t, want, query(t, e, s, statistics(0, nil)), "an empty namespace knows no idf")
}

func TestStatic_CountWeighsAsRepetition(t *testing.T) {
	e := static(t)
	counted := func(count int) embed.IDF {
		return func(string) ([]embed.WeighedToken, int) {
			return []embed.WeighedToken{{Surface: "guitar", Stem: "guitar", Count: count, DF: 5}, {Surface: "blue", Stem: "blue", Count: 1, DF: 5}}, 100
		}
	}
	doc := document(t, e, "guitar")
	once, thrice := query(t, e, "", counted(1)), query(t, e, "", counted(3))
	require.Greater(t, vectors.Cosine(thrice, doc), vectors.Cosine(once, doc)+0.1)
	require.NoError(t, query(t, e, "", counted(1<<60)).Validate(e.Dim()), "an absurd count is bounded")
	require.NoError(t, query(t, e, "", counted(-1)).Validate(e.Dim()), "a missing count is one")
}

func TestStatic_ManyAtOnceAndForgettingChangeNothing(t *testing.T) {
	e := static(t)
	texts := goldenTexts(t)
	want, err := e.EmbedDocuments(context.Background(), texts)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			for range 5 {
				got, err := e.EmbedDocuments(context.Background(), texts)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("another vector under concurrency (error %v)", err)
				}
				e.Forget()
			}
		})
	}
	wg.Wait()
}

func TestStatic_StopsWithItsContext(t *testing.T) {
	e := static(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := e.EmbedDocuments(ctx, []string{"one", "two"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = e.EmbedQuery(ctx, "one", nil)
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkStatic_Load(b *testing.B) {
	for b.Loop() {
		static(b)
	}
}

// A turn of a dialogue: about 25 words.
const turn = "Melanie: I finally signed up for that pottery class downtown, and the teacher showed us how to glaze a bowl without getting bubbles in it! [image: a photo of a blue bowl]"

func BenchmarkStatic_Document(b *testing.B) {
	e := static(b)
	for b.Loop() {
		document(b, e, turn)
	}
}

func BenchmarkStatic_Query(b *testing.B) {
	e := static(b)
	idf := func(string) ([]embed.WeighedToken, int) {
		return []embed.WeighedToken{{"pottery", "potteri", 1, 3}, {"class", "class", 1, 40}, {"melanie", "melani", 1, 900}}, 1800
	}
	for b.Loop() {
		query(b, e, "", idf)
	}
}
