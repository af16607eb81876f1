package embed

import (
	"context"

	"github.com/membrain-db/membrain/vectors"
)

// Embedder turns texts into vectors. Implementations are safe for concurrent use.
type Embedder interface {
	// ID names everything that a vector depends on: model, table, tokeniser, dimension; for example
	// "static-en-1/2307f5fc818c/tok2". Two embedders with one ID give comparable vectors, all others must not mix.
	ID() string
	// Dim is the number of dimensions of every vector, from 1 to vectors.EmbeddingDimMax.
	Dim() int
	// EmbedDocuments returns one valid vector for each text, in order, or an error and none. The caller owns the result.
	EmbedDocuments(ctx context.Context, texts []string) ([]vectors.Embedding, error)
	// EmbedQuery returns the vector of a search text. idf may be nil, and embedders without use for it ignore it.
	EmbedQuery(ctx context.Context, text string, idf IDF) (vectors.Embedding, error)
}

// IDF analyses a query and returns its tokens with their statistics in the namespace's lexical index, and the number
// of live documents N of that index, both of one moment. A token that the index does not know has DF 0 and is returned too.
type IDF func(text string) ([]WeighedToken, int)

// WeighedToken is a distinct token of a query, for example {Surface: "running", Stem: "run", Count: 1, DF: 12}.
type WeighedToken struct {
	Surface string // as text.Token
	Stem    string // as text.Token
	Count   int    // occurrences in the query, from 1
	DF      uint32 // live documents of the namespace that hold the stem
}
