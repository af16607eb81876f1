package brain

import (
	"slices"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// plan is what one kind of request does in the brain. Its methods run in the brain's Receive.
type plan interface {
	// admit checks again what may have changed since the preparation and says what the memories are asked. An
	// error answers the caller; nothing of the request remains.
	admit(b *brain, j *job) error
	// receipt sums up the proposals. An error refuses the request: a *model.RefusedError leaves an audit fact.
	receipt(j *job) (model.RequestAccepted, error)
}

// job is one request between admission and reply.
type job struct {
	plan     plan
	verb     model.Verb
	caller   model.Caller
	digest   [16]byte // keyed digest of the request's identity; the commit carries it
	body     [16]byte // keyed digest of what was asked
	advances bool     // takes a tick
	waits    bool     // may still be refused after its tick was taken, so nothing is admitted before its proposals are in
	exact    bool     // its admission looks at the state of a memory, so it waits for every proposal before it
	promise  actors.Promise[outcome]

	at        model.Moment
	asks      []ask
	got       []memory.Proposed
	missing   int
	dead      bool // answered already; late proposals are ignored
	fate      *fate
	births    []model.MemoryEncoded // decided by the plan itself, for streams that no actor has
	own       []model.Fact          // facts of the brain's stream beside the receipt, after it
	contents  []eventlog.Content
	symbols   []eventlog.Symbol // numbered for it, or for a dropped job before it; rising
	agent     model.Symbol
	records   map[model.ContentNumber]*model.Record
	accepted  model.RequestAccepted
	commit    *eventlog.Commit
	refused   error                  // what the caller hears once the audit fact is durable
	takeBack  func()                 // undoes what admission changed in ahead, when only this job is dropped; may be nil
	repeats   []model.RequestRefused // counted refusals that its commit brings along
	followers []actors.Promise[outcome]

	contentHigh model.ContentNumber // highest numbers given out up to this job: the marks of its commit
	symbolHigh  model.Symbol
}

// fate is what became of a job. Later encodes look at it when the job itself is long gone.
type fate struct {
	seq    eventlog.Seq // 0 until submitted
	failed bool
}

// decided reports whether memories hold proposals for the job.
func (j *job) decided() bool {
	return slices.ContainsFunc(j.got, func(p memory.Proposed) bool { return len(p.Facts) > 0 })
}

// ask is one proposal that a job needs.
type ask struct {
	id      model.MemoryID
	command model.Command
	birth   *memory.Birth

	answered bool // the proposal is in
	void     bool // the memory restarted before it was: what it proposed is lost
}

// outcome is what became of a job.
type outcome struct {
	seq      eventlog.Seq
	at       model.Moment
	accepted model.RequestAccepted
	asks     []ask
	got      []memory.Proposed
	repeated eventlog.Seq // not 0: an earlier commit holds the receipt
}

// Messages of a brain.
type (
	admit struct{ job *job }
	// proposed brings a memory's answer.
	proposed struct {
		job *job
		memory.Proposed
	}
	// durable brings the writer's answer.
	durable struct {
		job *job
		eventlog.Result
	}
	// resume tries to submit again after the log's queue was full.
	resume struct{}
	// sweep passivates idle memories. Its incarnation of the brain goes on sweeping.
	sweep struct{ of *brain }
	// reserve asks the brain of an empty namespace to stand back while others write its commits: until lease is
	// given back and resume comes.
	reserve struct{ actors.Promise[struct{}] }
	// inspectBrain asks for the brain's own figures.
	inspectBrain struct {
		actors.Promise[Activity]
	}
)

// Undelivered answers a request that the brain could not take.
func (m admit) Undelivered(err error) { m.job.fail(err) }

// Undelivered answers the request whose proposal found no brain.
func (m proposed) Undelivered(err error) { m.job.fail(err) }

// Undelivered answers a request whose commit is durable but whose brain is gone: the outcome stands.
func (m durable) Undelivered(error) { m.job.answer(m.Result) }

// Undelivered does nothing: a new brain submits anew.
func (resume) Undelivered(error) {}

// Undelivered does nothing.
func (sweep) Undelivered(error) {}

// fail answers the caller and all who wait for the same request.
func (j *job) fail(err error) {
	if j.dead {
		return
	}
	j.dead, j.fate.failed = true, true
	err = failure(err, "apply the request")
	j.promise.Fail(err)
	for _, f := range j.followers {
		f.Fail(err)
	}
}

// answer gives the caller what the log said.
func (j *job) answer(r eventlog.Result) {
	switch {
	case r.Err != nil && j.refused == nil:
		j.fail(r.Err)
	case j.refused != nil:
		j.fail(j.refused)
	case !j.dead:
		j.dead = true
		out := outcome{seq: r.Seq, at: j.at, accepted: j.accepted, asks: j.asks, got: j.got}
		j.promise.Resolve(out)
		for _, f := range j.followers {
			f.Resolve(outcome{repeated: r.Seq})
		}
	}
}
