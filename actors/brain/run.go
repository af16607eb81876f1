package brain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// request is what identifies a request to be run.
type request struct {
	verb     model.Verb
	caller   model.Caller
	id       string // request id
	body     any    // what was asked, without the request id; its keyed digest tells a retry from a misuse
	advances bool
	waits    bool
	exact    bool
	existing bool // the namespace must exist
}

// preparer is a plan with slow work to do on the caller's goroutine, before admission.
type preparer interface {
	prepare(ctx context.Context, j *job) error
}

// run takes a request through prepare, admission and commit.
func (e *Engine) run(ctx context.Context, namespace string, r request, p plan) (outcome, error) {
	j, err := e.newJob(r, p)
	if err != nil {
		return outcome{}, err
	}
	if out, ok, err := e.repeated(namespace, j); ok || err != nil {
		return out, err
	}
	if w, ok := p.(preparer); ok {
		if err := e.prepare(ctx, j, w); err != nil {
			return outcome{}, err
		}
	}
	h, err := e.brainOf(ctx, namespace, !r.existing)
	if err != nil {
		return outcome{}, err
	}
	j.promise = e.outcome.New()
	if err := h.ref.Tell(admit{j}); err != nil {
		if errors.Is(err, actors.ErrStopped) {
			e.forget(h)
		}
		j.promise.Fail(err)
	}
	out, err := j.promise.Wait(ctx)
	if err != nil {
		return outcome{}, failure(err, "wait for the commit")
	}
	if out.repeated != 0 {
		return e.receiptAt(out.repeated, j)
	}
	return out, nil
}

func (e *Engine) newJob(r request, p plan) (*job, error) {
	body, err := json.Marshal(r.body)
	if err != nil {
		return nil, failure(err, "digest the request")
	}
	return &job{
		plan: p, fate: &fate{}, verb: r.verb, caller: r.caller, advances: r.advances, waits: r.waits, exact: r.exact,
		digest: e.requestDigest(r.verb, r.caller.Agent, r.id),
		body:   codec.KeyedDigest(e.secret, "body", string(body)),
	}, nil
}

func (e *Engine) requestDigest(v model.Verb, agent, id string) [16]byte {
	return codec.KeyedDigest(e.secret, "request", v.String(), agent, id)
}

func (e *Engine) prepare(ctx context.Context, j *job, w preparer) error {
	done, err := e.work(ctx)
	if err != nil {
		return err
	}
	defer done()
	return w.prepare(ctx, j)
}

// repeated answers a request that was acknowledged before.
func (e *Engine) repeated(namespace string, j *job) (outcome, bool, error) {
	space, ok := e.space(namespace)
	if !ok {
		return outcome{}, false, nil
	}
	seq, ok, err := e.o.Projections.Request(space.Ordinal(), j.digest)
	if !ok || err != nil {
		return outcome{}, false, failure(err, "look for an earlier answer")
	}
	out, err := e.receiptAt(seq, j)
	return out, true, err
}

// receiptAt reads the receipt in a commit and checks that the same was asked.
func (e *Engine) receiptAt(seq eventlog.Seq, j *job) (outcome, error) {
	record, err := e.o.Log.At(seq)
	if err != nil {
		return outcome{}, failure(err, "read the receipt")
	}
	accepted, ok, err := receiptIn(record)
	switch {
	case err != nil:
		return outcome{}, failure(err, "read the receipt")
	case !ok:
		return outcome{}, failure(fmt.Errorf("commit %d holds no receipt: %w", seq, eventlog.ErrCorrupt), "read the receipt")
	case accepted.BodyDigest != j.body:
		return outcome{}, duplicateRequest()
	}
	at := model.Moment{Tick: accepted.Tick, Now: accepted.At}
	return outcome{seq: seq, at: at, accepted: accepted, repeated: seq}, nil
}

func receiptIn(record eventlog.Record) (model.RequestAccepted, bool, error) {
	for _, f := range record.Facts {
		if f.Stream.Family != eventlog.FamilyBrain {
			continue
		}
		fact, err := codec.DecodeFact(f.Type, f.Schema, f.Body)
		if err != nil {
			return model.RequestAccepted{}, false, err
		}
		if accepted, ok := fact.(model.RequestAccepted); ok {
			return accepted, true, nil
		}
	}
	return model.RequestAccepted{}, false, nil
}

// requestID returns the id given, or a new one.
func (e *Engine) requestID(given string) (string, error) {
	if given == "" {
		return e.o.NewID().String(), nil
	}
	if len(given) > model.RequestIDBytesMax {
		return "", model.TooLarge("request_id", len(given), model.RequestIDBytesMax)
	}
	if !utf8.ValidString(given) || strings.ContainsFunc(given, control) {
		return "", model.Invalid("request_id", given, "valid UTF-8 without control characters")
	}
	return given, nil
}

func control(r rune) bool { return r < ' ' || r == 0x7f }

// paramsOf returns the parameters of a namespace, or those that it would be made with.
func (e *Engine) paramsOf(namespace string) model.Params {
	if space, ok := e.space(namespace); ok {
		if b := space.Brain(); b != nil && b.Version > 0 {
			return b.Params
		}
	}
	return e.o.Params
}

// viewer is the caller as the namespace's policy sees it. An agent that the namespace has never heard of sees
// what nobody in particular and what is shared.
func (e *Engine) viewer(s *projections.Space, c model.Caller) model.Viewer {
	agent, ok := lookup(s, c.Agent)
	if !ok && c.Agent != "" {
		agent = unknownAgent
	}
	return model.Viewer{Agent: agent, Operator: c.Operator}
}

// lookup finds a string's symbol; a namespace without a commit has none.
func lookup(s *projections.Space, text string) (model.Symbol, bool) {
	if s == nil || text == "" {
		return 0, false
	}
	return s.Lookup(text)
}

// compile resolves a filter for a caller at the namespace's present tick.
func (e *Engine) compile(s *projections.Space, c model.Caller, f model.Filter) projections.Compiled {
	return s.Compile(f, e.viewer(s, c), tickOf(s))
}

// tickOf returns the present tick of a namespace; 0 when its own stream is quarantined from the first fact on.
func tickOf(s *projections.Space) model.Tick {
	if b := s.Brain(); b != nil {
		return b.Tick
	}
	return 0
}

// unknownAgent is a symbol that no namespace gives out.
const unknownAgent = ^model.Symbol(0)
