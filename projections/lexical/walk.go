package lexical

import (
	"cmp"
	"math/bits"
	"slices"
)

// windowSize is how many ordinals are scored at a time: their sums (16 KB) stay in the first
// cache. One array over all ordinals is as fast at 100,000 documents and 3.5 to 5 times slower at a million.
const windowSize = 4096

// walk scores documents a window at a time, in ascending ordinals.
//
// MaxScore: once k hits are held, the weakest words whose bounds together cannot beat the worst hit are not
// essential, because a document with only those is no hit. Documents come from the essential lists alone; the
// others are probed for each one, strongest first, while it can still become a hit.
// A later document of equal score loses to the lower ordinal, so "cannot beat" includes equality.
// Source: Turtle and Flood, Query evaluation: strategies and optimizations, 1995.
type walk struct {
	terms     []*queryTerm // strongest first
	rest      []int32      // rest[i] is the summed bound of terms[i:]
	essential int          // terms[:essential] are
	allowed   bitset
	top       top
	*scratch
}

func (w *walk) run() {
	w.essential = len(w.terms)
	for {
		from, more := w.next()
		if !more {
			return
		}
		base := from &^ (windowSize - 1)
		w.gather(from, base)
		w.settle(base)
		for w.essential > 0 && w.rest[w.essential-1] <= w.top.worst() {
			w.essential--
		}
	}
}

// next returns where the next window with something to find begins.
func (w *walk) next() (uint32, bool) {
	low, found := uint32(0), false
	for _, t := range w.terms[:w.essential] {
		if t.at < len(t.docs) && (!found || t.docs[t.at] < low) {
			low, found = t.docs[t.at], true
		}
	}
	if !found {
		return 0, false
	}
	return w.allowed.next(low)
}

// gather adds up what the essential words give to each document of the window.
func (w *walk) gather(from, base uint32) {
	for _, t := range w.terms[:w.essential] {
		t.skip(from)
		i := t.at
		for ; i < len(t.docs) && t.docs[i]-base < windowSize; i++ {
			slot := t.docs[i] - base
			w.sums[slot] += t.gains[t.codes[i]]
			w.touched[slot>>6] |= 1 << (slot & 63)
		}
		t.at = i
	}
}

// settle offers the allowed documents of the window and leaves sums and touched at zero.
func (w *walk) settle(base uint32) {
	for i, word := range w.touched {
		if word == 0 {
			continue
		}
		w.touched[i] = 0
		allowed := w.allowed[int(base>>6)+i]
		for ; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			slot := i<<6 + bit
			sum := w.sums[slot]
			w.sums[slot] = 0
			if allowed>>bit&1 == 1 {
				w.offer(base+uint32(slot), sum)
			}
		}
	}
}

func (w *walk) offer(ordinal uint32, sum int32) {
	worst := w.top.worst()
	for i := w.essential; i < len(w.terms); i++ {
		if sum+w.rest[i] <= worst {
			return
		}
		t := w.terms[i]
		t.skip(ordinal)
		if t.at < len(t.docs) && t.docs[t.at] == ordinal {
			sum += t.gains[t.codes[t.at]]
		}
	}
	if sum > worst {
		w.top.push(Hit{Ordinal: ordinal, Score: sum})
	}
}

// skip moves to the first posting at or after ordinal, in steps that double.
func (t *queryTerm) skip(ordinal uint32) {
	low := t.at
	if low >= len(t.docs) || t.docs[low] >= ordinal {
		return
	}
	step := 1
	for low+step < len(t.docs) && t.docs[low+step] < ordinal {
		low += step
		step <<= 1
	}
	high := min(low+step, len(t.docs))
	i, _ := slices.BinarySearch(t.docs[low+1:high], ordinal)
	t.at = low + 1 + i
}

// top is the best k hits so far, a heap with the worst one first.
type top struct {
	k    int
	hits []Hit
}

// worst returns the score that a further hit has to beat.
func (h *top) worst() int32 {
	if len(h.hits) < h.k {
		return 0
	}
	return h.hits[0].Score
}

func (a Hit) compare(b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Ordinal, b.Ordinal))
}

func (h *top) push(hit Hit) {
	if len(h.hits) == h.k {
		h.hits[0] = hit
		h.sink()
		return
	}
	h.hits = append(h.hits, hit)
	for i := len(h.hits) - 1; i > 0; {
		parent := (i - 1) / 2
		if h.hits[i].compare(h.hits[parent]) <= 0 {
			return
		}
		h.hits[i], h.hits[parent] = h.hits[parent], h.hits[i]
		i = parent
	}
}

func (h *top) sink() {
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.hits); child++ {
			if h.hits[child].compare(h.hits[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h.hits[i], h.hits[worst] = h.hits[worst], h.hits[i]
		i = worst
	}
}

// sorted returns the hits in a slice of their own, best first.
func (h *top) sorted() []Hit {
	if len(h.hits) == 0 {
		return nil
	}
	slices.SortFunc(h.hits, Hit.compare)
	return slices.Clone(h.hits)
}
