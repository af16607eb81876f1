package embed

import "github.com/membrain-db/membrain/vectors"

// Former is an Embedder that tells the native form of its vectors; without it they are float32.
type Former interface{ Form() vectors.Form }

// WordBound is an Embedder whose query vectors mean something only when the query has a word that is no stop word.
type WordBound interface{ WordBound() bool }

var (
	_ Former    = (*StaticEN)(nil)
	_ WordBound = (*StaticEN)(nil)
	_ Former    = (*OpenAI)(nil)
)

// Form returns vectors.FormInt8.
func (*StaticEN) Form() vectors.Form { return vectors.FormInt8 }

// WordBound returns true: a text without words gets a vector that is near nothing but itself.
func (*StaticEN) WordBound() bool { return true }

// Form returns vectors.FormFloat32.
func (*OpenAI) Form() vectors.Form { return vectors.FormFloat32 }

// FormOf returns the native form of an embedder's vectors.
func FormOf(e Embedder) vectors.Form {
	if f, ok := e.(Former); ok {
		return f.Form()
	}
	return vectors.FormFloat32
}

// IsWordBound reports whether an embedder is WordBound.
func IsWordBound(e Embedder) bool {
	w, ok := e.(WordBound)
	return ok && w.WordBound()
}
