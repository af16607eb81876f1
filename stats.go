package membrain

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/vectors"
)

// NamespaceReply is one namespace.
type NamespaceReply struct {
	Name     string `json:"name"`
	Tick     Tick   `json:"tick"`
	Memories int    `json:"memories"`
}

// Namespaces lists the namespaces in the order in which they were made.
func (s *Store) Namespaces(context.Context) ([]NamespaceReply, error) {
	if err := s.operatorOnly("list the namespaces"); err != nil {
		return nil, err
	}
	out := []NamespaceReply{}
	for _, ns := range s.projections.Namespaces() {
		out = append(out, NamespaceReply{ns.Name, ns.Tick, ns.Memories})
	}
	return out, nil
}

// StatsReply are figures of the whole store.
type StatsReply struct {
	DataDir     string           `json:"data_dir"`
	Tick        uint64           `json:"tick"` // sum of the namespaces' ticks
	Commits     uint64           `json:"commits"`
	Requests    uint64           `json:"requests"` // acknowledged with a receipt
	Memories    int              `json:"memories"`
	Namespaces  []NamespaceReply `json:"namespaces"`
	Types       map[string]int   `json:"types"`
	Tiers       map[string]int   `json:"tiers"`
	Lifecycle   map[string]int   `json:"lifecycle"`
	Quarantined int              `json:"quarantined"`
	Index       IndexStats       `json:"index"`
	Actors      ActorStats       `json:"actors"`
	Files       map[string]int64 `json:"files"` // bytes by path below the data directory
}

// IndexStats are figures of what is derived.
type IndexStats struct {
	AppliedSeq  uint64 `json:"applied_seq"`
	Rows        uint64 `json:"rows"`
	Unflushed   int    `json:"unflushed"`
	Rebuilds    int64  `json:"rebuilds"` // since the store was opened
	Documents   int    `json:"documents"`
	Terms       int    `json:"terms"`
	Postings    int64  `json:"postings"`
	Vectors     int    `json:"vectors"`
	VectorBytes int64  `json:"vector_bytes"`
	GraphNodes  int    `json:"graph_nodes"`  // of the namespaces with more vectors than are compared one by one
	GraphLevels int    `json:"graph_levels"` // the most of any
	Tombstones  int    `json:"graph_tombstones"`
	GraphTail   int    `json:"graph_tail"` // vectors not in the graph yet: every search scans them
	GraphEf     int    `json:"graph_ef"`   // the widest calibrated search of any
	// RecallSample is the lowest recall@10 of the calibration samples; 1 while everything is compared one by one.
	RecallSample float64 `json:"recall_sample"`
	Embedder     string  `json:"embedder"` // of this process
	Preparing    int     `json:"preparing"`
	Bitmaps      int     `json:"bitmaps"`
	BitmapBytes  uint64  `json:"bitmap_bytes"`
	Sessions     int     `json:"sessions"`
}

// ActorStats are figures of the actors.
type ActorStats struct {
	Alive       int64  `json:"alive"`
	DeadLetters uint64 `json:"dead_letters"`
	Busy        uint64 `json:"busy"`
	Panics      uint64 `json:"panics"`
	Restarts    uint64 `json:"restarts"`
	Quarantined uint64 `json:"quarantined"`
}

// Stats returns figures of the whole store.
func (s *Store) Stats(context.Context) (StatsReply, error) {
	if err := s.operatorOnly("see the store's figures"); err != nil {
		return StatsReply{}, err
	}
	p := s.projections.Stats()
	out := StatsReply{
		DataDir: s.dir, Tick: p.Tick, Commits: uint64(s.bolt.Log().Head().Seq), Requests: p.Requests, Memories: p.Memories,
		Namespaces: []NamespaceReply{}, Types: map[string]int{}, Tiers: map[string]int{}, Lifecycle: map[string]int{},
		Quarantined: len(p.Quarantined), Files: s.files(),
	}
	out.Index = IndexStats{
		AppliedSeq: uint64(p.Applied), Rows: p.Rows, Unflushed: p.Unflushed, Rebuilds: p.Rebuilds, Embedder: s.o.Embedder.ID(), RecallSample: 1,
	}
	for _, ns := range p.Namespaces {
		out.add(ns)
	}
	a := s.engine.Actors()
	out.Actors = ActorStats{a.Actors, a.DeadLetters, a.Busy, a.Panics, a.Restarts, a.Quarantined}
	return out, nil
}

func (r *StatsReply) add(ns projections.NamespaceStats) {
	r.Namespaces = append(r.Namespaces, NamespaceReply{ns.Name, ns.Tick, ns.Memories})
	for t, n := range ns.Types {
		r.Types[t.String()] += n
	}
	for t, n := range ns.Tiers {
		r.Tiers[t.String()] += n
	}
	for l, n := range ns.Lifecycles {
		r.Lifecycle[l.String()] += n
	}
	x := &r.Index
	x.Documents += ns.Words
	x.Terms += ns.Terms
	x.Postings += ns.Postings
	x.Vectors += ns.Vectors
	x.VectorBytes += ns.VectorBytes
	x.Preparing += ns.Preparing
	x.addGraph(ns.Graph)
	x.Bitmaps += ns.Bitmaps
	x.BitmapBytes += ns.BitmapBytes
	x.Sessions += ns.Sessions
}

func (x *IndexStats) addGraph(g vectors.Stats) {
	if g.GraphNodes == 0 {
		return
	}
	x.GraphNodes += g.GraphNodes
	x.Tombstones += g.Tombstones
	x.GraphTail += g.Tail
	x.GraphLevels, x.GraphEf = max(x.GraphLevels, g.Levels), max(x.GraphEf, g.Ef)
	x.RecallSample = min(x.RecallSample, g.RecallSample)
}

// files lists the data directory with sizes; what cannot be read is left out.
func (h *house) files() map[string]int64 {
	sizes := map[string]int64{}
	walk := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // a file that goes away while we look has no size
		}
		if info, err := d.Info(); err == nil {
			if name, err := filepath.Rel(h.dir, path); err == nil && !strings.HasPrefix(name, "..") {
				sizes[filepath.ToSlash(name)] = info.Size()
			}
		}
		return nil
	}
	_ = filepath.WalkDir(h.dir, walk) // walk returns no error
	return sizes
}
