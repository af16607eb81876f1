package lexical

import "github.com/membrain-db/membrain/text"

// TermPart is what one word of a query gives to one document.
type TermPart struct {
	Term         string // stem
	Count        int    // times in the query
	DF           uint32 // live documents that hold it
	TF           int    // times in the document: 0, 1, 2, 3, or 4 for more
	Contribution int32  // share of the Score
}

// Explain returns the parts of the score that Search gives to ordinal for query, one for each distinct
// stem in text order, those that add nothing included. The contributions sum to Hit.Score. It is
// empty when the query has no words but stop words. Statistics are the present ones. Safe for
// concurrent use.
func (x *Index) Explain(query string, ordinal uint32) []TermPart {
	s := x.scratch.Get().(*scratch)
	defer x.release(s)
	s.ask(query)
	x.mu.RLock()
	defer x.mu.RUnlock()
	c := x.corpusOf(x.n, x.sumLen)
	parts := make([]TermPart, len(s.words))
	for i, w := range s.words {
		parts[i] = x.explain(&c, w, ordinal)
	}
	return parts
}

func (x *Index) explain(c *corpus, w termCount, ordinal uint32) TermPart {
	part := TermPart{Term: w.term, Count: w.count}
	id, known := x.dict[w.term]
	if !known {
		return part
	}
	p := &x.terms[id]
	part.DF = p.df
	i, found := p.find(ordinal)
	if !found || x.dead.has(ordinal) {
		return part
	}
	part.TF = tfOf(p.codes[i])
	part.Contribution = int32(w.count) * c.gain(c.idf(p.df), p.codes[i])
	return part
}

// Term is one word of a query with its statistics. DF counts the live documents that hold
// its stem; 0 for an unknown word.
type Term struct {
	Token text.Token
	Count int
	DF    uint32
}

// Weigh returns the distinct surface words of query in text order, without stop words, and the number of
// live documents, all under one lock. The embedder weighs a query with them, so that both arms
// analyse alike and count alike. Words beyond the first 512 are left out. Safe for concurrent use.
func (x *Index) Weigh(query string) (terms []Term, docs int) {
	s := x.scratch.Get().(*scratch)
	defer x.release(s)
	s.tokens = s.analyser.Query(s.tokens[:0], query)
	place := make(map[string]int)
	for _, t := range s.tokens[:min(len(s.tokens), queryTokensMax)] {
		if i, again := place[t.Surface]; again {
			terms[i].Count++
			continue
		}
		place[t.Surface] = len(terms)
		terms = append(terms, Term{Token: t, Count: 1})
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for i := range terms {
		if id, known := x.dict[terms[i].Token.Stem]; known {
			terms[i].DF = x.terms[id].df
		}
	}
	return terms, x.n
}
