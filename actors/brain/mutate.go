package brain

import (
	"context"
	"slices"

	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/text"
	"github.com/membrain-db/membrain/vectors"
)

// mutations are the verbs that change one memory by a plain command.
var mutations = map[model.Verb]struct {
	command model.Command
	route   string
	tick    bool
}{
	model.VerbReinforce: {model.Reinforce{Cause: model.CauseReinforce}, "reinforced", true},
	model.VerbPin:       {model.Pin{}, "pinned", false},
	model.VerbUnpin:     {model.Unpin{}, "unpinned", false},
	model.VerbForget:    {model.Archive{Reason: model.ArchivedForgotten}, "archived", false},
	model.VerbRestore:   {model.Restore{}, "restored", false},
}

// Mutate runs reinforce, pin, unpin, forget or restore on one memory. Errors: *model.Error.
func (e *Engine) Mutate(ctx context.Context, c model.Caller, verb model.Verb, req model.MemoryRequest) (model.MutationReply, error) {
	how, ok := mutations[verb]
	if !ok {
		return model.MutationReply{}, model.Invalid("verb", verb.String(), "reinforce, pin, unpin, forget, restore")
	}
	if err := req.Validate(); err != nil {
		return model.MutationReply{}, err
	}
	p := &mutatePlan{e: e, caller: c, id: req.ID, revision: req.IfRevision, command: how.command}
	id := req.RequestID
	req.RequestID = ""
	return e.mutate(ctx, req.Namespace, request{verb: verb, caller: c, id: id, body: req, advances: how.tick, waits: how.tick, exact: req.IfRevision != 0}, p, how.route)
}

func (e *Engine) mutate(ctx context.Context, namespace string, r request, p plan, route string) (model.MutationReply, error) {
	leave, err := e.enter()
	if err != nil {
		return model.MutationReply{}, err
	}
	defer leave()
	if r.id, err = e.requestID(r.id); err != nil {
		return model.MutationReply{}, err
	}
	r.existing = true
	out, err := e.run(ctx, namespace, r, p)
	if err != nil {
		return model.MutationReply{}, err
	}
	return e.mutationReply(namespace, r.id, route, r.caller, out)
}

// mutatePlan sends one command to one memory.
type mutatePlan struct {
	e        *Engine
	caller   model.Caller
	id       model.MemoryID
	revision uint64 // expected version; 0 is any
	command  model.Command
}

func (p *mutatePlan) admit(b *brain, j *job) error {
	m, err := b.target(p.caller, p.id, p.revision)
	if err != nil {
		return err
	}
	if r, ok := p.command.(model.Reinforce); ok {
		task, _ := lookup(b.space, p.caller.Task)
		r.TaskMatch = task != 0 && task == m.Task.Symbol
		p.command = r
	}
	j.asks = []ask{{id: p.id, command: p.command}}
	return nil
}

// target finds the memory that a command is for, with everything in flight applied, and checks who asks and what
// revision is expected.
func (b *brain) target(c model.Caller, id model.MemoryID, revision uint64) (*model.Memory, error) {
	m, err := b.current(id)
	if err != nil {
		return nil, err
	}
	if m == nil || !b.e.viewer(b.space, c).CanSee(m) {
		return nil, noMemory(id)
	}
	if revision != 0 && revision != m.Version {
		return nil, versionConflict(revision, m.Version)
	}
	return m, nil
}

func versionConflict(want, got uint64) error {
	return model.Failure(model.CodeVersionConflict, nil, "the memory is at version %d, not %d", got, want).
		WithHint("inspect the memory and decide again")
}

func (p *mutatePlan) receipt(j *job) (model.RequestAccepted, error) {
	if err := j.got[0].Err; err != nil {
		return model.RequestAccepted{}, err
	}
	return model.RequestAccepted{Memories: []model.MemoryID{p.id}}, nil
}

// Update changes content or metadata of one memory in place. Errors: *model.Error; version_conflict when the
// expected revision is not the present one.
func (e *Engine) Update(ctx context.Context, c model.Caller, req model.UpdateRequest) (model.MutationReply, error) {
	if err := req.Validate(); err != nil {
		return model.MutationReply{}, err
	}
	id := req.RequestID
	req.RequestID = ""
	p := &updatePlan{mutatePlan: mutatePlan{e: e, caller: c, id: req.ID, revision: req.IfRevision}, req: req}
	return e.mutate(ctx, req.Namespace, request{verb: model.VerbUpdate, caller: c, id: id, body: req, exact: true}, p, "")
}

// updatePlan revises one memory; a new text is embedded first.
type updatePlan struct {
	mutatePlan
	req    model.UpdateRequest
	vector vectors.Embedding
	salt   [16]byte
	before model.Record // content before, for its context
	number model.ContentNumber
}

func (p *updatePlan) prepare(ctx context.Context, _ *job) (err error) {
	if p.req.Text == nil {
		return nil
	}
	space, ok := p.e.space(p.req.Namespace)
	if !ok {
		return noMemory(p.req.ID)
	}
	if err := p.e.checkEmbedder(space); err != nil {
		return err
	}
	state, err := space.Memory(p.req.ID)
	if err != nil {
		return memoryError(err, p.req.ID)
	}
	if !p.e.viewer(space, p.caller).CanSee(state.Memory) {
		return noMemory(p.req.ID)
	}
	p.number = state.Memory.Content.Number
	if p.before, err = space.Record(p.number); err != nil {
		return failure(err, "read the content before")
	}
	vecs, err := p.e.o.Embedder.EmbedDocuments(ctx, []string{embedText(*p.req.Text, p.before.Context)})
	if err != nil {
		return failure(err, "embed the text")
	}
	p.vector = vecs[0]
	p.salt, err = p.e.salt()
	return err
}

func (p *updatePlan) admit(b *brain, j *job) error {
	m, err := b.target(p.caller, p.id, p.revision)
	if err != nil {
		return err
	}
	cmd := model.Revise{Type: p.req.Type, Kind: p.req.Kind, Retention: p.req.Retention}
	if p.req.PolicyFlags != nil {
		flags, err := model.FlagsOf("policy_flags", *p.req.PolicyFlags)
		if err != nil {
			return err
		}
		cmd.PolicyFlags = &flags
	}
	if p.req.Tags != nil {
		cmd.Tags = b.tags(j, m, *p.req.Tags)
	}
	if p.req.Text != nil {
		cmd.Content = b.revision(j, m, p)
	}
	j.asks = []ask{{id: p.id, command: cmd}}
	return nil
}

// tags numbers new tags; a tag that was there keeps its origin.
func (b *brain) tags(j *job, m *model.Memory, texts []string) *[]model.Tag {
	tags := make([]model.Tag, 0, len(texts))
	for _, label := range texts {
		tag := model.Tag{Symbol: b.symbol(j, label), Origin: model.OriginCallerSupplied}
		if i := slices.IndexFunc(m.Tags, func(t model.Tag) bool { return t.Symbol == tag.Symbol }); i >= 0 {
			tag.Origin = m.Tags[i].Origin
		}
		tags = append(tags, tag)
	}
	return &tags
}

// revision writes the content record of a new text.
func (b *brain) revision(j *job, m *model.Memory, p *updatePlan) *model.NewContent {
	revised := *p.req.Text
	record := model.Record{
		Salt: p.salt, Text: revised, Context: p.before.Context, Fingerprint: model.Fingerprint(text.Fingerprint(revised)),
		Embeddings: b.embedded(j, p.vector),
	}
	content := b.addRecord(j, &record)
	content.OutOfLine = len(revised) > model.InlineBytesMax
	var payload model.PayloadRef
	switch {
	case content.OutOfLine:
		payload = model.PayloadRef{Number: content.Number, State: model.PayloadAttached, Bytes: content.TextBytes, Digest: content.Digest}
	case m.Content.OutOfLine:
		payload = model.PayloadRef{State: model.PayloadNone}
	}
	return &model.NewContent{Content: content, Payload: payload}
}

// mutationReply shows what a command changed; for a repeated request, from the facts that are stored.
func (e *Engine) mutationReply(namespace, id, route string, c model.Caller, out outcome) (model.MutationReply, error) {
	r := model.MutationReply{RequestID: id, Namespace: namespace, Route: route, Tick: out.at.Tick, Seq: uint64(out.seq), Changed: []string{}, Repeated: out.repeated != 0}
	if len(out.accepted.Memories) == 0 {
		return r, noMemory(model.MemoryID{})
	}
	p, err := e.proposal(namespace, c, out)
	if err != nil {
		return r, err
	}
	m := p.Next
	r.ID, r.Version, r.Lifecycle = m.ID, m.Version, m.LifecycleAt(out.at.Tick)
	r.Effective, r.Decay = m.EffectiveAt(out.at.Tick), m.DecayView(out.at.Tick, route == "reinforced")
	r.Changed = changed(p)
	if route == "" {
		r.Route = updateRoute(p)
	}
	return r, nil
}

// proposal is what a memory answered to the request. After a repeated one the state is folded from the history up to
// that commit, if the caller may still see the memory.
func (e *Engine) proposal(namespace string, c model.Caller, out outcome) (memory.Proposed, error) {
	if len(out.got) > 0 {
		return out.got[0], nil
	}
	id := out.accepted.Memories[0]
	space, state, err := e.visible(c, namespace, id)
	if err != nil {
		return memory.Proposed{}, err
	}
	return e.folded(space, id, state.Head, out.seq)
}

// updateRoute names what an update did.
func updateRoute(p memory.Proposed) string {
	route := "unchanged"
	for _, f := range p.Facts {
		revised, ok := f.(model.MemoryRevised)
		switch {
		case !ok:
		case revised.Content == nil:
			route = "amended"
		case revised.Content.Reconsolidated:
			route = "reconsolidated"
		default:
			route = "reopened_and_revised"
		}
	}
	return route
}

// changed lists the fields that the facts of a proposal set.
func changed(p memory.Proposed) []string {
	fields := []string{}
	for _, f := range p.Facts {
		for field := range model.Changes(f, func(model.Symbol) (string, bool) { return "", false }) {
			if !slices.Contains(fields, field) {
				fields = append(fields, field)
			}
		}
	}
	slices.Sort(fields)
	return fields
}
