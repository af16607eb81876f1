package cold

import "context"

// The order in which vectors lie in a file decides how many pages a search touches. Vectors are placed one by one: next
// comes the one with the most relations to the last orderWindow placed, where a link in either direction counts one and each
// common vector with links to both counts one. Wei, Yu, Lu and Lin, "Speedup graph processing by graph ordering" (Gorder),
// SIGMOD 2016.
const (
	orderWindow    = 16
	orderParentMax = 64 // vectors with links to one that are looked at; hubs have thousands
)

// localityOrder returns the vectors in the order of the file.
func localityOrder(ctx context.Context, g *graph) ([]uint32, error) {
	o := orderer{graph: g, parents: parentsOf(g), queue: newScoreQueue(g.len())}
	order := make([]uint32, 0, g.len())
	for len(order) < g.len() {
		if len(order)%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		next := o.queue.pop()
		order = append(order, next)
		o.relate(next, 1)
		if old := len(order) - 1 - orderWindow; old >= 0 {
			o.relate(order[old], -1)
		}
	}
	return order, nil
}

type orderer struct {
	graph   *graph
	parents parents
	queue   *scoreQueue
}

// relate changes the scores of all that have relations to one.
func (o *orderer) relate(one uint32, by int32) {
	for _, child := range o.graph.of(one) {
		o.queue.change(child, by)
	}
	above := o.parents.of(one)
	for _, parent := range above[:min(len(above), orderParentMax)] {
		o.queue.change(parent, by)
		for _, sibling := range o.graph.of(parent) {
			o.queue.change(sibling, by)
		}
	}
}

// parents has, for every vector, those with links to it.
type parents struct {
	starts []uint32
	all    []uint32
}

func (p *parents) of(i uint32) []uint32 { return p.all[p.starts[i]:p.starts[i+1]] }

func parentsOf(g *graph) parents {
	p := parents{starts: make([]uint32, g.len()+2)}
	for i := range g.len() {
		for _, link := range g.of(uint32(i)) {
			p.starts[link+2]++
		}
	}
	for i := 2; i < len(p.starts); i++ {
		p.starts[i] += p.starts[i-1]
	}
	p.all = make([]uint32, p.starts[len(p.starts)-1])
	for i := range g.len() {
		for _, link := range g.of(uint32(i)) {
			p.all[p.starts[link+1]] = uint32(i)
			p.starts[link+1]++
		}
	}
	p.starts = p.starts[:g.len()+1]
	return p
}

// scoreQueue holds what is not placed yet, in one list for each score above zero; what has none comes last, in order of its
// id.
type scoreQueue struct {
	score      []int32
	next, last []int32 // neighbours in the list of the same score, -1 at its ends
	heads      []int32 // by score
	best       int32
	placed     []bool
	cursor     uint32
}

func newScoreQueue(n int) *scoreQueue {
	return &scoreQueue{
		score: make([]int32, n), next: make([]int32, n), last: make([]int32, n),
		heads: []int32{-1}, placed: make([]bool, n),
	}
}

// pop takes the best out.
func (q *scoreQueue) pop() uint32 {
	for q.best > 0 && q.heads[q.best] < 0 {
		q.best--
	}
	var id uint32
	if q.best > 0 {
		id = uint32(q.heads[q.best])
		q.unlink(id)
	} else {
		for q.placed[q.cursor] {
			q.cursor++
		}
		id = q.cursor
	}
	q.placed[id] = true
	return id
}

func (q *scoreQueue) change(id uint32, by int32) {
	if q.placed[id] {
		return
	}
	if q.score[id] > 0 {
		q.unlink(id)
	}
	if q.score[id] += by; q.score[id] > 0 {
		q.link(id)
	}
}

func (q *scoreQueue) link(id uint32) {
	score := q.score[id]
	for int(score) >= len(q.heads) {
		q.heads = append(q.heads, -1)
	}
	head := q.heads[score]
	q.next[id], q.last[id] = head, -1
	if head >= 0 {
		q.last[head] = int32(id)
	}
	q.heads[score] = int32(id)
	q.best = max(q.best, score)
}

func (q *scoreQueue) unlink(id uint32) {
	before, after := q.last[id], q.next[id]
	if before >= 0 {
		q.next[before] = after
	} else {
		q.heads[q.score[id]] = after
	}
	if after >= 0 {
		q.last[after] = before
	}
}
