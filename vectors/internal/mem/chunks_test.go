package mem_test

import (
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/membrain-db/membrain/vectors/internal/mem"
	"github.com/stretchr/testify/require"
)

func newChunks(t testing.TB, stride, rowsMax int) *mem.Chunks {
	c := mem.NewChunks(stride, rowsMax)
	t.Cleanup(func() { require.NoError(t, c.Free()) })
	return c
}

func TestChunks_RowsStayWhereTheyAre(t *testing.T) {
	for _, stride := range []int{1, 4, 31, 128, 416} {
		c := newChunks(t, stride, 3*mem.ChunkRows-5)
		require.Len(t, c.Table(), 3)
		places := map[uint32]unsafe.Pointer{}
		table := c.Table()
		for _, rows := range []int{1, 2, mem.ChunkRows, mem.ChunkRows + 1, 3*mem.ChunkRows - 5} {
			require.NoError(t, c.Grow(rows))
			require.Equal(t, rows, c.Rows())
			last := uint32(rows - 1)
			require.Equal(t, make([]byte, stride), c.Bytes(last), "a new row is zero")
			for i := range c.Bytes(last) {
				c.Bytes(last)[i] = byte(rows + i)
			}
			places[last] = c.Row(last)
		}
		for id, place := range places {
			require.Equal(t, place, c.Row(id))
			require.Equal(t, place, unsafe.Add(table[id>>16], int(id&0xffff)*stride))
			for i, b := range c.Bytes(id) {
				require.Equal(t, byte(int(id)+1+i), b)
			}
		}
		require.NoError(t, c.Grow(5))
		require.Equal(t, 3*mem.ChunkRows-5, c.Rows(), "growing does not shrink")
	}
}

func TestChunks_NeighboursDoNotOverlap(t *testing.T) {
	c := newChunks(t, 12, 2*mem.ChunkRows)
	require.NoError(t, c.Grow(2*mem.ChunkRows))
	for id := range uint32(2 * mem.ChunkRows) {
		binary.LittleEndian.PutUint64(c.Bytes(id), uint64(id))
		binary.LittleEndian.PutUint32(c.Bytes(id)[8:], ^id)
	}
	for id := range uint32(2 * mem.ChunkRows) {
		require.EqualValues(t, id, binary.LittleEndian.Uint64(c.Bytes(id)))
		require.EqualValues(t, ^id, binary.LittleEndian.Uint32(c.Bytes(id)[8:]))
	}
}

func TestChunks_RefusesMoreThanTheMost(t *testing.T) {
	c := newChunks(t, 8, 10)
	require.NoError(t, c.Grow(10))
	require.ErrorIs(t, c.Grow(11), mem.ErrRowsMax)
	require.Equal(t, 10, c.Rows())
	require.Equal(t, 10, c.RowsMax())
	require.Equal(t, 8, c.Stride())
	require.Panics(t, func() { c.Row(1 << 16) })
	for _, bad := range [][2]int{{0, 1}, {-1, 1}, {1<<20 + 1, 1}, {1, 0}, {1, math.MaxUint32 + 1}} {
		require.Panics(t, func() { mem.NewChunks(bad[0], bad[1]) }, "%v", bad)
	}
	require.Panics(t, func() { mem.NewChunks(8, 1<<17).Row(1 << 16) }, "a chunk that does not exist yet")
}

func TestChunks_FreeAndGrowAgain(t *testing.T) {
	c := mem.NewChunks(64, 1<<20)
	require.NoError(t, c.Free())
	require.NoError(t, c.Grow(100_000))
	require.EqualValues(t, 2*64*mem.ChunkRows, c.MappedBytes())
	c.Bytes(99_999)[3] = 1
	require.NoError(t, c.Free())
	require.Zero(t, c.MappedBytes())
	require.Zero(t, c.Rows())
	for _, p := range c.Table() {
		require.True(t, p == nil)
	}
	require.Panics(t, func() { c.Row(0) })
	require.NoError(t, c.Free())
	require.NoError(t, c.Grow(100_000))
	require.Equal(t, make([]byte, 64), c.Bytes(99_999), "memory comes back as zeros")
	require.NoError(t, c.Free())
}

func TestRowOf_SeesTheSameBytes(t *testing.T) {
	c := newChunks(t, 128, 100)
	require.NoError(t, c.Grow(100))
	links := mem.RowOf[uint32](c, 7)
	require.Len(t, links, 32)
	links[1] = 0x04030201
	require.Equal(t, []byte{1, 2, 3, 4}, c.Bytes(7)[4:8])
	require.Len(t, mem.RowOf[int8](c, 7), 128)
	require.Len(t, mem.RowOf[uint64](c, 7), 16)
}

// One writer grows and publishes, readers follow: what the race detector watches.
func TestChunks_ReadersBesideTheWriter(t *testing.T) {
	c := newChunks(t, 8, 4*mem.ChunkRows)
	var published atomic.Uint32 // rows that readers may see
	var readers sync.WaitGroup
	const rows = 3*mem.ChunkRows + 10
	for range 3 {
		readers.Go(func() {
			for seen := uint32(0); seen < rows; {
				seen = published.Load()
				for id := range min(seen, 2) {
					if got := mem.RowOf[uint64](c, id)[0]; got != uint64(id)+1 {
						t.Errorf("row %d holds %d", id, got)
						return
					}
				}
				if seen > 0 && mem.RowOf[uint64](c, seen-1)[0] != uint64(seen) {
					t.Errorf("row %d of %d usable ones holds %d", seen-1, c.Rows(), mem.RowOf[uint64](c, seen-1)[0])
					return
				}
			}
		})
	}
	for id := range uint32(rows) {
		if err := c.Grow(int(id) + 1); err != nil {
			t.Error(err)
			break
		}
		mem.RowOf[uint64](c, id)[0] = uint64(id) + 1
		published.Store(id + 1)
	}
	published.Store(rows)
	readers.Wait()
}
