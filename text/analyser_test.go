package text_test

import (
	"strings"
	"testing"

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
