package lexical

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/text"
)

// queryTokensMax bounds a query; later words are ignored. A word adds less than 2.5 million to a
// score, so 512 of them fit an int32.
const queryTokensMax = 512

// Query is a search for the documents that hold any of the words of Text, the best K of them.
type Query struct {
	Text   string
	K      int             // most hits wanted; none when 0 or less
	Filter *roaring.Bitmap // ordinals allowed; nil for all that count. Read, never kept
	AsOf   *roaring.Bitmap // ordinals that counted at the moment asked about; nil for now. Read, never kept
}

// Hit is one document found. Score is BM25 times 65536, at least 1.
type Hit struct {
	Ordinal uint32
	Score   int32
}

// Search returns at most q.K hits, higher scores first, then lower ordinals. A Filter without AsOf
// may name superseded ordinals, which are then found under present statistics; with AsOf both df
// and the mean length are counted over those ordinals, and hits are among them. Purged ordinals
// are never found. Words of q.Text beyond the first 512 are ignored; a text of stop words only
// finds nothing. Safe for concurrent use; allocates the hits and the query's stems.
func (x *Index) Search(q Query) []Hit {
	if q.K <= 0 {
		return nil
	}
	s := x.scratch.Get().(*scratch)
	defer x.release(s)
	s.ask(q.Text)
	if len(s.words) == 0 {
		return nil
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	counted, n, sumLen := x.counted(s, q.AsOf)
	allowed := x.allowed(s, q, counted)
	s.prepare(x, x.corpusOf(n, sumLen), q.AsOf != nil, counted)
	w := walk{terms: s.order, rest: s.rest, allowed: allowed, scratch: s, top: top{k: q.K, hits: s.hits[:0]}}
	w.run()
	s.hits = w.top.hits
	return w.top.sorted()
}

// counted returns the ordinals that statistics are counted over, how many they are, and their
// summed length.
func (x *Index) counted(s *scratch, asOf *roaring.Bitmap) (set bitset, n int, sumLen int64) {
	if asOf == nil && x.dead == nil {
		return x.live, x.n, x.sumLen
	}
	if asOf == nil {
		s.asOf = append(s.asOf[:0], x.live...)
		s.asOf.remove(x.dead)
		return s.asOf, x.n, x.sumLen // n, sumLen and df still move together, after the sweep
	}
	s.asOf = x.dense(s.asOf, asOf)
	for ordinal, ok := s.asOf.next(0); ok; ordinal, ok = s.asOf.next(ordinal + 1) {
		if x.lens[ordinal] == 0 {
			s.asOf.clear(ordinal)
			continue
		}
		n++
		sumLen += int64(x.lengths[x.lens[ordinal]])
	}
	return s.asOf, n, sumLen
}

// allowed returns the ordinals that may be hits.
func (x *Index) allowed(s *scratch, q Query, counted bitset) bitset {
	if q.Filter == nil {
		return counted
	}
	s.filter = x.dense(s.filter, q.Filter)
	if q.AsOf != nil {
		s.filter.keep(counted)
	}
	return s.filter
}

// dense writes the members of set that the index can hold, and that are not dead, into dst.
func (x *Index) dense(dst bitset, set *roaring.Bitmap) bitset {
	dst = slices.Grow(dst[:0], len(x.live))[:len(x.live)]
	clear(dst)
	if set.IsEmpty() {
		return dst
	}
	if uint64(set.Maximum()) >= uint64(len(x.lens)) {
		set = set.Clone()
		set.RemoveRange(uint64(len(x.lens)), 1<<32)
	}
	set.WriteDenseTo(dst)
	dst.remove(x.dead)
	return dst
}

// scratch is the memory of one search. It keeps no word between searches (L5).
type scratch struct {
	analyser *text.Analyser
	tokens   []text.Token
	words    []termCount // distinct stems of the query, in text order
	terms    []queryTerm
	order    []*queryTerm // strongest first
	rest     []int32      // rest[i] is the summed bound of order[i:]
	filter   bitset
	asOf     bitset
	hits     []Hit
	sums     [windowSize]int32 // all zero between windows
	touched  [windowSize / 64]uint64
}

// queryTerm is one word's list, and what each code in it adds.
type queryTerm struct {
	docs  []uint32
	codes []uint8
	at    int   // first posting that may still matter
	bound int32 // no document gets more from this word
	gains [256]int32
}

// scratchTermsMax keeps the memory of an unusually long query from being kept: 1 KB a term.
const scratchTermsMax = 64

func (x *Index) release(s *scratch) {
	if cap(s.terms) > scratchTermsMax || cap(s.tokens) > 4*queryTokensMax {
		return
	}
	s.analyser.Forget()
	clear(s.tokens[:cap(s.tokens)])
	clear(s.words)
	clear(s.order)
	for i := range s.terms {
		s.terms[i].docs, s.terms[i].codes = nil, nil
	}
	x.scratch.Put(s)
}

// ask analyses the query and merges its repeats.
func (s *scratch) ask(query string) {
	s.tokens = s.analyser.Query(s.tokens[:0], query)
	s.words = s.words[:0]
	for _, t := range s.tokens[:min(len(s.tokens), queryTokensMax)] {
		i := slices.IndexFunc(s.words, func(w termCount) bool { return w.term == t.Stem })
		if i >= 0 {
			s.words[i].count++
		} else {
			s.words = append(s.words, termCount{term: t.Stem, count: 1})
		}
	}
}

// prepare looks the words up and orders them by what they can add. Unknown words drop out.
func (s *scratch) prepare(x *Index, c corpus, recount bool, counted bitset) {
	s.terms = slices.Grow(s.terms[:0], len(s.words))
	s.order = s.order[:0]
	for _, w := range s.words {
		id, known := x.dict[w.term]
		if !known {
			continue
		}
		p := &x.terms[id]
		df := p.df
		if recount {
			df = p.among(counted)
		}
		s.terms = s.terms[:len(s.terms)+1]
		t := &s.terms[len(s.terms)-1]
		t.fill(p, &c, c.idf(df), int32(w.count))
		s.order = append(s.order, t)
	}
	slices.SortStableFunc(s.order, func(a, b *queryTerm) int { return cmp.Compare(b.bound, a.bound) })
	s.rest = slices.Grow(s.rest[:0], len(s.order)+1)[:len(s.order)+1]
	s.rest[len(s.order)] = 0
	for i := len(s.order) - 1; i >= 0; i-- {
		s.rest[i] = s.rest[i+1] + s.order[i].bound
	}
}

// fill sets every field; the memory may have served another search.
func (t *queryTerm) fill(p *posting, c *corpus, idf float64, weight int32) {
	t.docs, t.codes, t.at, t.bound = p.docs, p.codes, 0, 0
	for class, shortest := range p.best {
		if shortest == 0 {
			continue
		}
		for bucket := shortest; bucket < buckets; bucket++ {
			code := uint8(class)<<6 | bucket
			t.gains[code] = weight * c.gain(idf, code)
		}
		t.bound = max(t.bound, t.gains[uint8(class)<<6|shortest])
	}
}

// among counts the documents of the list that are in set.
func (p *posting) among(set bitset) uint32 {
	df := uint32(0)
	for _, ordinal := range p.docs {
		if set.has(ordinal) {
			df++
		}
	}
	return df
}
