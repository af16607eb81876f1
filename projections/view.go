package projections

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/graph"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/membrain-db/membrain/vectors"
)

// View is a namespace at one commit, for as long as the function given to Read runs. What its methods return that is not a copy is only
// to be read, and not kept after Read has returned. Statistics of the lexical index may already count documents
// of the commit that is being applied; they are not live, so no search returns them.
type View struct {
	Seq  eventlog.Seq // last commit of the store that the view shows
	Tick model.Tick   // of the namespace

	space *Space
	body  *body
}

// Read calls fn with a view. No commit is put in place while fn runs, so it should be quick.
func (s *Space) Read(fn func(v *View)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	fn(&View{Seq: s.body.seq, Tick: s.body.filters.Tick(), space: s, body: s.body})
}

// Brain returns the state of the namespace at this commit.
func (v *View) Brain() *model.Brain { return v.space.Brain() }

// Match returns a new bitmap of the live ordinals that the filter's viewer may see and the filter asks for; archived and superseded ones
// only when it includes them. The caller owns it.
func (v *View) Match(c Compiled) *roaring.Bitmap { return v.body.filters.Match(&c) }

// Live returns a copy of the live ordinals: the present content of every memory, archived ones included.
func (v *View) Live() *roaring.Bitmap { return v.body.filters.Live().Clone() }

// Unreadable counts those of the ordinals whose texts cannot be read: no search finds them.
func (v *View) Unreadable(of *roaring.Bitmap) int {
	return int(v.body.unreadable.AndCardinality(of))
}

// Len returns the number of memories.
func (v *View) Len() int { return v.body.filters.Len() }

// Lexical returns the k best matches by words among the allowed ordinals; nil allows all live ones.
func (v *View) Lexical(text string, k int, allowed *roaring.Bitmap) []lexical.Hit {
	return v.body.words.Search(lexical.Query{Text: text, K: k, Filter: v.orLive(allowed)})
}

// ExplainLexical returns the parts of the score that Lexical gives to an ordinal.
func (v *View) ExplainLexical(text string, ordinal uint32) []lexical.TermPart {
	return v.body.words.Explain(text, ordinal)
}

// Weigh returns the distinct words of a query with the number of documents that hold each, and the number of documents.
func (v *View) Weigh(text string) (terms []lexical.Term, docs int) { return v.body.words.Weigh(text) }

// Vector returns the k nearest to e among the allowed ordinals; nil allows all live ones. e must come from the embedder that the
// namespace is at: another dimension or form finds nothing.
func (v *View) Vector(e vectors.Embedding, k int, allowed *roaring.Bitmap) []vectors.Hit {
	if v.body.vectors == nil {
		return nil
	}
	return v.body.vectors.Search(e, k, v.orLive(allowed))
}

// Similarities returns the cosine of e with each ordinal's vector, in order; NaN for one that has none.
func (v *View) Similarities(e vectors.Embedding, ordinals []uint32) []float32 {
	if v.body.vectors == nil {
		return notNumbers(len(ordinals))
	}
	return v.body.vectors.Similarity(e, ordinals, make([]float32, 0, len(ordinals)))
}

// Embedded returns a new bitmap of the ordinals that have a vector of the present embedder.
func (v *View) Embedded() *roaring.Bitmap {
	if v.body.vectors == nil {
		return roaring.New()
	}
	return v.body.vectors.Keys()
}

func (v *View) orLive(allowed *roaring.Bitmap) *roaring.Bitmap {
	if allowed == nil {
		return v.body.filters.Live()
	}
	return allowed
}

// Hot returns the columns of a live ordinal, nil when it is not live.
func (v *View) Hot(ordinal uint32) *Hot { return v.body.filters.Hot(ordinal) }

// Ordinal returns the ordinal of a memory's present content.
func (v *View) Ordinal(id model.MemoryID) (uint32, bool) { return v.body.filters.Ordinal(id) }

// Neighbours fills before and after, which are empty, with at most n ordinals on each side of one in its session, nearest first.
// Those that are not allowed take no place; nil allows all.
func (v *View) Neighbours(ordinal uint32, n int, allowed *roaring.Bitmap, before, after []uint32) (_, _ []uint32) {
	h := v.Hot(ordinal)
	if h == nil {
		return before, after
	}
	return v.body.sessions.Neighbours(graph.Member{Session: h.Session, When: h.When(), Ordinal: ordinal}, n, allowed, before, after)
}

// SessionMembers returns the live ordinals of a session in order, whoever may see them: intersect with Match.
func (v *View) SessionMembers(session model.Symbol) []uint32 { return v.body.sessions.Members(session) }

// Mention is an entity that a query names.
type Mention struct {
	Symbol   model.Symbol
	Ordinals *roaring.Bitmap // live ordinals that mention it, whoever may see them; the caller's own copy
}

// Mentioned returns the entities all of whose tokens stand in a text, in order of symbol, at most 64.
func (v *View) Mentioned(text string) []Mention {
	var found []Mention
	for _, symbol := range v.body.mentions.named(text) {
		if ordinals := v.body.filters.Mentioning(symbol); ordinals != nil && len(found) < mentionsMax {
			found = append(found, Mention{Symbol: symbol, Ordinals: ordinals.Clone()})
		}
	}
	return found
}

// Memory returns the latest fold of a memory, as Space.Memory does.
func (v *View) Memory(id model.MemoryID) (StreamState, error) { return v.space.Memory(id) }

// FingerprintOrdinals returns the live ordinals whose text has a fingerprint, among the allowed (nil: all), ascending.
func (v *View) FingerprintOrdinals(f model.Fingerprint, allowed *roaring.Bitmap) []uint32 {
	return v.body.prints.Ordinals(f, v.orLive(allowed))
}

func notNumbers(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(math.NaN())
	}
	return list
}
