package model_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func FuzzParseNamespace(f *testing.F) {
	for _, s := range []string{"default", "team/ops", "..", "/a", "cafe\u0301", "\xff", "a\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := model.ParseNamespace(s)
		if err != nil {
			require.Equal(t, model.CodeValidation, model.CodeOf(err))
			return
		}
		require.True(t, len(n) >= 1 && len(n) <= model.NamespaceBytesMax && utf8.ValidString(n))
		require.NotContains(t, n, "..")
		require.False(t, strings.ContainsAny(n, " \x00\\\n"))
		again, err := model.ParseNamespace(n)
		require.NoError(t, err)
		require.Equal(t, n, again, "a parsed name is its own")
	})
}

func FuzzNormalise(f *testing.F) {
	f.Add("team", "tea", "", "ops", "ref", "s1", 0.5, 0.5, uint8(3), uint8(0))
	f.Add("a/b", "\u200b", "ctx", "\x00", "", "", -1.0, 2.0, uint8(13), uint8(3))
	f.Add("n", strings.Repeat("é", 3000), "", "é", "x", "e\u0301", 1.0, 1.0, uint8(7), uint8(4))
	f.Fuzz(func(t *testing.T, ns, text, context, tag, ref, session string, valence, arousal float64, typ, kind uint8) {
		req := model.EncodeRequest{
			Namespace: ns, Text: text, Context: context, Tags: []string{tag, tag}, SourceRef: ref, SessionID: session,
			Valence: &valence, Arousal: &arousal, Type: model.MemoryType(typ), Kind: model.Kind(kind),
			Entities: []string{tag}, Endpoints: nil,
		}
		p := model.DefaultParams()
		e, err := model.Normalise(req, agent(), p)
		if err != nil {
			require.NotEqual(t, model.CodeInternal, model.CodeOf(err))
			require.NotEmpty(t, fault(t, err).Field)
			return
		}
		require.Equal(t, text, e.Text, "the text is stored as given")
		require.LessOrEqual(t, len(e.Compact()), model.CompactBytesMax)
		require.True(t, utf8.ValidString(e.Compact()))
		require.Len(t, e.Tags, 1)

		s := &symbols{}
		fact, err := model.DecideEncode(e.Command(id(1), s.intern), content(1), model.PayloadRef{}, p, moment(7))
		require.NoError(t, err, "what Normalise accepts, DecideEncode accepts")
		require.NoError(t, model.MemoryInvariants(&fact.Memory))
	})
}
