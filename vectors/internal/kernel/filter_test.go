package kernel_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/stretchr/testify/require"
)

// filterOracle is FilterPrefetch in other words.
func filterOracle(links []uint32, visited []uint8, epoch uint8) (fresh []uint32) {
	if end := slices.Index(links, kernel.Sentinel); end >= 0 {
		links = links[:end]
	}
	for _, id := range links {
		if int(id) < len(visited) && visited[id] != epoch {
			visited[id] = epoch
			fresh = append(fresh, id)
		}
	}
	return fresh
}

// anyRows has one chunk for every id that a test uses; the prefetch goes anywhere, which hurts nobody.
func anyRows(chunks int, stride uintptr) kernel.Rows {
	rows := kernel.Rows{Stride: stride, Chunks: make([]unsafe.Pointer, chunks)}
	for i := range rows.Chunks {
		rows.Chunks[i] = unsafe.Pointer(new([64]byte))
	}
	return rows
}

func requireFilter(t *testing.T, k kernel.Kernels, links []uint32, visited []uint8, epoch uint8, rows kernel.Rows) {
	t.Helper()
	wantVisited := slices.Clone(visited)
	want := filterOracle(links, wantVisited, epoch)
	out, check := guarded[uint32](t, len(links))
	n := k.FilterPrefetch(links, visited, epoch, rows, out)
	check()
	require.Len(t, want, n, k.Name())
	require.Equal(t, append([]uint32{}, want...), out[:n], k.Name())
	require.Equal(t, wantVisited, visited, k.Name())
	k.Prefetch(rows, out[:n])
}

func TestFilterPrefetch_EqualsTheOracle(t *testing.T) {
	r := newRand(8)
	rows := anyRows(3, 416)
	for _, k := range kernel.All() {
		visited := make([]uint8, 2<<16+1000)
		for round := range 900 {
			links := make([]uint32, round%67)
			for i := range links {
				links[i] = uint32(r.IntN(len(visited)))
				if i > 0 && r.IntN(4) == 0 {
					links[i] = links[r.IntN(i)] // twice in one list
				}
				if r.IntN(20) == 0 {
					links[i] = uint32(len(visited)) + uint32(r.IntN(1000))
				}
			}
			if len(links) > 0 && round%3 == 0 {
				links[r.IntN(len(links))] = kernel.Sentinel
			}
			requireFilter(t, k, links, visited, uint8(round/30), rows)
		}
	}
}

func TestFilterPrefetch_Edges(t *testing.T) {
	rows := anyRows(1, 64)
	end := uint32(kernel.Sentinel)
	for _, k := range kernel.All() {
		for _, links := range [][]uint32{
			nil, {end}, {end, 0}, {0}, {0, 0, 0}, {1, end, 1}, {2}, {3, 0xFFFFFFFE, 1, 0x80000000}, {0, 1, 2},
		} {
			requireFilter(t, k, links, make([]uint8, 3), 255, rows)
			requireFilter(t, k, links, []uint8{255, 0, 255}, 255, rows)
			requireFilter(t, k, links, nil, 0, rows)
			requireFilter(t, k, links, make([]uint8, 3), 0, rows)
		}
	}
}

func FuzzFilterPrefetch(f *testing.F) {
	f.Add(uint64(1), uint8(32), uint16(100), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, nodes uint16, epoch uint8) {
		r := rand.New(rand.NewPCG(seed, 2))
		visited := make([]uint8, nodes)
		for i := range visited {
			visited[i] = epoch - uint8(r.IntN(2))
		}
		links := make([]uint32, n)
		for i := range links {
			links[i] = r.Uint32N(uint32(nodes) + 5)
			if r.IntN(40) == 0 {
				links[i] = kernel.Sentinel
			}
		}
		for _, k := range kernel.All() {
			requireFilter(t, k, links, slices.Clone(visited), epoch, anyRows(1, 96))
		}
	})
}

// A writer exchanges links while readers filter: a reader sees old and new ones mixed, each of them whole.
func TestFilterPrefetch_BesideAWriter(t *testing.T) {
	const nodes, rounds = 1000, 3000
	links, rows := make([]uint32, 32), anyRows(1, 64)
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range uint32(rounds * 32) {
			next := i * 7 % nodes
			if i%50 == 0 {
				next = kernel.Sentinel
			}
			atomic.StoreUint32(&links[i%32], next)
		}
	})
	for _, k := range kernel.All() {
		visited, out := make([]uint8, nodes), make([]uint32, len(links))
		for round := range rounds {
			n := k.FilterPrefetch(links, visited, uint8(round), rows, out)
			for i, id := range out[:n] {
				require.True(t, id < nodes, "a torn link")
				require.False(t, slices.Contains(out[:i], id), "an id comes once")
			}
		}
	}
	writer.Wait()
}
