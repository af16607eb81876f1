package projections

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors"
)

// Stats are figures for people.
type Stats struct {
	Applied     eventlog.Seq
	Tick        uint64 // sum of the namespaces' ticks
	Memories    int
	Rows        uint64 // streams in the state table
	Requests    uint64 // acknowledged requests in its index
	Unflushed   int    // rows and requests not yet in state.db
	Rebuilds    int64  // derived files made anew since Open
	Failure     error  // why the projections stand still; nil when they do not
	Quarantined []Quarantined
	Namespaces  []NamespaceStats
	Files       map[string]int64 // bytes by path below the data directory
}

// NamespaceStats are figures of one namespace.
type NamespaceStats struct {
	NamespaceInfo
	Types       map[model.MemoryType]int
	Lifecycles  map[model.Lifecycle]int
	Tiers       map[model.Tier]int
	Sessions    int
	Symbols     int
	Bitmaps     int
	BitmapBytes uint64
	Words       int // documents in the lexical index
	Terms       int
	Postings    int64
	Vectors     int // of the present embedder
	VectorBytes int64
	VectorDim   int
	Graph       vectors.Stats // of the vector index: graph nodes, levels, tombstones, tail, ef, sampled recall, fault
	Preparing   int           // vectors of the embedder in preparation
	Prints      int
	Unreadable  int // live memories whose content record cannot be read
}

// Stats counts, in time linear in the dictionaries.
func (p *Projections) Stats() Stats {
	table := p.live.table.Load().Stats()
	s := Stats{
		Applied: p.AppliedSeq(), Rows: table.Rows, Requests: table.Requests, Unflushed: table.Dirty,
		Rebuilds: p.rebuilds.Load(), Files: p.fileSizes(),
	}
	if failure := p.failed.Load(); failure != nil {
		s.Failure = *failure
	}
	for _, space := range p.live.all() {
		n, faults := space.stats()
		s.Tick += uint64(n.Tick)
		s.Memories += n.Memories
		s.Namespaces = append(s.Namespaces, n)
		s.Quarantined = append(s.Quarantined, faults...)
	}
	return s
}

func (s *Space) stats() (NamespaceStats, []Quarantined) {
	n := NamespaceStats{NamespaceInfo: NamespaceInfo{Ordinal: s.ordinal, Name: s.Name()}, Symbols: s.symbols.len()}
	s.mu.RLock()
	defer s.mu.RUnlock()
	b := s.body
	words := b.words.Stats()
	n.Tick, n.Memories = b.filters.Tick(), b.filters.Len()
	n.Types, n.Lifecycles, n.Tiers = b.filters.CountTypes(), b.filters.CountLifecycles(), b.filters.CountTiers()
	n.Bitmaps, n.BitmapBytes = b.filters.Bitmaps()
	n.Sessions, n.Prints, n.Unreadable = b.sessions.Len(), b.prints.Len(), int(b.unreadable.GetCardinality())
	n.Words, n.Terms, n.Postings = words.Docs, words.Terms, words.Postings
	if b.vectors != nil {
		v := b.vectors.Stats()
		n.Vectors, n.VectorBytes, n.VectorDim = v.Vectors, v.MemoryBytes, v.Dim
		n.Graph = v
	}
	if b.next != nil {
		n.Preparing = b.next.Len()
	}
	faults := make([]Quarantined, 0, len(b.quarantined))
	for _, q := range b.quarantined {
		faults = append(faults, q)
	}
	slices.SortFunc(faults, func(x, y Quarantined) int {
		return cmp.Or(cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Stream.String(), y.Stream.String()))
	})
	return n, faults
}

// fileSizes lists the derived files. One that vanishes meanwhile is left out.
func (p *Projections) fileSizes() map[string]int64 {
	sizes := map[string]int64{}
	paths := []string{filepath.Join(p.o.Dir, tableName)}
	for _, dir := range []string{wordsDir, vectorsDir, printsDir} {
		found, _ := filepath.Glob(p.indexPath(dir, "*"))
		paths = append(paths, found...)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if name, err := filepath.Rel(p.o.Dir, path); err == nil {
			sizes[filepath.ToSlash(name)] = info.Size()
		}
	}
	return sizes
}
