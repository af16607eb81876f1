package brain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/projections/ranking"
)

// loadMemory reads the durable state of a memory: nil when there is none.
func loadMemory(s *projections.Space, id model.MemoryID) (*model.Memory, eventlog.Seq, error) {
	state, err := s.Memory(id)
	if errors.Is(err, projections.ErrNotFound) {
		return nil, 0, nil
	}
	return state.Memory, state.Head, err
}

// memoryError turns what the state table says about an id into what a caller hears.
func memoryError(err error, id model.MemoryID) error {
	if errors.Is(err, projections.ErrNotFound) {
		return noMemory(id)
	}
	return failure(err, "read memory "+id.String())
}

// folded is a memory as a commit left it, with the facts of that commit.
func (e *Engine) folded(s *projections.Space, id model.MemoryID, head, at eventlog.Seq) (memory.Proposed, error) {
	stream := eventlog.Stream{Namespace: s.Ordinal(), Family: eventlog.FamilyMemory, ID: id}
	var facts []model.Fact // newest first
	own := 0
	for stored, err := range eventlog.Walk(context.Background(), e.o.Log, stream, head) {
		if err != nil {
			return memory.Proposed{}, failure(err, "walk the history of "+id.String())
		}
		if stored.Record.Seq > at {
			continue
		}
		fact, err := decode(stored.Fact)
		if err != nil {
			return memory.Proposed{}, err
		}
		if facts = append(facts, fact); stored.Record.Seq == at {
			own++
		}
	}
	slices.Reverse(facts)
	p := memory.Proposed{Facts: facts[len(facts)-own:]}
	for i, f := range facts {
		if i == len(facts)-own {
			p.Was = p.Next
		}
		p.Next = model.Apply(p.Next, f)
	}
	return p, nil
}

func decode(f eventlog.Fact) (model.Fact, error) {
	fact, err := codec.DecodeFact(f.Type, f.Schema, f.Body)
	if err != nil {
		return nil, failure(fmt.Errorf("%s version %d: %w: %w", f.Stream, f.Version, eventlog.ErrCorrupt, err), "read a fact")
	}
	return fact, nil
}

// visible finds a memory that the caller may see; another namespace's or another agent's private one is not found.
func (e *Engine) visible(c model.Caller, namespace string, id model.MemoryID) (*projections.Space, projections.StreamState, error) {
	space, ok := e.space(namespace)
	if !ok {
		return nil, projections.StreamState{}, noMemory(id)
	}
	state, err := space.Memory(id)
	if err != nil {
		return nil, state, memoryError(err, id)
	}
	if !e.viewer(space, c).CanSee(state.Memory) {
		return nil, state, noMemory(id)
	}
	return space, state, nil
}

// Inspect shows one memory with every field. It takes no tick. With NoPayload neither the full text nor the
// payload is read. Errors: *model.Error.
func (e *Engine) Inspect(_ context.Context, c model.Caller, req model.MemoryRequest) (model.View, error) {
	leave, err := e.enter()
	if err != nil {
		return model.View{}, err
	}
	defer leave()
	if err := req.Validate(); err != nil {
		return model.View{}, err
	}
	space, state, err := e.visible(c, req.Namespace, req.ID)
	if err != nil {
		return model.View{}, err
	}
	return e.view(space, req.Namespace, state.Memory, req.NoPayload)
}

func (e *Engine) view(s *projections.Space, namespace string, m *model.Memory, noPayload bool) (model.View, error) {
	in := model.ViewInput{Namespace: namespace, Resolve: s.Text, NoPayload: noPayload, Tick: tickOf(s), Deferred: deferredLanes()}
	record, err := s.Record(m.Content.Number)
	switch {
	case errors.Is(err, eventlog.ErrErased):
	case err != nil:
		return model.View{}, failure(err, "read the content of "+m.ID.String())
	default:
		in.Record = &record
	}
	if !noPayload && m.Payload.State == model.PayloadAttached && m.Payload.Number != m.Content.Number {
		if in.Payload, err = e.payload(s, m); err != nil {
			return model.View{}, err
		}
	}
	return m.View(in), nil
}

func (e *Engine) payload(s *projections.Space, m *model.Memory) ([]byte, error) {
	body, err := e.o.Contents.Get(s.Ordinal(), uint64(m.Payload.Number))
	if err != nil {
		return nil, failure(err, "read the payload of "+m.ID.String())
	}
	salt, payload, err := codec.DecodePayload(body)
	if err != nil {
		return nil, failure(err, "read the payload of "+m.ID.String())
	}
	if codec.PayloadDigest(salt, payload) != m.Payload.Digest {
		return nil, failure(fmt.Errorf("payload of %s: digest differs: %w", m.ID, eventlog.ErrCorrupt), "read a payload")
	}
	return payload, nil
}

// List pages through memories in the order in which they were made, or for a timeline in that of what they tell
// of. It takes no tick and reads no payload. Errors: *model.Error.
func (e *Engine) List(_ context.Context, c model.Caller, req model.ListRequest) (model.ListReply, error) {
	leave, err := e.enter()
	if err != nil {
		return model.ListReply{}, err
	}
	defer leave()
	if err := req.Validate(); err != nil {
		return model.ListReply{}, err
	}
	out := model.ListReply{Memories: []model.View{}}
	space, ok := e.space(req.Namespace)
	if !ok {
		return out, nil
	}
	ids, next, err := space.List(e.compile(space, c, req.Filter), req.Cursor, req.Limit, req.Timeline)
	if errors.Is(err, projections.ErrCursor) {
		return out, model.Invalid("cursor", req.Cursor, "the next of an earlier page of the same list")
	}
	if err != nil {
		return out, failure(err, "list memories")
	}
	for _, id := range ids {
		state, err := space.Memory(id)
		if errors.Is(err, projections.ErrQuarantined) {
			continue
		}
		if err != nil {
			return out, memoryError(err, id)
		}
		v, err := e.view(space, req.Namespace, state.Memory, true)
		if err != nil {
			return out, err
		}
		out.Memories = append(out.Memories, v)
	}
	if next != "" {
		out.Next = &next
	}
	return out, nil
}

// History returns every fact of one memory, oldest first. Errors: *model.Error.
func (e *Engine) History(ctx context.Context, c model.Caller, req model.MemoryRequest) (model.HistoryReply, error) {
	leave, err := e.enter()
	if err != nil {
		return model.HistoryReply{}, err
	}
	defer leave()
	if err := req.Validate(); err != nil {
		return model.HistoryReply{}, err
	}
	space, state, err := e.visible(c, req.Namespace, req.ID)
	if err != nil {
		return model.HistoryReply{}, err
	}
	facts, err := e.history(ctx, space, req.ID, state.Head)
	return model.HistoryReply{ID: req.ID, Facts: facts}, err
}

func (e *Engine) history(ctx context.Context, s *projections.Space, id model.MemoryID, head eventlog.Seq) ([]model.HistoryFact, error) {
	out := []model.HistoryFact{}
	stream := eventlog.Stream{Namespace: s.Ordinal(), Family: eventlog.FamilyMemory, ID: id}
	for stored, err := range eventlog.Walk(ctx, e.o.Log, stream, head) {
		if err != nil {
			return nil, failure(err, "walk the history of "+id.String())
		}
		fact, err := decode(stored.Fact)
		if err != nil {
			return nil, err
		}
		out = append(out, HistoryLine(stored.Record.Commit, stored.Fact, fact, s.Text))
	}
	slices.Reverse(out)
	return out, nil
}

// HistoryLine shows a stored fact as people read it.
func HistoryLine(commit eventlog.Commit, f eventlog.Fact, fact model.Fact, resolve model.Resolver) model.HistoryFact {
	line := model.HistoryFact{
		Seq: uint64(commit.Seq), Version: f.Version, Type: f.Type, Tick: model.Tick(commit.Tick),
		At: model.Timestamp(model.Millis(commit.TimeMillis)), CommandID: fmt.Sprintf("%x", commit.RequestDigest),
		Cause: commit.Door + "/" + commit.Verb, Changes: model.Changes(fact, resolve),
	}
	if agent, ok := resolve(model.Symbol(commit.Agent)); ok && commit.Agent != 0 {
		line.AgentID = &agent
	}
	return line
}

// Explain says why: how a query would be answered now with every stage, what a past request answered, or what one
// memory is and came from. It takes no tick and strengthens nothing. Errors: *model.Error.
func (e *Engine) Explain(ctx context.Context, c model.Caller, req model.ExplainRequest) (model.ExplainReply, error) {
	leave, err := e.enter()
	if err != nil {
		return model.ExplainReply{}, err
	}
	defer leave()
	if err := req.Validate(); err != nil {
		return model.ExplainReply{}, err
	}
	switch {
	case req.Request != "":
		return e.explainRequest(c, req)
	case !req.ID.Zero():
		return e.explainMemory(ctx, c, req)
	}
	return e.explainQuery(ctx, c, req)
}

func emptyExplain() model.ExplainReply {
	return model.ExplainReply{
		History: []model.HistoryFact{}, Stages: []model.StageTrace{}, Results: []model.RecallResult{},
		Dropped: []model.DropTrace{}, Omitted: map[string]int{},
	}
}

func (e *Engine) explainQuery(ctx context.Context, c model.Caller, req model.ExplainRequest) (model.ExplainReply, error) {
	out := emptyExplain()
	space, ok := e.space(req.Recall.Namespace)
	if !ok {
		return out, nil
	}
	req.Recall.NoReinforce, req.Recall.Explain = true, true
	p := &recallPlan{e: e, space: space, caller: c, req: req.Recall}
	reply, err := e.recallOnly(ctx, p, "")
	if err != nil {
		return out, err
	}
	out.Results, out.Omitted = append(reply.Results, reply.Nearest...), reply.Omitted
	out.Stages, out.Dropped, out.Query = p.trace.Stages, p.trace.Dropped, &p.trace.Query
	if !req.WhyNot.Zero() {
		out.WhyNot, err = e.whyNot(c, p, req.WhyNot)
	}
	return out, err
}

// whyNot names the stage that dropped a memory, or its rank and parts.
func (e *Engine) whyNot(c model.Caller, p *recallPlan, id model.MemoryID) (*model.DropTrace, error) {
	_, state, err := e.visible(c, p.req.Namespace, id)
	if err != nil {
		return nil, err
	}
	for rank, s := range p.ranked.Ranked {
		if s.ID != id {
			continue
		}
		out := &model.DropTrace{ID: id, Stage: model.DropPacking, Reason: "returned", Rank: rank + 1, Score: s.Score, Parts: partsOf(p.ranked.Parts(&s))}
		for _, d := range p.packed.dropped {
			if d.ID == id {
				out.Reason = d.Reason
			}
		}
		return out, nil
	}
	out := &model.DropTrace{ID: id, Stage: model.DropCandidates, Reason: "neither arm found it, nor is it a neighbour of what they found"}
	compiled := e.compile(p.space, c, p.req.Filter)
	p.space.Read(func(v *projections.View) {
		if o, ok := v.Ordinal(id); !ok || !v.Match(compiled).Contains(o) {
			out.Stage, out.Reason = model.DropFilter, "the filter leaves it out; it is "+state.Memory.LifecycleAt(p.tick).String()
		}
	})
	return out, nil
}

// explainRequest shows what a past recall answered, from its receipt.
func (e *Engine) explainRequest(c model.Caller, req model.ExplainRequest) (model.ExplainReply, error) {
	out := emptyExplain()
	space, ok := e.space(req.Recall.Namespace)
	if !ok {
		return out, model.NotFound("request", req.Request)
	}
	seq, ok, err := e.o.Projections.Request(space.Ordinal(), e.requestDigest(model.VerbRecall, c.Agent, req.Request))
	if err != nil {
		return out, failure(err, "look for the request")
	}
	if !ok {
		return out, model.NotFound("request", req.Request)
	}
	record, err := e.o.Log.At(seq)
	if err != nil {
		return out, failure(err, "read the receipt")
	}
	accepted, ok, err := receiptIn(record)
	if err != nil || !ok {
		return out, failure(errors.Join(err, eventlog.ErrCorrupt), "read the receipt")
	}
	p := &recallPlan{e: e, space: space, caller: c, req: req.Recall}
	reply, err := e.repeatedRecall(p, req.Request, outcome{seq: seq, at: model.Moment{Tick: accepted.Tick, Now: accepted.At}, accepted: accepted})
	if err != nil {
		return out, err
	}
	out.Request, out.Results, out.Omitted = &reply, reply.Results, reply.Omitted
	return out, nil
}

// loadItem reads a memory that a receipt names, with the score and parts of then.
func (p *recallPlan) loadItem(item model.RecallReceiptItem) (result, error) {
	r, err := p.load(item.Memory)
	r.score, r.lane = item.Score, item.Lane
	for _, part := range item.Parts {
		r.parts = append(r.parts, ranking.Part{Name: part.Name, Value: part.Value})
	}
	return r, err
}

// explainMemory shows one memory with its provenance, its decay inputs and its history.
func (e *Engine) explainMemory(ctx context.Context, c model.Caller, req model.ExplainRequest) (model.ExplainReply, error) {
	out := emptyExplain()
	space, state, err := e.visible(c, req.Recall.Namespace, req.ID)
	if err != nil {
		return out, err
	}
	v, err := e.view(space, req.Recall.Namespace, state.Memory, true)
	if err != nil {
		return out, err
	}
	out.Memory = &v
	out.History, err = e.history(ctx, space, req.ID, state.Head)
	return out, err
}
