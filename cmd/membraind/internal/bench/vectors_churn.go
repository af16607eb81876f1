package bench

import (
	"context"
	"errors"
	"slices"

	"github.com/membrain-db/membrain/vectors"
)

// churn replaces all vectors twice, one in a hundred at a time in an order that no key tells, and looks what that does to
// recall, and which vectors a search for themselves no longer finds. At a fifth of the size: it is the longest part.
func (r *runner) churn(ctx context.Context) error {
	n := r.size(20_000, 4_000)
	r.say("vectors.churn: two turnovers of %d", n)
	draw := newClusters()
	set := drawVectors(draw, n, r.size(300, 100))
	index := newIndex(vectors.FormFloat32, n, vectors.DefaultTarget)
	defer index.Close()
	if err := fillIndex(ctx, index, set.base); err != nil {
		return err
	}
	before, err := recallNow(index, set)
	if err != nil {
		return err
	}
	spent, err := processorTimeOf(func() error { return turnOver(ctx, index, set, draw, 2) })
	if err != nil {
		return err
	}
	after, err := recallNow(index, set)
	if err != nil {
		return err
	}
	r.compare("vectors.churn.recall_at_10", after, "share", n, "before", before)
	r.add("vectors.churn.changes_per_second", float64(2*n)/spent.Seconds(), "replaced/s of processor", 2*n)
	r.add("vectors.churn.not_first_by_itself", float64(notFound(index, set.base, 1)), "vectors", n)
	r.add("vectors.churn.not_found_by_itself", float64(notFound(index, set.base, n/20)), "vectors", n)
	stats := index.Stats()
	r.add("vectors.churn.tombstones", float64(stats.Tombstones), "nodes", stats.GraphNodes)
	return nil
}

// turnOver removes a vector and adds a new one under its key, times over.
func turnOver(ctx context.Context, index *vectors.Auto, set *vectorSet, draw *clusters, times int) error {
	order := draw.random.Perm(len(set.base))
	for range times {
		for i, key := range order {
			v, _ := draw.draw()
			set.base[key] = vectors.Embedding{Form: vectors.FormFloat32, Float32: v}
			if !index.Remove(uint32(key)) {
				return errors.New("a vector that was added is not there")
			}
			if err := index.Add(uint32(key), set.base[key]); err != nil {
				return err
			}
			if i%max(1, len(order)/100) == 0 {
				index.Settle()
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
		}
	}
	index.Settle()
	return nil
}

// recallNow compares the index with an exact one of the same vectors.
func recallNow(index vectors.Index, set *vectorSet) (float64, error) {
	flat, err := set.exact()
	if err != nil {
		return 0, err
	}
	var got [][]vectors.Hit
	for _, q := range set.queries {
		got = append(got, index.Search(q, nearest, nil))
	}
	return recallOf(set.truth(flat, nil), got), nil
}

// notFound counts vectors that a search for themselves does not answer among the first k. With many answers the walk is so
// wide that only what hardly anything leads to stays away.
func notFound(index vectors.Index, rows []vectors.Embedding, k int) (lost int) {
	for key, e := range rows {
		if !slices.ContainsFunc(index.Search(e, k, nil), func(h vectors.Hit) bool { return h.Key == uint32(key) }) {
			lost++
		}
	}
	return lost
}
