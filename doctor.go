package membrain

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/membrain-db/membrain/projections"
)

// Status is how well something is.
type Status string

// The values of Status, best first.
const (
	Healthy  Status = "healthy"
	Degraded Status = "degraded" // it serves, with less than everything
	Blocked  Status = "blocked"  // writes are refused
)

// DoctorReply is the health of the store: the worst of its checks.
type DoctorReply struct {
	Status Status  `json:"status"`
	Checks []Check `json:"checks"`
}

// Check is one look at the store.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"`
}

// Doctor looks at everything that can be looked at without reading the whole log; AuditVerify does that.
func (s *Store) Doctor(ctx context.Context) (DoctorReply, error) {
	if err := s.operatorOnly("examine the store"); err != nil {
		return DoctorReply{}, err
	}
	p := s.projections.Stats()
	out := DoctorReply{Status: Healthy, Checks: []Check{
		s.checkWriter(), s.checkProjections(p), checkContents(p), checkVectors(p), checkQuarantine(p), s.checkActors(), s.checkEmbedders(), s.checkCheckpoints(), s.checkNotices(),
	}}
	if err := ctx.Err(); err != nil {
		return out, failure(err, "examine the store")
	}
	for _, c := range out.Checks {
		if rank(c.Status) > rank(out.Status) {
			out.Status = c.Status
		}
	}
	return out, nil
}

func rank(s Status) int { return slices.Index([]Status{Healthy, Degraded, Blocked}, s) }

func (s *Store) checkWriter() Check {
	head := s.bolt.Log().Head()
	c := Check{Name: "log", Status: Healthy, Detail: fmt.Sprintf("head at commit %d", head.Seq)}
	if bad, since, cause := s.engine.Writer().Health(); bad {
		c.Status, c.Detail = Blocked, fmt.Sprintf("writes fail since %s: %v", since.UTC().Format("15:04:05"), cause)
		c.Hint = "free disk space or make the directory writable; the next write tries again"
	}
	return c
}

func (s *Store) checkProjections(p projections.Stats) Check {
	c := Check{Name: "projections", Status: Healthy, Detail: fmt.Sprintf("at commit %d of %d, %d rows", p.Applied, s.bolt.Log().Head().Seq, p.Rows)}
	if p.Failure != nil {
		c.Status, c.Detail, c.Hint = Blocked, p.Failure.Error(), "run membraind rebuild"
	}
	return c
}

// checkContents tells of texts that could not be read when they were to be indexed; reading all is AuditVerify's.
func checkContents(p projections.Stats) Check {
	c := Check{Name: "contents", Status: Healthy, Detail: "each text that was indexed could be read"}
	for _, ns := range p.Namespaces {
		if ns.Unreadable > 0 {
			c.Status, c.Hint = Degraded, "run membraind audit verify; bring the texts back from an export"
			c.Detail = fmt.Sprintf("%s: texts of %d memories cannot be read, and no search finds them", ns.Name, ns.Unreadable)
			return c
		}
	}
	return c
}

// checkVectors tells of graphs that take no more vectors, or whose sampled recall is low; searches stay right by scanning.
func checkVectors(p projections.Stats) Check {
	c := Check{Name: "vectors", Status: Healthy, Detail: "compared one by one"}
	for _, ns := range p.Namespaces {
		g := ns.Graph
		if g.GraphNodes == 0 {
			continue
		}
		c.Detail = fmt.Sprintf("%s: graph of %d nodes on %d levels, %d tombstones, %d waiting, ef %d, recall %.3f on samples",
			ns.Name, g.GraphNodes, g.Levels, g.Tombstones, g.Tail, g.Ef, g.RecallSample)
		if g.Fault != "" {
			c.Status, c.Hint = Degraded, "run membraind rebuild"
			c.Detail = fmt.Sprintf("%s: %s", ns.Name, g.Fault)
			return c
		}
	}
	return c
}

func checkQuarantine(p projections.Stats) Check {
	c := Check{Name: "streams", Status: Healthy, Detail: "none quarantined"}
	if n := len(p.Quarantined); n > 0 {
		c.Status, c.Hint = Degraded, "run membraind audit verify"
		c.Detail = fmt.Sprintf("%d quarantined, the first %s at commit %d: %s", n, p.Quarantined[0].Stream, p.Quarantined[0].Seq, p.Quarantined[0].Reason)
	}
	return c
}

func (s *Store) checkActors() Check {
	a := s.engine.Actors()
	c := Check{Name: "actors", Status: Healthy, Detail: fmt.Sprintf("%d alive, %d restarts, %d dead letters", a.Actors, a.Restarts, a.DeadLetters)}
	if a.Quarantined > 0 {
		c.Status, c.Hint = Degraded, "restart the process; if it returns, run membraind audit verify"
		c.Detail += fmt.Sprintf(", %d stopped for good", a.Quarantined)
	}
	return c
}

func (s *Store) checkEmbedders() Check {
	c := Check{Name: "embedder", Status: Healthy, Detail: s.o.Embedder.ID()}
	if foreign := s.engine.Foreign(); len(foreign) > 0 {
		c.Status, c.Hint = Degraded, "open with the embedder that they were made with, or with --reembed"
		c.Detail = fmt.Sprintf("%d namespaces, the first %s, were embedded by another one than %s", len(foreign), foreign[0], s.o.Embedder.ID())
	}
	return c
}

func (s *Store) checkCheckpoints() Check {
	metas, faults := s.snapshots.List()
	c := Check{Name: "checkpoints", Status: Healthy, Detail: fmt.Sprintf("%d", len(metas))}
	if len(faults) > 0 {
		c.Status, c.Hint = Degraded, "delete the file; a checkpoint costs time, never truth"
		c.Detail = fmt.Sprintf("%d, and %d unreadable: %v", len(metas), len(faults), faults[0])
	}
	return c
}

// checkNotices tells what went on in the background.
func (s *Store) checkNotices() Check {
	c := Check{Name: "background", Status: Healthy, Detail: "nothing to tell"}
	failed, told := s.notices.last()
	if told != "" {
		c.Detail = told
	}
	if failed {
		c.Status, c.Hint = Degraded, "see the log of this process"
	}
	return c
}

// notices keep what the background last told.
type notices struct {
	mu     sync.Mutex
	what   string
	failed bool
}

func (n *notices) add(what string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.what, n.failed = fmt.Sprintf("%s: %v", what, err), true
}

func (n *notices) tell(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.failed {
		n.what = what
	}
}

func (n *notices) last() (failed bool, told string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.failed, n.what
}

// notice takes what the projections tell.
func (h *house) notice(e projections.Event) {
	switch e.Kind {
	case projections.EventFailed:
		h.notices.add(e.What, e.Cause)
	case projections.EventRebuilt:
		h.notices.tell(fmt.Sprintf("%s of namespace %d was made anew: %v", e.What, e.Namespace, e.Cause))
	}
	if e.Cause != nil {
		h.o.Logger.Warn("projections", "event", string(e.Kind), "what", e.What, "namespace_ordinal", e.Namespace, "error", e.Cause)
	}
}
