package hot

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/mem"
)

// Meta is what a stored graph needs beside its tables. Every number of it is checked by Restore.
type Meta struct {
	Nodes, Uppers, Posts, Free uint32 // rows of the tables; free slots
	Entry                      uint64
	Ef                         uint32
	VisitsPerEf, Recall        float64
	Calibrated                 uint32 // nodes at the last calibration
}

// Sections are the tables of a stored graph, in their order in a file.
const (
	sectionCodes = iota
	sectionScales
	sectionLinks
	sectionLevels
	sectionFloats
	sectionHeads
	sectionUpper
	sectionPosts
	sectionFree
	Sections
)

// Frozen is a graph at one moment, to be written. It is valid as long as the writer of links does not go on; keys may be
// taken out and bound meanwhile.
type Frozen struct {
	Meta
	g           *Graph
	heads, post []uint64
	free        []uint32
	gone        bitset
}

// Freeze copies what the writer of keys may change: neither writer runs meanwhile.
func (g *Graph) Freeze() *Frozen {
	know := g.plan.known.Load()
	f := &Frozen{g: g, gone: slices.Clone(g.w.grave.gone)}
	for _, id := range g.w.grave.nodes { // not yet out of the graph
		f.gone.remove(id)
	}
	n := g.nodes.Load()
	f.heads = make([]uint64, n)
	for id := range n {
		f.heads[id] = *g.head(id)
		if f.gone.has(id) {
			f.free = append(f.free, id)
		}
	}
	f.post = make([]uint64, g.postings.rows)
	for i := range f.post {
		f.post[i] = *g.post(uint32(i))
	}
	f.Meta = Meta{
		Nodes: n, Uppers: uint32(g.w.rows), Posts: uint32(len(f.post)), Free: uint32(len(f.free)), Entry: g.entry.Load(),
		Ef: uint32(know.ef), VisitsPerEf: know.visitsPerEf, Recall: know.recall, Calibrated: uint32(know.nodes),
	}
	return f
}

// RowBytes returns the size of a section's rows, and how many there are. Config says of which vectors.
func (m Meta) RowBytes(c Config, section int) (rowBytes, rows int64) {
	switch section {
	case sectionCodes:
		return int64(strideOf(c)), int64(m.Nodes)
	case sectionScales, sectionLevels:
		return 4, int64(m.Nodes)
	case sectionLinks:
		return 4 * linksBase, int64(m.Nodes)
	case sectionFloats:
		if c.Float {
			return int64(floatRowBytes(c.Dim)), int64(m.Nodes)
		}
		return 0, 0
	case sectionHeads:
		return 8, int64(m.Nodes)
	case sectionUpper:
		return 4 * linksUpper, int64(m.Uppers)
	case sectionPosts:
		return 8, int64(m.Posts)
	}
	return 4, int64(m.Free)
}

// AppendRows appends rows [from, to) of a section to dst, in the byte order of the machine. Free slots are zero.
func (f *Frozen) AppendRows(dst []byte, section int, from, to uint32) []byte {
	switch section {
	case sectionHeads:
		return append(dst, bytesOf(f.heads[from:to])...)
	case sectionPosts:
		return append(dst, bytesOf(f.post[from:to])...)
	case sectionFree:
		return append(dst, bytesOf(f.free[from:to])...)
	}
	t := f.g.section(section)
	for id := from; id < to; id++ {
		if section != sectionUpper && section != sectionLevels && f.gone.has(id) {
			dst = append(dst, make([]byte, t.Stride())...)
			continue
		}
		dst = append(dst, t.Bytes(id)...)
	}
	return dst
}

func (g *Graph) section(section int) *mem.Chunks {
	return [Sections]*mem.Chunks{g.codes, g.scales, g.links, g.levels, g.floats, g.heads, g.upper, g.posts, nil}[section]
}

func bytesOf[T uint32 | uint64](s []T) []byte {
	var number T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(number)))
}

// Restore makes a graph of stored sections. read fills dst with the bytes of a section from an offset on, in pieces of at most
// 65,536 rows that start at multiples of that, in their order, section after section; the graph's memory grows as they come. Errors:
// read's, the system's, or one that says what is impossible about the numbers.
func Restore(c Config, m Meta, read func(section int, offset int64, dst []byte) error) (*Graph, error) {
	if m.Nodes > NodesMax || m.Uppers > NodesMax/4 || m.Posts > NodesMax || m.Free > m.Nodes {
		return nil, fmt.Errorf("%d nodes, %d lists above level 0, %d postings, %d free slots: out of range", m.Nodes, m.Uppers, m.Posts, m.Free)
	}
	g := New(c)
	free := make([]uint32, 0, m.Free)
	for section := range Sections {
		rowBytes, rows := m.RowBytes(c, section)
		for from := int64(0); from < rows; from += mem.ChunkRows {
			n := min(rows-from, mem.ChunkRows)
			var dst []byte
			if section == sectionFree {
				free = free[:from+n]
				dst = bytesOf(free[from:])
			} else {
				t := g.section(section)
				if err := t.Grow(int(from + n)); err != nil {
					return nil, err
				}
				dst = unsafe.Slice((*byte)(t.Row(uint32(from))), n*rowBytes)
			}
			if err := read(section, from*rowBytes, dst); err != nil {
				return nil, err
			}
		}
	}
	if err := g.adoptTables(m, free); err != nil {
		return nil, err
	}
	return g, nil
}

// adoptTables makes up what is not stored, and checks everything that a search or a writer relies on.
func (g *Graph) adoptTables(m Meta, free []uint32) error {
	w := &g.w
	w.rows, g.postings.rows = int(m.Uppers), int(m.Posts)
	w.degrees = make([]uint16, m.Nodes)
	g.nodes.Store(m.Nodes)
	for _, id := range free {
		if id >= m.Nodes || !w.grave.gone.add(id) {
			return fmt.Errorf("free slot %d of %d nodes: out of range or twice", id, m.Nodes)
		}
	}
	w.free = free
	if err := g.adoptUpper(); err != nil {
		return err
	}
	for id := range m.Nodes {
		if w.grave.gone.has(id) {
			*(*uint32)(unsafe.Pointer(&g.list(id, 0)[0])) = sentinel
		} else if err := g.adoptLists(id); err != nil {
			return err
		}
	}
	if err := g.adoptKeys(); err != nil {
		return err
	}
	g.entry.Store(m.Entry)
	node, level, ok := g.start()
	if ok && (m.Entry>>8 >= uint64(m.Nodes) || w.grave.gone.has(node)) {
		return fmt.Errorf("entry %d of %d nodes", node, m.Nodes)
	}
	if own := 0; ok {
		if own, _ = g.place(node); level < 0 || level > own {
			return fmt.Errorf("entry %d on level %d, has %d", node, level, own)
		}
	}
	if !ok && g.Len() > 0 {
		return fmt.Errorf("%d keys and no entry", g.Len())
	}
	return g.adoptQuality(m)
}

func (g *Graph) adoptQuality(m Meta) error {
	if m.Ef < efMin || m.Ef > 2*efMax || !(m.VisitsPerEf >= 0 && m.VisitsPerEf < 1e9) {
		return fmt.Errorf("width %d with %v visits", m.Ef, m.VisitsPerEf)
	}
	know := *g.plan.known.Load()
	know.ef, know.visitsPerEf, know.recall, know.nodes = int(m.Ef), m.VisitsPerEf, m.Recall, int(m.Calibrated)
	g.plan.known.Store(&know)
	g.changes.Store(max(0, int64(m.Nodes)-int64(m.Calibrated)))
	return nil
}

// adoptUpper checks that no two nodes have a row of upper together, and frees the rows that none has.
func (g *Graph) adoptUpper() error {
	var taken bitset
	for id := range g.nodes.Load() {
		level, base := g.place(id)
		if level > levelMax || level > 0 && int(base)+level > g.w.rows {
			return fmt.Errorf("node %d on level %d with list %d of %d", id, level, base, g.w.rows)
		}
		for l := range uint32(level) {
			if !taken.add(base + l) {
				return fmt.Errorf("node %d: list %d is another's too", id, base+l)
			}
		}
	}
	for row := range uint32(g.w.rows) {
		if !taken.has(row) {
			g.w.uppers[1] = append(g.w.uppers[1], row)
		}
	}
	return nil
}

// adoptLists checks a node's lists (H5) and counts its links.
func (g *Graph) adoptLists(id uint32) error {
	level, _ := g.place(id)
	for l := range level + 1 {
		list := g.list(id, l)
		list = list[:lengthOf(list)]
		for i, to := range list {
			if to >= g.nodes.Load() || to == id || g.w.grave.gone.has(to) || contains(list[:i], to) {
				return fmt.Errorf("node %d level %d: link to %d", id, l, to)
			}
			if l == 0 {
				g.gain(to)
			} else if own, _ := g.place(to); own < l {
				return fmt.Errorf("node %d level %d: link to %d, which is on level %d", id, l, to, own)
			}
		}
	}
	return nil
}

// adoptKeys fills the key table, frees postings that no chain has, and buries nodes without keys.
func (g *Graph) adoptKeys() error {
	var taken bitset
	for id := range g.nodes.Load() {
		head := atomic.LoadUint64(g.head(id))
		switch {
		case g.w.grave.gone.has(id):
			if head != noKey {
				return fmt.Errorf("free slot %d has keys", id)
			}
			continue
		case head == noKey:
			g.bury(id)
			continue
		}
		for at := head; at != noKey; at = g.nextKey(at) {
			if err := g.adoptKey(uint32(at>>32), id); err != nil {
				return err
			}
			if low := uint32(at); low >= postsFrom && (int(low-postsFrom) >= g.postings.rows || !taken.add(low-postsFrom)) {
				return fmt.Errorf("node %d: posting %d of %d is out of range or another's", id, low-postsFrom, g.postings.rows)
			} else if low == noKey {
				return fmt.Errorf("node %d: its keys have no end", id)
			}
		}
	}
	for post := range uint32(g.postings.rows) {
		if !taken.has(post) {
			g.postings.free.push(post, &g.epochs)
		}
	}
	return nil
}

func (g *Graph) adoptKey(key, id uint32) error {
	if _, ok := g.keys.get(key); ok {
		return fmt.Errorf("key %d stands twice", key)
	}
	g.keys.put(key, id)
	g.bound.Add(1)
	return nil
}
