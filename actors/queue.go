package actors

// Sizes of a queue's ring, in messages.
const (
	ringMin  = 1  // a memory at rest has had one message at a time: 16 bytes
	ringKeep = 16 // an empty larger ring is given back
)

// queue is first in, first out. The zero queue is empty and holds no memory.
type queue struct {
	ring []any // its length is a power of two
	head uint32
	size uint32
}

func (q *queue) len() int { return int(q.size) }

func (q *queue) push(msg any) {
	if int(q.size) == len(q.ring) {
		q.grow()
	}
	q.ring[(q.head+q.size)&uint32(len(q.ring)-1)] = msg
	q.size++
}

// pop takes the oldest message; the queue must not be empty.
func (q *queue) pop() any {
	msg := q.ring[q.head]
	q.ring[q.head] = nil
	q.head = (q.head + 1) & uint32(len(q.ring)-1)
	q.size--
	if q.size == 0 && len(q.ring) > ringKeep {
		*q = queue{}
	}
	return msg
}

func (q *queue) grow() {
	ring := make([]any, max(ringMin, 2*len(q.ring)))
	n := copy(ring, q.ring[q.head:])
	copy(ring[n:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}
