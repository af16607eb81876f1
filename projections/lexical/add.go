package lexical

import (
	"cmp"
	"slices"
	"strings"

	"github.com/membrain-db/membrain/text"
)

// batchDocs bounds how long the writer keeps readers waiting: about 0.15 ms.
const batchDocs = 16

// Doc is one content version.
type Doc struct {
	Ordinal uint32
	Text    string
}

// Add makes docs searchable. Texts are analysed outside the lock that readers hold, and applied in
// groups of at most 16. Ordinals may come in any order and below the highest present, though each
// such one copies the lists of its words. A live ordinal is left as it is; a superseded one counts
// again.
func (x *Index) Add(docs []Doc) {
	byOrdinal := func(a, b Doc) int { return cmp.Compare(a.Ordinal, b.Ordinal) }
	if !slices.IsSortedFunc(docs, byOrdinal) {
		docs = slices.Clone(docs)
		slices.SortStableFunc(docs, byOrdinal)
	}
	x.writer.Lock()
	defer x.writer.Unlock()
	for batch := range slices.Chunk(docs, batchDocs) {
		x.draft.reset()
		for _, d := range batch {
			x.draft.analyse(x.analyser, d.Ordinal, d.Text)
		}
		x.mu.Lock()
		for _, w := range x.draft.docs {
			x.addOne(w)
		}
		x.mu.Unlock()
	}
	x.draft.reset()
}

// Remove stops an ordinal from counting, because its content was superseded or archived: it
// leaves the live set, df, n and the mean length at once. Its postings stay, for questions about
// the past. s must be the text that it was added with. An ordinal that is not live is left alone.
func (x *Index) Remove(ordinal uint32, s string) {
	x.writer.Lock()
	defer x.writer.Unlock()
	x.draft.reset()
	x.draft.analyse(x.analyser, ordinal, s)
	x.mu.Lock()
	x.removeOne(x.draft.docs[0])
	x.mu.Unlock()
	x.draft.reset()
}

func (x *Index) addOne(w wordsOf) {
	x.reach(w.ordinal)
	if x.live.has(w.ordinal) {
		return
	}
	if x.lens[w.ordinal] == 0 {
		x.lens[w.ordinal] = x.bucketOf(w.length)
	}
	bucket := x.lens[w.ordinal]
	for _, t := range w.terms {
		p := &x.terms[x.idOf(t.term)]
		p.insert(w.ordinal, codeOf(t.count, bucket))
		p.df++
	}
	x.live.set(w.ordinal)
	x.n++
	x.sumLen += int64(x.lengths[bucket])
}

func (x *Index) removeOne(w wordsOf) {
	if !x.live.has(w.ordinal) {
		return
	}
	for _, t := range w.terms {
		id, known := x.dict[t.term]
		if !known {
			continue
		}
		if _, found := x.terms[id].find(w.ordinal); found {
			x.terms[id].df--
		}
	}
	x.live.clear(w.ordinal)
	x.n--
	x.sumLen -= int64(x.lengths[x.lens[w.ordinal]])
}

// reach makes room for an ordinal.
func (x *Index) reach(ordinal uint32) {
	if more := int(ordinal) + 1 - len(x.lens); more > 0 {
		x.lens = append(x.lens, make([]uint8, more)...)
	}
	if more := wordsFor(len(x.lens)) - len(x.live); more > 0 {
		x.live = append(x.live, make(bitset, more)...)
	}
}

// idOf returns the id of a term, a new one if need be. The dictionary keeps its own copy of a word.
func (x *Index) idOf(term string) uint32 {
	if id, known := x.dict[term]; known {
		return id
	}
	term = strings.Clone(term)
	if last := len(x.free) - 1; last >= 0 {
		id := x.free[last]
		x.free = x.free[:last]
		x.terms[id].term, x.dict[term] = term, id
		return id
	}
	id := uint32(len(x.terms))
	x.terms, x.dict[term] = append(x.terms, posting{term: term}), id
	return id
}

// draft holds analysed documents on their way into the index. Its memory is reused.
type draft struct {
	tokens []text.Token
	terms  []termCount
	seen   map[string]int // term -> its place in terms, for the present document
	docs   []wordsOf
}

// wordsOf is what the index needs of a document. terms are distinct, in order of first appearance.
type wordsOf struct {
	ordinal uint32
	length  int // tokens without the parts of a bigram
	terms   []termCount
}

type termCount struct {
	term  string
	count int
}

// draftTokensMax keeps the memory of an unusually long document from being kept and cleared for ever.
const draftTokensMax = 1 << 14

// reset drops every reference to a document's text.
func (d *draft) reset() {
	if cap(d.tokens) > draftTokensMax {
		*d = draft{}
		return
	}
	clear(d.tokens[:cap(d.tokens)])
	clear(d.terms)
	clear(d.docs)
	clear(d.seen)
	d.tokens, d.terms, d.docs = d.tokens[:0], d.terms[:0], d.docs[:0]
}

func (d *draft) analyse(a *text.Analyser, ordinal uint32, s string) {
	if d.seen == nil {
		d.seen = make(map[string]int)
	}
	clear(d.seen)
	d.tokens = a.Document(d.tokens[:0], s)
	w := wordsOf{ordinal: ordinal}
	first := len(d.terms)
	for _, t := range d.tokens {
		if !t.Part {
			w.length++
		}
		if i, again := d.seen[t.Stem]; again {
			d.terms[i].count++
			continue
		}
		d.seen[t.Stem] = len(d.terms)
		d.terms = append(d.terms, termCount{term: t.Stem, count: 1})
	}
	w.terms = d.terms[first:len(d.terms):len(d.terms)]
	d.docs = append(d.docs, w)
}
