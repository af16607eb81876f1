package vectors

import (
	"cmp"
	"slices"
)

// ranking keeps the best hits seen: a heap whose root is the worst of them.
type ranking struct {
	heap []Hit
	size int
}

// reset empties the ranking and sets how many hits it keeps.
func (r *ranking) reset(size int) {
	r.heap, r.size = r.heap[:0], size
}

// better orders hits: higher similarity first, then lower key (V2).
func better(a, b Hit) bool {
	if a.Similarity != b.Similarity {
		return a.Similarity > b.Similarity
	}
	return a.Key < b.Key
}

// accepts says whether offer would keep h.
func (r *ranking) accepts(h Hit) bool {
	if len(r.heap) < r.size {
		return true
	}
	return r.size > 0 && better(h, r.heap[0])
}

// offer keeps h if it is among the best so far.
func (r *ranking) offer(h Hit) {
	if r.accepts(h) {
		r.add(h)
	}
}

// add keeps h, which is accepted, in place of the worst when the ranking is full.
func (r *ranking) add(h Hit) {
	if len(r.heap) < r.size {
		r.heap = append(r.heap, h)
		r.up(len(r.heap) - 1)
		return
	}
	r.heap[0] = h
	r.down(0)
}

func (r *ranking) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !better(r.heap[parent], r.heap[i]) {
			return
		}
		r.heap[parent], r.heap[i] = r.heap[i], r.heap[parent]
		i = parent
	}
}

func (r *ranking) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.heap); child++ {
			if better(r.heap[worst], r.heap[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		r.heap[i], r.heap[worst] = r.heap[worst], r.heap[i]
		i = worst
	}
}

// hits returns the ranking in a new slice, best first.
func (r *ranking) hits() []Hit {
	out := slices.Clone(r.heap)
	slices.SortFunc(out, func(a, b Hit) int {
		if c := cmp.Compare(b.Similarity, a.Similarity); c != 0 {
			return c
		}
		return cmp.Compare(a.Key, b.Key)
	})
	return out
}
