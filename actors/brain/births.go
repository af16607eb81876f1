package brain

import (
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors"
)

// birthsMax is the number of recent encodes that a new one is compared with at admission.
const birthsMax = 1024

// births are the encodes accepted most recently, so that one prepared on an older view still finds them.
type births struct {
	ring      []bornMemory
	next      int
	forgotten eventlog.Seq // highest commit of an encode that the ring does not hold
}

// bornMemory is what a later encode is compared with.
type bornMemory struct {
	id          model.MemoryID
	family      model.MemoryID
	fingerprint model.Fingerprint
	vector      vectors.Embedding
	fate        *fate // its seq tells whether a view holds it
	visibility  model.Visibility
	agent       string
}

func (r *births) add(m bornMemory) {
	if len(r.ring) < birthsMax {
		r.ring = append(r.ring, m)
		return
	}
	r.forgotten = max(r.forgotten, r.ring[r.next].fate.seq)
	r.ring[r.next] = m
	r.next = (r.next + 1) % birthsMax
}

// covers reports whether a view at seq and the ring together hold every encode accepted so far.
func (r *births) covers(seq eventlog.Seq) bool { return seq >= r.forgotten }

// since calls yield with the encodes that a view at seq does not hold, oldest first.
func (r *births) since(seq eventlog.Seq, yield func(*bornMemory)) {
	for i := range r.ring {
		m := &r.ring[(r.next+i)%len(r.ring)]
		if !m.fate.failed && (m.fate.seq == 0 || m.fate.seq > seq) {
			yield(m)
		}
	}
}

// visibleTo reports whether a caller may learn of the memory through the answer to its own encode (GOV-5).
func (m *bornMemory) visibleTo(c model.Caller) bool {
	return c.Operator || m.visibility != model.Private || m.agent == "" || m.agent == c.Agent
}
