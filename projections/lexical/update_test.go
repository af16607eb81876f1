package lexical_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/stretchr/testify/require"
)

// history applies random changes to an index and to the oracle.
type history struct {
	*writer
	x    *lexical.Index
	o    *oracle
	next uint32
	made map[uint32]string // what each ordinal stands for, also after its purge
}

func newHistory(seed uint64) *history {
	return &history{writer: newWriter(seed, 300), x: lexical.New(), o: newOracle(), made: map[uint32]string{}}
}

func (h *history) step() {
	switch h.rand.IntN(8) {
	case 0, 1, 2:
		n := 1 + h.rand.Uint32N(60)
		docs := h.docs(h.next, h.next+n)
		h.next += n
		h.add(docs...)
	case 3: // leave a hole, to be filled later
		h.next += h.rand.Uint32N(20)
	case 4: // fill holes, and revive what was removed, in no order
		var docs []lexical.Doc
		for range 10 {
			docs = append(docs, h.again(h.rand.Uint32N(h.next+1)))
		}
		h.next = max(h.next, slices.MaxFunc(docs, func(a, b lexical.Doc) int { return int(a.Ordinal) - int(b.Ordinal) }).Ordinal+1)
		h.add(docs...)
	case 5, 6:
		for range 15 {
			h.remove(h.rand.Uint32N(h.next + 1))
		}
	case 7:
		var gone []uint32
		for range h.rand.IntN(20) {
			gone = append(gone, h.rand.Uint32N(h.next+50))
		}
		h.x.Purge(gone)
		h.o.purge(gone...)
	}
}

// again returns the document of an ordinal: what it was first added with, or a new one.
func (h *history) again(ordinal uint32) lexical.Doc {
	if _, known := h.made[ordinal]; !known {
		h.made[ordinal] = h.text()
	}
	return lexical.Doc{Ordinal: ordinal, Text: h.made[ordinal]}
}

func (h *history) add(docs ...lexical.Doc) {
	for _, d := range docs {
		h.made[d.Ordinal] = d.Text
	}
	h.x.Add(docs)
	h.o.add(docs...)
}

func (h *history) remove(ordinal uint32) {
	h.x.Remove(ordinal, h.made[ordinal])
	h.o.remove(ordinal)
}

// rebuilt is an index made from nothing but the live documents.
func (h *history) rebuilt() *lexical.Index {
	x := lexical.New()
	for _, ordinal := range h.o.live.ToArray() {
		x.Add([]lexical.Doc{{Ordinal: ordinal, Text: h.o.docs[ordinal].text}})
	}
	return x
}

func TestIndex_AUT_1_LiveRebuiltAndLoadedAreEqual(t *testing.T) {
	for seed := range uint64(6) {
		h := newHistory(seed)
		loaded := lexical.New()
		for range 60 {
			h.step()
			if h.rand.IntN(10) == 0 {
				loaded, _ = reload(t, h.x, lexical.Header{})
			}
		}
		compare(t, h.x, h.o, h.writer, h.next+1)
		require.Equal(t, h.x.Digest(), h.rebuilt().Digest(), "rebuilt, seed %d", seed)

		h.reconcile(loaded)
		compare(t, loaded, h.o, h.writer, h.next+1)
		require.Equal(t, h.x.Digest(), loaded.Digest(), "snapshot and tail, seed %d", seed)
	}
}

// reconcile brings an older index up to the present by set difference, as the projection does
// after LoadFile. What was purged since is no longer readable, so it goes without its text.
func (h *history) reconcile(x *lexical.Index) {
	present := roaring.New()
	for ordinal := range h.o.docs {
		present.Add(ordinal)
	}
	x.Purge(roaring.AndNot(x.Present(), present).ToArray())
	missing := roaring.Or(roaring.AndNot(h.o.live, x.Live()), roaring.AndNot(present, x.Present()))
	var docs []lexical.Doc
	for _, ordinal := range missing.ToArray() {
		docs = append(docs, h.again(ordinal))
	}
	x.Add(docs)
	for _, ordinal := range roaring.AndNot(x.Live(), h.o.live).ToArray() {
		x.Remove(ordinal, h.made[ordinal])
	}
}

func TestIndex_StatisticsMoveTogether(t *testing.T) {
	x := indexOf("red bicycle", "red car", "the and", "blue car")
	require.Equal(t, lexical.Stats{Docs: 4, Terms: 4, Postings: 6, Tokens: 6}, x.Stats())
	x.Remove(1, "red car")
	require.Equal(t, lexical.Stats{Docs: 3, Superseded: 1, Terms: 4, Postings: 6, Tokens: 4}, x.Stats())
	x.Remove(1, "red car") // again, and one that never was
	x.Remove(77, "red car")
	require.Equal(t, lexical.Stats{Docs: 3, Superseded: 1, Terms: 4, Postings: 6, Tokens: 4}, x.Stats())
	terms, n := x.Weigh("red car")
	require.Equal(t, 3, n)
	require.Equal(t, []uint32{1, 1}, []uint32{terms[0].DF, terms[1].DF})
	x.Purge([]uint32{0, 0, 2, 99})
	require.Equal(t, lexical.Stats{Docs: 1, Superseded: 1, Terms: 3, Postings: 4, Tokens: 2}, x.Stats())
	x.Add([]lexical.Doc{{Ordinal: 1, Text: "red car"}, {Ordinal: 1, Text: "red car"}, {Ordinal: 3, Text: "ignored, it is live"}})
	require.Equal(t, lexical.Stats{Docs: 2, Terms: 3, Postings: 4, Tokens: 4}, x.Stats())
}

// Removing all holders but one of a word must not make its idf negative and lose it to pruning.
func TestRemove_StaleStatisticsLoseNoHit(t *testing.T) {
	x, o := lexical.New(), newOracle()
	for ordinal := range uint32(500) {
		d := lexical.Doc{Ordinal: ordinal, Text: "common word"}
		x.Add([]lexical.Doc{d})
		o.add(d)
	}
	d := lexical.Doc{Ordinal: 500, Text: "common word and a rare one"}
	x.Add([]lexical.Doc{d})
	o.add(d)
	for ordinal := range uint32(499) {
		x.Remove(ordinal, "common word")
		o.remove(ordinal)
	}
	q := lexical.Query{Text: "rare common word", K: 1}
	require.Equal(t, o.search(q), x.Search(q))
	x.Remove(500, d.Text)
	x.Remove(499, "common word")
	require.Empty(t, x.Search(q))
	q.Filter = roaring.BitmapOf(3, 500) // all superseded: still found on request
	require.Equal(t, []uint32{500}, ordinals(x.Search(q)))
}

func TestSearch_AsOfAnswersAsItDidThen(t *testing.T) {
	h := newHistory(42)
	type moment struct {
		live    *roaring.Bitmap
		q       lexical.Query
		answers []lexical.Hit
	}
	var past []moment
	for range 40 {
		docs := h.docs(h.next, h.next+40)
		h.next += 40
		h.add(docs...)
		for range 20 {
			h.remove(h.rand.Uint32N(h.next))
		}
		q := lexical.Query{Text: h.query(), K: 20}
		if h.rand.IntN(2) == 0 {
			q.Filter = h.filter(h.next)
		}
		m := moment{live: h.x.Live(), q: q}
		if q.Filter != nil { // what the past allowed was among what counted
			m.q.Filter = roaring.And(q.Filter, m.live)
		}
		m.answers = h.x.Search(m.q)
		past = append(past, m)
	}
	loaded, _ := reload(t, h.x, lexical.Header{})
	for i, m := range past {
		m.q.AsOf = m.live
		require.Equal(t, m.answers, h.x.Search(m.q), "moment %d", i)
		require.Equal(t, m.answers, loaded.Search(m.q), "moment %d, loaded", i)
		m.q.K = math.MaxInt
		require.ElementsMatch(t, h.o.search(m.q), loaded.Search(m.q), "moment %d, all", i)
	}
}

func TestPurge_HidesBeforeItSweeps(t *testing.T) {
	x := indexOf("red bicycle", "red car", "red boat", "red kite")
	x.Remove(2, "red boat")
	all := roaring.BitmapOf(0, 1, 2, 3)
	before := x.Stats()
	x.Hide(1, 2)
	require.Equal(t, before, x.Stats(), "statistics move with the lists, not before")
	require.Equal(t, []uint32{0, 3}, find(x, "red"))
	require.Equal(t, []uint32{0, 3}, ordinals(x.Search(lexical.Query{Text: "red", K: 9, Filter: all})))
	require.Equal(t, []uint32{0, 3}, ordinals(x.Search(lexical.Query{Text: "red", K: 9, AsOf: all})))
	require.Zero(t, x.Explain("red", 1)[0].Contribution)
	require.Equal(t, []uint32{0, 3}, x.Live().ToArray())
	require.Equal(t, []uint32{0, 3}, x.Present().ToArray())
	x.Purge([]uint32{1, 2})
	require.Equal(t, indexOf("red bicycle", "", "", "red kite").Stats().Terms, x.Stats().Terms)
	require.Equal(t, []uint32{0, 3}, find(x, "red"))
}

func TestAdd_TakesNoOrder(t *testing.T) {
	docs := newWriter(3, 100).docs(0, 500)
	forward, backward := lexical.New(), lexical.New()
	forward.Add(docs)
	reversed := slices.Clone(docs)
	slices.Reverse(reversed)
	kept := slices.Clone(reversed)
	backward.Add(reversed)
	require.Equal(t, kept, reversed, "Add reorders its caller's slice")
	for i := range docs { // one by one, each below all before
		x := docs[len(docs)-1-i]
		backward.Purge([]uint32{x.Ordinal})
		backward.Add([]lexical.Doc{x})
	}
	require.Equal(t, forward.Digest(), backward.Digest())
}

// One writer and four readers: each answer is of a state that was, and acknowledged writes are found.
func TestIndex_OneWriterManyReaders(t *testing.T) {
	h := newHistory(9)
	h.add(h.docs(0, 200)...)
	h.next = 200
	done := make(chan struct{})
	var readers sync.WaitGroup
	for seed := range uint64(4) {
		readers.Go(func() {
			w := newWriter(seed, 300)
			for {
				select {
				case <-done:
					return
				default:
					read(h.x, w)
				}
			}
		})
	}
	for range 150 {
		h.step()
		ordinal := h.next
		h.next++
		h.add(lexical.Doc{Ordinal: ordinal, Text: "acknowledged zeppelin"})
		require.Contains(t, find(h.x, "zeppelin"), ordinal)
		h.x.Purge([]uint32{ordinal})
		h.o.purge(ordinal)
		require.NotContains(t, find(h.x, "zeppelin"), ordinal)
	}
	close(done)
	readers.Wait()
	require.Equal(t, h.rebuilt().Digest(), h.x.Digest())
}

func read(x *lexical.Index, w *writer) {
	q := lexical.Query{Text: w.query(), K: 10}
	switch w.rand.IntN(8) {
	case 0:
		q.AsOf = x.Live()
	case 1:
		q.Filter = w.filter(300)
	case 2:
		x.Stats()
	case 3:
		x.Weigh(q.Text)
	case 4:
		x.Digest()
	}
	for _, hit := range x.Search(q) {
		x.Explain(q.Text, hit.Ordinal)
	}
}
