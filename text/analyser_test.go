package text_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/membrain-db/membrain/text"
	"github.com/stretchr/testify/require"
)

func surfaces(tokens []text.Token) string {
	var words []string
	for _, t := range tokens {
		words = append(words, t.Surface)
	}
	return strings.Join(words, " ")
}

func stems(tokens []text.Token) string {
	var words []string
	for _, t := range tokens {
		words = append(words, t.Stem)
	}
	return strings.Join(words, " ")
}

func TestAnalyser_CutsWordsAlikeEverywhere(t *testing.T) {
	a := text.NewAnalyser()
	for _, c := range []struct{ in, surfaces, stems string }{
		{"Running tests quickly", "running tests quickly", "run test quick"},
		{"foo_bar foo-bar foo.bar", "foo bar foo bar foo bar", "foo bar foo bar foo bar"},
		{"3.5 1,000", "3 5 1 000", "3 5 1 000"},
		{"'quoted' Melanie's dogs' don't o'brien", "quoted melanie dogs o'brien", "quot melani dog o'brien"},
		{"Melanie’s ‘kids’ don’t", "melanie kids", "melani kid"},
		{`AND "title:" * (x) OR`, "title x", "titl x"},
		{"who are you", "", ""},
		{"", "", ""},
		{"🙂👍🏽 ... !!", "", ""},
		{"Café CAFÉ cafe\u0301", "cafe cafe cafe", "cafe cafe cafe"},
		{"ＡＢＣ ﬁnding", "abc finding", "abc find"},
		{"Straße STRASSE", "strasse strasse", "strass strass"},
		{"ΟΔΟΣ οδός", "οδοσ οδοσ", "οδοσ οδοσ"},
		{"Чайка ёлка", "чайка ёлка", "чайка ёлка"},
		{"हिन्दी भाषा", "हिन्दी भाषा", "हिन्दी भाषा"},
		{"co\u00adoperate", "cooperate", "cooper"},
		{"k8s v2.1 sha256:ab12", "k8s v2 1 sha256 ab12", "k8s v2 1 sha256 ab12"},
	} {
		require.Equal(t, c.surfaces, surfaces(a.Document(nil, c.in)), "Document(%q)", c.in)
		require.Equal(t, c.surfaces, surfaces(a.Query(nil, c.in)), "Query(%q)", c.in)
		require.Equal(t, c.stems, stems(a.Query(nil, c.in)), "stems of %q", c.in)
	}
}

func TestAnalyser_PairsClustersOfUnspacedScripts(t *testing.T) {
	a := text.NewAnalyser()
	for _, c := range []struct{ in, document, query string }{
		{"東京", "東京 東 京", "東京"},
		{"猫", "猫", "猫"},
		{"猫が好き", "猫が 猫 が好 が 好き 好 き", "猫が が好 好き"},
		{"한국어는", "한국 한 국어 국 어는 어 는", "한국 국어 어는"},
		{"ฉัน", "ฉัน ฉั น", "ฉัน"},
		{"ｶﾀｶﾅ", "カタ カ タカ タ カナ カ ナ", "カタ タカ カナ"},
		{"スーパー", "スー ス ーパ ー パー パ ー", "スー ーパ パー"},
		{"2024年5月", "2024 年 5 月", "2024 年 5 月"},
		{"私はGoogleで働く", "私は 私 は google で働 で 働く 働 く", "私は google で働 働く"},
	} {
		require.Equal(t, c.document, surfaces(a.Document(nil, c.in)), "Document(%q)", c.in)
		require.Equal(t, c.query, surfaces(a.Query(nil, c.in)), "Query(%q)", c.in)
	}
}

func TestAnalyser_MarksBigramsAndParts(t *testing.T) {
	a := text.NewAnalyser()
	require.Equal(t, []text.Token{
		{Surface: "東京", Stem: "東京", Bigram: true},
		{Surface: "東", Stem: "東", Part: true},
		{Surface: "京", Stem: "京", Part: true},
		{Surface: "running", Stem: "run"},
		{Surface: "猫", Stem: "猫"},
	}, a.Document(nil, "東京 running 猫"))
}

func TestAnalyser_AppendsAndKeepsRepeats(t *testing.T) {
	a := text.NewAnalyser()
	first := a.Query(nil, "one two")
	require.Equal(t, "one two two two", surfaces(a.Query(first, "two two")))
}

// The cache is bounded, and a result never depends on what it holds.
func TestAnalyser_CacheChangesNoResult(t *testing.T) {
	warm := text.NewAnalyser()
	var filler strings.Builder
	for i := range 100_000 { // all different in their last four letters
		filler.WriteString(" filling")
		filler.WriteByte(byte('a' + i%26))
		filler.WriteByte(byte('a' + i/26%26))
		filler.WriteByte(byte('a' + i/26/26%26))
		filler.WriteByte(byte('a' + i/26/26/26))
	}
	for range 2 {
		warm.Document(nil, filler.String())
		require.LessOrEqual(t, warm.Cached(), 1<<15)
		require.Positive(t, warm.Cached())
	}
	for _, s := range goldenTexts(t) {
		want := text.NewAnalyser().Document(nil, s)
		require.Equal(t, want, warm.Document(nil, s), s)
		require.Equal(t, want, warm.Document(nil, s), "%s, again", s)
		warm.Forget()
		require.Zero(t, warm.Cached())
		require.Equal(t, want, warm.Document(nil, s), "%s, forgotten", s)
	}
}

// A word is found by itself in every text, whatever stands around it: each query token of a text
// is a document token of it.
func FuzzAnalyse(f *testing.F) {
	for _, s := range goldenTexts(f) {
		f.Add(s)
	}
	a := text.NewAnalyser()
	f.Fuzz(func(t *testing.T, s string) {
		folded := text.Fold(s)
		require.True(t, utf8.ValidString(folded))
		require.Equal(t, folded, text.Fold(folded), "Fold is not stable")
		document := a.Document(nil, s)
		require.Equal(t, document, a.Document(nil, folded), "folded text reads otherwise")
		known := map[string]bool{}
		for _, token := range document {
			requireToken(t, token)
			known[token.Stem] = true
		}
		for _, token := range a.Query(nil, s) {
			require.False(t, token.Part)
			require.True(t, known[token.Stem], "%q is asked for and not stored", token.Stem)
		}
	})
}

func requireToken(t *testing.T, token text.Token) {
	t.Helper()
	require.NotEmpty(t, token.Surface)
	require.NotEmpty(t, token.Stem)
	require.LessOrEqual(t, len(token.Surface), 128)
	require.True(t, utf8.ValidString(token.Surface), "%q", token.Surface)
	require.False(t, token.Bigram && token.Part)
	first, _ := utf8.DecodeRuneInString(token.Surface)
	require.True(t, unicode.IsLetter(first) || unicode.IsNumber(first), "%q", token.Surface)
}

func BenchmarkDocument(b *testing.B) {
	a := text.NewAnalyser()
	tokens := a.Document(nil, turn)
	b.ReportAllocs()
	for b.Loop() {
		tokens = a.Document(tokens[:0], turn)
	}
}

func BenchmarkDocumentCurly(b *testing.B) {
	a := text.NewAnalyser()
	s := strings.ReplaceAll(turn, "'", "’")
	tokens := a.Document(nil, s)
	for b.Loop() {
		tokens = a.Document(tokens[:0], s)
	}
}

func BenchmarkQueryForgotten(b *testing.B) {
	a := text.NewAnalyser()
	var tokens []text.Token
	for b.Loop() {
		tokens = a.Query(tokens[:0], "when did she go to the support group")
		a.Forget()
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for b.Loop() {
		text.Fingerprint(turn)
	}
}

const turn = "Hey there! It's been ages, I've been swamped with the kids and work; we went camping by the lake last weekend, " +
	"and painted that sunset you're always talking about."
