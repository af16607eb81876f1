package hot

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/membrain-db/membrain/vectors/internal/mem"
)

const (
	// NodesMax bounds the nodes of a graph: an entry of a search's pool has 30 bits for one, a row of upper 28.
	NodesMax = 1 << 28

	linksUpper = 16 // M of the paper
	linksBase  = 32 // M0
	linksLeast = 12 // of a new node, if there are as many to choose from
	levelMax   = 7  // 16^-8 of all nodes would be higher
	efBuild    = 200

	sentinel = kernel.Sentinel
)

// Config says what a graph is for. Dim is 1 to 131,072 components; Float says that vectors are float32.
type Config struct {
	Dim     int
	Float   bool
	Seed    uint64          // of the levels
	Kernels *kernel.Kernels // nil: the fastest
	Costs   Costs           // zero: measured by Calibrate
}

// Graph is the index. See the package comment for who may call what.
type Graph struct {
	config Config
	k      kernel.Kernels
	stride int // bytes of a row of codes

	codes, scales, links, levels, upper, heads, posts, floats *mem.Chunks

	codeRows, linkRows, floatRows kernel.Rows

	entry   atomic.Uint64 // node << 8 | its level + 1; 0 while there is none
	nodes   atomic.Uint32 // slots that ever had a node: what a reader may meet
	bound   atomic.Int64  // keys
	dead    atomic.Int64  // nodes in buried, in work or to come, that lead the way without an answer
	keys    keyTable
	epochs  epochs
	changes atomic.Int64 // nodes that came or went since the last calibration
	plan    planner

	searches sync.Pool // of *search

	grave struct {
		sync.Mutex
		nodes []uint32 // dead since the last consolidation began
	}
	postings postings
	w        writer
}

// New returns an empty graph. It panics on a dimension out of range: it comes from the embedder's description.
func New(c Config) *Graph {
	if c.Dim < 1 || c.Dim > 1<<17 {
		panic(fmt.Sprintf("hot: graph of dimension %d", c.Dim))
	}
	g := &Graph{config: c, k: kernel.Best(), stride: strideOf(c)}
	if c.Kernels != nil {
		g.k = *c.Kernels
	}
	g.codes = mem.NewChunks(g.stride, NodesMax)
	g.scales = mem.NewChunks(4, NodesMax)
	g.links = mem.NewChunks(4*linksBase, NodesMax)
	g.levels = mem.NewChunks(4, NodesMax)
	g.upper = mem.NewChunks(4*linksUpper, NodesMax/4)
	g.heads = mem.NewChunks(8, NodesMax)
	g.posts = mem.NewChunks(8, NodesMax)
	if c.Float {
		g.floats = mem.NewChunks(floatRowBytes(c.Dim), NodesMax)
		g.floatRows = kernel.Rows{Chunks: g.floats.Table(), Stride: uintptr(g.floats.Stride())}
	}
	g.codeRows = kernel.Rows{Chunks: g.codes.Table(), Stride: uintptr(g.stride)}
	g.linkRows = kernel.Rows{Chunks: g.links.Table(), Stride: 4 * linksBase}
	g.searches.New = func() any { return new(search) }
	g.keys.init()
	g.plan.init(c.Costs)
	runtime.AddCleanup(g, free, g.tables())
	return g
}

func strideOf(c Config) int { return kernel.Stride(c.Dim) }

// floatRowBytes is whole blocks of the kernel and the inverse of the norm behind.
func floatRowBytes(dim int) int { return kernel.RowBytes(dim, kernel.BlockF32) + 8 }

// tables are all of them; the last is nil in the int8 form.
func (g *Graph) tables() [8]*mem.Chunks {
	return [...]*mem.Chunks{g.codes, g.scales, g.links, g.levels, g.upper, g.heads, g.posts, g.floats}
}

// free gives memory back once nothing refers to the graph: a reader does so until it ends.
func free(tables [8]*mem.Chunks) {
	for _, t := range tables {
		if t != nil {
			_ = t.Free() // only address space would be lost, and there is nobody to tell
		}
	}
}

// Len returns the number of keys.
func (g *Graph) Len() int { return int(g.bound.Load()) }

// Nodes returns the number of slots in use or free, which is what the tables hold.
func (g *Graph) Nodes() int { return int(g.nodes.Load()) }

// Dead returns the number of nodes without keys that still lead the way.
func (g *Graph) Dead() int { return int(g.dead.Load()) }

// Levels returns the number of levels; 0 for an empty graph.
func (g *Graph) Levels() int { return int(g.entry.Load() & 0xff) }

// Kernel returns the name of the kernels.
func (g *Graph) Kernel() string { return g.k.Name() }

// MemoryBytes returns what rows take up, the key table and the counts of links; what a chunk has mapped beyond its
// rows was never touched.
func (g *Graph) MemoryBytes() int64 {
	n := int64(g.nodes.Load())
	perNode := int64(g.stride + 4 + 4*linksBase + 4 + 8 + 2)
	if g.floats != nil {
		perNode += int64(g.floats.Stride())
	}
	return n*perNode + int64(g.upper.Rows())*4*linksUpper + int64(g.posts.Rows())*8 + g.keys.bytes()
}

// levelOf gives a key its level: one in sixteen is above level 0, one of sixteen of those above level 1, and so on.
// The same key has the same level in every graph with the seed.
func (g *Graph) levelOf(key uint32) int {
	return min(bits.TrailingZeros64(mix(uint64(key)^g.config.Seed<<32^g.config.Seed>>32))/4, levelMax)
}

// mix is the finaliser of splitmix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// at returns the address of a row of a table, without mem's checks: ids come from the graph.
func at(t *mem.Chunks, id uint32, stride uintptr) unsafe.Pointer {
	return unsafe.Add(t.Table()[id>>16], uintptr(id&0xffff)*stride)
}

func (g *Graph) scale(id uint32) float32 { return *(*float32)(at(g.scales, id, 4)) }

func (g *Graph) head(id uint32) *uint64 { return (*uint64)(at(g.heads, id, 8)) }

func (g *Graph) code(id uint32) []int8 {
	return unsafe.Slice((*int8)(at(g.codes, id, uintptr(g.stride))), g.stride)
}

// float returns the vector of a node and the inverse of its norm.
func (g *Graph) float(id uint32) ([]float32, *float64) {
	stride := g.floats.Stride()
	p := at(g.floats, id, uintptr(stride))
	return unsafe.Slice((*float32)(p), g.config.Dim), (*float64)(unsafe.Add(p, stride-8))
}

// place returns a node's level and its first row in upper.
func (g *Graph) place(id uint32) (level int, base uint32) {
	p := *(*uint32)(at(g.levels, id, 4))
	return int(p >> 28), p & (1<<28 - 1)
}

// list returns the slots of a node's links on one level, which the node has.
func (g *Graph) list(id uint32, level int) []uint32 {
	if level == 0 {
		return unsafe.Slice((*uint32)(at(g.links, id, 4*linksBase)), linksBase)
	}
	_, base := g.place(id)
	return unsafe.Slice((*uint32)(at(g.upper, base+uint32(level-1), 4*linksUpper)), linksUpper)
}

// start returns the entry; false while there is none.
func (g *Graph) start() (node uint32, level int, ok bool) {
	e := g.entry.Load()
	return uint32(e >> 8), int(e&0xff) - 1, e != 0
}

func (g *Graph) setStart(node uint32, level int) { g.entry.Store(uint64(node)<<8 | uint64(level+1)) }

// alive says that a node has keys.
func (g *Graph) alive(id uint32) bool { return atomic.LoadUint64(g.head(id)) != 0 }
