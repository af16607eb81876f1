package cold

import (
	"cmp"
	"slices"
)

// found is a vector and its similarity.
type found struct {
	similarity float32
	key        uint32
	node       uint32
}

// better orders what was found: higher similarity first, then lower key.
func better(a, b found) bool {
	if a.similarity != b.similarity {
		return a.similarity > b.similarity
	}
	return a.key < b.key
}

// ranking keeps the best that was found: a heap whose root is the worst of them.
type ranking struct {
	heap []found
	size int
}

func (r *ranking) reset(size int) { r.heap, r.size = r.heap[:0], size }

// offer keeps f if it is among the best so far.
func (r *ranking) offer(f found) {
	if len(r.heap) < r.size {
		r.heap = append(r.heap, f)
		r.up(len(r.heap) - 1)
		return
	}
	if r.size > 0 && better(f, r.heap[0]) {
		r.heap[0] = f
		r.down()
	}
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

func (r *ranking) down() {
	for i := 0; ; {
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

// sort puts the best first. Nothing may be offered afterwards.
func (r *ranking) sort() {
	slices.SortFunc(r.heap, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(a.key, b.key))
	})
}
