package actors

type entryState uint8

const (
	entryLive     entryState = iota
	entryStopping            // its Terminated is awaited
)

// entry is one key that a router knows.
type entry[K comparable] struct {
	key          K
	ref          Ref
	used         int64 // Unix nanoseconds
	older, newer *entry[K]
	buffered     []any // messages for the next incarnation
	held         int32
	state        entryState
	futile       uint8 // activations in a row that took no message
	listed       bool  // in the lru list
}

// lru is a list of entries by last use.
type lru[K comparable] struct {
	oldest, newest *entry[K]
}

func (l *lru[K]) toFront(e *entry[K]) {
	if l.newest == e {
		return
	}
	l.remove(e)
	e.older = l.newest
	if l.newest != nil {
		l.newest.newer = e
	} else {
		l.oldest = e
	}
	l.newest = e
	e.listed = true
}

func (l *lru[K]) remove(e *entry[K]) {
	if !e.listed {
		return
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		l.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		l.newest = e.older
	}
	e.older, e.newer = nil, nil
	e.listed = false
}
