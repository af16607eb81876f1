package graph_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/graph"
	"github.com/stretchr/testify/require"
)

// sorted returns a session's members as a sort would.
func sorted(members map[uint32]graph.Member, session model.Symbol) (ordinals []uint32) {
	var list []graph.Member
	for _, m := range members {
		if m.Session == session && session != 0 {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b graph.Member) int {
		return cmp.Or(cmp.Compare(a.When, b.When), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	for _, m := range list {
		ordinals = append(ordinals, m.Ordinal)
	}
	return ordinals
}

func TestSessions_CTX_1_AreSortsOfTheirMembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	s, members := graph.New(), map[uint32]graph.Member{}
	for ordinal := uint32(1); ordinal < 600; {
		var batch []graph.Member
		for range 1 + rng.IntN(4) {
			m := graph.Member{Session: model.Symbol(rng.IntN(3)), When: model.Millis(rng.IntN(50)), Ordinal: ordinal}
			batch = append(batch, m)
			members[ordinal] = m
			ordinal++
		}
		s.Add(batch)
		s.Add(batch[:1]) // again changes nothing
		if gone := rng.Uint32N(ordinal); rng.IntN(3) == 0 {
			s.Remove(members[gone])
			delete(members, gone)
		}
		allowed := roaring.New()
		for ordinal := range members {
			if rng.IntN(2) == 0 {
				allowed.Add(ordinal)
			}
		}
		for _, m := range members {
			all := sorted(members, m.Session)
			if m.Session != 0 {
				require.Equal(t, all, s.Members(m.Session))
			}
			before, after := s.Neighbours(m, 2, allowed, nil, nil)
			wantBefore, wantAfter := around(all, m.Ordinal, 2, allowed)
			require.Equal(t, wantBefore, before)
			require.Equal(t, wantAfter, after)
			break
		}
	}
	require.Empty(t, s.Members(0))
	require.Equal(t, 2, s.Len())
}

func around(all []uint32, ordinal uint32, n int, allowed *roaring.Bitmap) (before, after []uint32) {
	at := slices.Index(all, ordinal)
	if at < 0 {
		return nil, nil
	}
	for i := at - 1; i >= 0; i-- {
		if allowed.Contains(all[i]) && len(before) < n {
			before = append(before, all[i])
		}
	}
	for _, o := range all[at+1:] {
		if allowed.Contains(o) && len(after) < n {
			after = append(after, o)
		}
	}
	return before, after
}

func TestNeighbours_AllowAllWhenNothingRestricts(t *testing.T) {
	s := graph.New()
	s.Add([]graph.Member{{Session: 1, When: 1, Ordinal: 9}, {Session: 1, When: 2, Ordinal: 4}, {Session: 1, When: 3, Ordinal: 6}})
	before, after := s.Neighbours(graph.Member{Session: 1, When: 2, Ordinal: 4}, 5, nil, nil, nil)
	require.Equal(t, []uint32{9}, before)
	require.Equal(t, []uint32{6}, after)
}
