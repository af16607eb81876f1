package snapshots

import (
	"fmt"
	"slices"
)

// Thin deletes unnamed checkpoints until at most keepMax (at least 1) of them are left, and returns how many went. The newest
// and the oldest stay; between them, the one goes whose absence leaves the smallest gap of seq to its neighbours, named ones
// included. So what is kept stays spread over the whole history, and no reader of the past is far from a checkpoint.
// Named ones are neither deleted nor counted; unreadable files are left alone.
func (s *Store) Thin(keepMax int) (removed int, err error) {
	if keepMax < 1 {
		return 0, fmt.Errorf("thin checkpoints: keep %d, want at least 1", keepMax)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	metas, _ := s.List()
	slices.Reverse(metas)
	for unnamed(metas) > keepMax {
		i := leastMissed(metas)
		if err := s.remove(metas[i]); err != nil {
			return removed, err
		}
		metas = slices.Delete(metas, i, i+1)
		removed++
	}
	if removed == 0 {
		return 0, nil
	}
	return removed, syncDir(s.dir)
}

func unnamed(metas []Meta) (n int) {
	for _, m := range metas {
		if m.Name == "" {
			n++
		}
	}
	return n
}

// leastMissed returns the unnamed checkpoint to give up; metas are oldest first and at least two are unnamed. The oldest of
// all goes only when nothing lies between it and the newest unnamed one, which never goes.
func leastMissed(metas []Meta) int {
	best, bestGap := -1, uint64(0)
	oldest, newest := -1, -1
	for i, m := range metas {
		if m.Name != "" {
			continue
		}
		if oldest < 0 {
			oldest = i
		}
		newest = i
	}
	for i := oldest + 1; i < newest; i++ {
		if metas[i].Name != "" {
			continue
		}
		gap := distance(metas[i-1], metas[i+1])
		if best < 0 || gap < bestGap {
			best, bestGap = i, gap
		}
	}
	if best < 0 {
		return oldest
	}
	return best
}

// distance counts the commits between two checkpoints. A restore starts an epoch at an earlier seq, so the later
// checkpoint may have the smaller one.
func distance(a, b Meta) uint64 {
	return max(a.Seq, b.Seq) - min(a.Seq, b.Seq)
}
