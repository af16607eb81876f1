package bench

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

// The checksum stands in the test of internal/peers too: both draw the same vectors.
func TestClusters_AreThoseOfThePeers(t *testing.T) {
	c := newClusters()
	sum := crc32.NewIEEE()
	for range 20 {
		v, centre := c.draw()
		require.Less(t, centre, clusterCentres)
		for _, x := range v {
			require.NoError(t, binary.Write(sum, binary.LittleEndian, int32(math.Round(float64(x)*10_000))))
		}
	}
	require.Equal(t, uint32(0x384671cf), sum.Sum32())
}

func TestRecallOf_CountsWhatIsAsNearAsTheLastTrueOne(t *testing.T) {
	truth := [][]vectors.Hit{{{Key: 1, Similarity: 0.9}, {Key: 2, Similarity: 0.5}}, {{Key: 7, Similarity: 0.4}}, {}}
	got := [][]vectors.Hit{{{Key: 3, Similarity: 0.5}, {Key: 4, Similarity: 0.49}}, {{Key: 7, Similarity: 0.4}}, {}}
	require.InDelta(t, 2.0/3, recallOf(truth, got), 1e-9)
	require.Zero(t, recallOf(nil, nil))
}
