package vectors

import "github.com/RoaringBitmap/roaring/v2"

// Hit is one answer of a search.
type Hit struct {
	Key        uint32
	Similarity float32 // cosine, in [-1, 1]
}

// Stats describes an index at one moment.
type Stats struct {
	Vectors     int
	Dim         int
	Form        Form
	MemoryBytes int64  // of the vectors, their norms and keys; estimated for the key table
	Kernel      string // what computes dot products: "avx2", "neon" or "portable", with more words for variants

	// Of an index that may have a graph; see Auto. All zero while it has none.
	GraphNodes   int     // distinct vectors in the graph, dead ones and free slots among them
	Levels       int     // of the graph
	Tombstones   int     // nodes whose vectors were removed and that still lead searches
	Tail         int     // vectors that are not in the graph yet: searches scan them
	Ef           int     // calibrated width of a search
	RecallSample float64 // recall@10 of the sample at that width, from 0 to 1
	Fault        string  // why the graph takes no more vectors, "" while it does; searches stay right
}

// Index finds the vectors nearest to a query by cosine. Implementations are safe for concurrent use: one
// writer at a time, any number of readers; what Add has returned for, the next Search sees.
type Index interface {
	// Dim returns the number of components of every vector.
	Dim() int
	// Len returns the number of vectors.
	Len() int
	// Add stores a copy of e under key, replacing what key had. Errors: ErrDimension, ErrForm, ErrEmbeddingInvalid.
	Add(key uint32, e Embedding) error
	// Remove forgets key and reports whether it was there.
	Remove(key uint32) bool
	// Search returns the k vectors nearest to q among those whose key is in filter (among all when filter is
	// nil): always min(k, matches) of them, best first, ties by lower key. The filter is only read, and must not
	// be changed meanwhile. A query that Add would refuse finds nothing.
	Search(q Embedding, k int, filter *roaring.Bitmap) []Hit
	// Similarity appends to dst the cosine of q with the vector of each key, in order; NaN for a key that is
	// absent, and for all of them when Add would refuse q.
	Similarity(q Embedding, keys []uint32, dst []float32) []float32
	// Keys returns a new bitmap of the keys in the index; the caller owns it.
	Keys() *roaring.Bitmap
	// Stats returns figures for people.
	Stats() Stats
}
