package lexical

import (
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/text"
)

// Index is the lexical index of one namespace. One writer (Add, Remove, Purge; more of them wait
// for each other) and any number of readers may use it at once. Make one with [New] or [Load].
type Index struct {
	writer   sync.Mutex     // held by whoever changes the index, or copies it to save
	analyser *text.Analyser // the writer's
	draft    draft          // the writer's
	saving   sync.Mutex     // orders SaveFile calls: a save begun before a purge never lands after it

	mu     sync.RWMutex // readers hold it for a whole search, the writer for at most batchDocs
	dict   map[string]uint32
	terms  []posting
	free   []uint32 // ids in terms that no word uses
	lens   []uint8  // length bucket by ordinal, 0 when absent
	live   bitset   // ordinals that count; as many words as lens needs
	dead   bitset   // purged and not yet swept: hidden from every search; nil between purges
	n      int      // live documents
	sumLen int64    // their tokens, bucketed

	lengths [buckets]uint32 // constant
	scratch sync.Pool       // *scratch
}

// New returns an empty Index.
func New() *Index {
	x := &Index{
		analyser: text.NewAnalyser(),
		dict:     make(map[string]uint32),
		lengths:  lengthTable(),
	}
	x.scratch.New = func() any { return &scratch{analyser: text.NewAnalyser()} }
	return x
}

// Live returns a copy of the set of ordinals that count: added, not removed, not purged.
func (x *Index) Live() *roaring.Bitmap {
	x.mu.RLock()
	defer x.mu.RUnlock()
	live := slices.Clone(x.live)
	live.remove(x.dead)
	return roaring.FromDense(live, true)
}

// Present returns a copy of the set of ordinals that have postings: the live ones and the
// superseded ones, which only a search with AsOf or a Filter reaches.
func (x *Index) Present() *roaring.Bitmap {
	x.mu.RLock()
	defer x.mu.RUnlock()
	present := x.present()
	present.remove(x.dead)
	return roaring.FromDense(present, true)
}

func (x *Index) present() bitset {
	present := make(bitset, wordsFor(len(x.lens)))
	for ordinal, bucket := range x.lens {
		if bucket != 0 {
			present.set(uint32(ordinal))
		}
	}
	return present
}

// Stats describes an Index.
type Stats struct {
	Docs       int   // live documents, N in the formulas
	Superseded int   // removed documents whose postings stay
	Terms      int   // words in the dictionary
	Postings   int64 // pairs of word and document
	Tokens     int64 // summed length of the live documents; lengths over 40 are rounded down
}

// Stats counts under one read lock, in time linear in the dictionary.
func (x *Index) Stats() Stats {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := Stats{Docs: x.n, Terms: len(x.dict), Tokens: x.sumLen, Superseded: -x.n}
	for _, bucket := range x.lens {
		if bucket != 0 {
			s.Superseded++
		}
	}
	for i := range x.terms {
		s.Postings += int64(len(x.terms[i].docs))
	}
	return s
}
