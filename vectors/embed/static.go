package embed

import (
	"context"
	"math"

	"github.com/membrain-db/membrain/text"
	"github.com/membrain-db/membrain/vectors"
)

const (
	staticName = "static-en-1"
	gloveDim   = 100
	hashDim    = 412
	staticDim  = gloveDim + hashDim
	gloveShare = 0.8 // length of the GloVe part against 1 of the hash part
)

// Weights of a token in the hash part of a document. A single cluster of a longer run is there to be found, but must not
// drown the bigrams.
const (
	hashWeight     = 4
	hashWeightPart = 1
)

// countMax bounds the weight of a word that a query repeats, so that no sum overflows.
const countMax = 1 << 20

// StaticEN is the built-in embedder; see the package comment. Its vectors are int8 with 512 dimensions.
// Safe for concurrent use. The zero value is not usable; make one with [Static].
type StaticEN struct {
	id    string
	table table
	pool  scratchPool
}

var _ Embedder = (*StaticEN)(nil)

// Static loads the table out of the binary, which takes some milliseconds and 4 MB: make one and share it.
// Errors: ErrTable, when the binary is damaged.
func Static() (*StaticEN, error) {
	sum, err := tableID()
	if err != nil {
		return nil, err
	}
	t, err := parseTable(tableBytes)
	if err != nil {
		return nil, err
	}
	return &StaticEN{id: staticName + "/" + sum + "/" + text.AnalyserVersion, table: t}, nil
}

// ID returns "static-en-1/<first 12 hex digits of the table's sha256>/<version of the analyser>".
func (e *StaticEN) ID() string { return e.id }

// Dim returns 512.
func (e *StaticEN) Dim() int { return staticDim }

// EmbedDocuments returns the vectors of texts that are stored. A turn of a dialogue takes about 12 microseconds.
// Errors: only the context's.
func (e *StaticEN) EmbedDocuments(ctx context.Context, texts []string) ([]vectors.Embedding, error) {
	s := e.pool.take()
	defer e.pool.put(s)
	out := make([]vectors.Embedding, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = e.embed(s, t, s.analyser.Document(s.tokens[:0], t))
	}
	return out, nil
}

// EmbedQuery returns the vector of a search text, its words weighed by the idf of the namespace. Without idf, or when
// the namespace is empty, words weigh as in a document. Errors: only the context's.
func (e *StaticEN) EmbedQuery(ctx context.Context, query string, idf IDF) (vectors.Embedding, error) {
	if err := ctx.Err(); err != nil {
		return vectors.Embedding{}, err
	}
	s := e.pool.take()
	defer e.pool.put(s)
	if idf != nil {
		if tokens, n := idf(query); n > 0 {
			return e.embedWeighed(s, query, tokens, n), nil
		}
	}
	return e.embed(s, query, s.analyser.Query(s.tokens[:0], query)), nil
}

// Forget empties the caches of stems, so that no word of an erased text stays reachable. It never changes a vector.
func (e *StaticEN) Forget() { e.pool.clear() }

func (e *StaticEN) embed(s *scratch, raw string, tokens []text.Token) vectors.Embedding {
	s.tokens = tokens
	s.sums = sums{}
	for _, t := range tokens {
		if row, ok := e.table.rows[t.Surface]; ok {
			e.table.add(&s.sums.glove, row, int64(e.table.sif[row]))
		}
		weight := int64(hashWeight)
		if t.Part {
			weight = hashWeightPart
		}
		s.sums.addStem(t.Stem, weight)
	}
	return s.sums.embedding(raw)
}

func (e *StaticEN) embedWeighed(s *scratch, raw string, tokens []WeighedToken, n int) vectors.Embedding {
	s.sums = sums{}
	for _, t := range tokens {
		weight := idfWeight(n, t.DF) * int64(min(max(t.Count, 1), countMax))
		if row, ok := e.table.rows[t.Surface]; ok {
			e.table.add(&s.sums.glove, row, weight)
		}
		s.sums.addStem(t.Stem, weight)
	}
	return s.sums.embedding(raw)
}

// sums holds both parts of a vector before they are normalised. A number of the table has 7 bits, its scale 16 and a
// weight at most 36, so single addends stay under 2^59 and the sums of texts that fit into memory under 2^63.
type sums struct {
	glove [gloveDim]int64
	hash  [hashDim]int64
}

// addStem adds or subtracts weight in the slot of the stem.
func (s *sums) addStem(stem string, weight int64) {
	h := fnv1a(fnv1a(fnvBasis, "w:"), stem)
	if h>>63 == 1 {
		weight = -weight
	}
	s.hash[(h>>8)%hashDim] += weight
}

// embedding normalises, joins and rounds both parts. Joined parts need no common length: only the direction counts,
// and the largest number becomes ±127. A sum of nothing gets the signs of the raw text.
func (s *sums) embedding(raw string) vectors.Embedding {
	var v [staticDim]float64
	fill(v[:gloveDim], s.glove[:], gloveShare)
	fill(v[gloveDim:], s.hash[:], 1)
	top := 0.0
	for _, x := range v {
		top = max(top, math.Abs(x))
	}
	if top == 0 {
		return signs(raw)
	}
	codes := make([]int8, staticDim)
	for i, x := range v {
		codes[i] = int8(math.Round(float64(127*x) / top))
	}
	return vectors.Embedding{Form: vectors.FormInt8, Int8: codes}
}

// fill writes part, scaled to the given length, into dst; zeros when it has no direction.
func fill(dst []float64, part []int64, length float64) {
	squares := 0.0
	for _, x := range part {
		f := float64(x)
		squares += float64(f * f) // the conversion forbids fusing, which arm64 would do and amd64 not
	}
	if squares == 0 {
		return
	}
	norm := math.Sqrt(squares)
	for i, x := range part {
		dst[i] = float64(length*float64(x)) / norm
	}
}

// signs returns ±127 in every dimension, drawn by SplitMix64 from a hash of the raw text.
// Source: Steele et al., "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
func signs(raw string) vectors.Embedding {
	codes := make([]int8, staticDim)
	state := fnv1a(fnvBasis, raw)
	for i := range codes {
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		codes[i] = 127
		if (z^z>>31)&1 == 1 {
			codes[i] = -127
		}
	}
	return vectors.Embedding{Form: vectors.FormInt8, Int8: codes}
}

const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// fnv1a continues the hash h over s. Source: draft-eastlake-fnv, 64 bits.
func fnv1a(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}
