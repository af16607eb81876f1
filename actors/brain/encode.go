package brain

import (
	"context"

	"github.com/membrain-db/membrain/actors/memory"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/vectors"
)

// Encode remembers one thing. When it returns without an error the memory is durable and recall finds it. A retry
// with the same request id answers what the first one did. Errors: *model.Error of every code but corrupt.
func (e *Engine) Encode(ctx context.Context, c model.Caller, req model.EncodeRequest) (model.EncodeReply, error) {
	leave, err := e.enter()
	if err != nil {
		return model.EncodeReply{}, err
	}
	defer leave()
	id, err := e.requestID(req.RequestID)
	if err != nil {
		return model.EncodeReply{}, err
	}
	req.RequestID = ""
	return e.encode(ctx, c, req, id)
}

func (e *Engine) encode(ctx context.Context, c model.Caller, req model.EncodeRequest, id string) (model.EncodeReply, error) {
	if c.Handle == "" {
		c.Handle = "request/" + id
	}
	env, err := model.Normalise(req, c, e.paramsOf(req.Namespace))
	if err != nil {
		return model.EncodeReply{}, err
	}
	p := &encodePlan{e: e, env: env, caller: c}
	out, err := e.run(ctx, env.Namespace, request{verb: model.VerbEncode, caller: c, id: id, body: req, advances: true}, p)
	if err != nil {
		return model.EncodeReply{}, err
	}
	return e.encodeReply(env.Namespace, id, out)
}

// encodePlan makes one memory, or records that attention did not admit it.
type encodePlan struct {
	e      *Engine
	env    model.Envelope
	caller model.Caller
	vector vectors.Embedding
	salts  [2][16]byte
	short  shortlist
	params model.Params
}

// shortlist is what the similarity search found in the view at seq.
type shortlist struct {
	seq      eventlog.Seq
	findings model.Findings
}

func (p *encodePlan) prepare(ctx context.Context, j *job) error {
	p.params = p.e.paramsOf(p.env.Namespace)
	if p.env.Discard(p.params) {
		j.advances = false
		return nil
	}
	space, ok := p.e.space(p.env.Namespace)
	if ok {
		if err := p.e.checkEmbedder(space); err != nil {
			return err
		}
	}
	vecs, err := p.e.o.Embedder.EmbedDocuments(ctx, []string{embedText(p.env.Texts())})
	if err != nil {
		return failure(err, "embed the text")
	}
	p.vector = vecs[0]
	for i := range p.salts {
		if p.salts[i], err = p.e.salt(); err != nil {
			return failure(err, "draw a salt")
		}
	}
	if ok {
		p.short = p.e.shortlist(space, p.caller, p.env.Fingerprint(), p.vector, p.params)
	}
	return nil
}

// embedText is what is embedded and indexed of a memory: its text with what surrounds it.
func embedText(text, context string) string {
	if context == "" {
		return text
	}
	return text + "\n" + context
}

// shortlist searches for equal text and the nearest vectors among what the caller may see (GOV-5).
func (e *Engine) shortlist(s *projections.Space, c model.Caller, fp model.Fingerprint, v vectors.Embedding, params model.Params) shortlist {
	var out shortlist
	allowed := e.compile(s, c, model.Filter{Include: []model.Lifecycle{model.Superseded}})
	viewer := e.viewer(s, c)
	s.Read(func(view *projections.View) {
		out.seq = view.Seq
		match := view.Match(allowed)
		hits := view.Vector(v, int(params.Encode.ShortlistMax), match)
		out.findings.Inspected = uint32(len(hits))
		if len(hits) > 0 {
			out.findings.NearestSimilarity = float64(hits[0].Similarity)
		}
		if twins := view.FingerprintOrdinals(fp, match); len(twins) > 0 {
			out.findings.Family = familyIn(view, viewer, view.Hot(twins[0]))
		}
	})
	return out
}

// familyIn is the family that an equal text joins: the twin's, or when the viewer may not see the memory that gave
// it its id, one that begins with the twin (GOV-5).
func familyIn(view *projections.View, viewer model.Viewer, twin *projections.Hot) model.MemoryID {
	if o, ok := view.Ordinal(twin.Family); ok {
		if first := view.Hot(o); viewer.Sees(first.Visibility, first.Agent) {
			return twin.Family
		}
	}
	return twin.ID
}

func familyOf(id, family model.MemoryID) model.MemoryID {
	if family.Zero() {
		return id
	}
	return family
}

func (p *encodePlan) admit(b *brain, j *job) error {
	if p.env.Discard(p.params) {
		return nil
	}
	if err := b.references(p.caller, &p.env); err != nil {
		return err
	}
	id := b.e.o.NewID()
	cmd := p.env.Command(id, func(s string) model.Symbol { return b.symbol(j, s) })
	cmd.Findings = b.compare(p)
	content, payload := b.contentOf(j, p)
	j.asks = []ask{{id: id, birth: &memory.Birth{Encode: cmd, Content: content, Payload: payload}}}
	b.births.add(bornMemory{
		id: id, family: cmd.Findings.Family, fingerprint: p.env.Fingerprint(), vector: p.vector, fate: j.fate,
		visibility: p.env.Visibility, agent: p.env.Agent.Text,
	})
	return nil
}

// references refuses ids that are not in this namespace or that the caller may not see.
func (b *brain) references(c model.Caller, env *model.Envelope) error {
	for _, r := range referencesOf(env) {
		m, err := b.current(r.id)
		if err != nil {
			return err
		}
		if m == nil || !b.e.viewer(b.space, c).CanSee(m) {
			return model.NotFound(r.field, r.id.String())
		}
	}
	return nil
}

// reference is a memory that an encode names.
type reference struct {
	field string
	id    model.MemoryID
}

func referencesOf(env *model.Envelope) (out []reference) {
	add := func(field string, ids []model.MemoryID) {
		for _, id := range ids {
			out = append(out, reference{field, id})
		}
	}
	add("lineage", env.Lineage)
	add("goals", env.Goals)
	add("endpoints", env.Endpoints)
	return out
}

// current is a memory with everything in flight applied; nil when there is none.
func (b *brain) current(id model.MemoryID) (*model.Memory, error) {
	if t := b.touched[id]; t != nil {
		return t.head, nil
	}
	m, _, err := b.load(id)
	return m, err
}

// compare completes the findings by the encodes accepted since the search; when too many came to remember, it
// searches again.
func (b *brain) compare(p *encodePlan) model.Findings {
	if !b.births.covers(p.short.seq) && b.space != nil {
		p.short = b.e.shortlist(b.space, p.caller, p.env.Fingerprint(), p.vector, p.params)
	}
	f := p.short.findings
	fp := p.env.Fingerprint()
	b.births.since(p.short.seq, func(m *bornMemory) {
		if !m.visibleTo(p.caller) {
			return
		}
		similarity := float64(vectors.Cosine(p.vector, m.vector))
		if f.Inspected == 0 || similarity > f.NearestSimilarity {
			f.NearestSimilarity = similarity
		}
		f.Inspected++
		if f.Family.Zero() && m.fingerprint == fp {
			f.Family = b.familyOf(p.caller, m)
		}
	})
	f.PatternSeparated = f.Family.Zero() && f.Inspected > 0 && f.NearestSimilarity >= p.params.Encode.DuplicateCosine
	return f
}

// familyOf is familyIn for an encode that the view does not hold.
func (b *brain) familyOf(c model.Caller, m *bornMemory) model.MemoryID {
	if !m.family.Zero() {
		if first, err := b.current(m.family); err == nil && first != nil && b.e.viewer(b.space, c).CanSee(first) {
			return m.family
		}
	}
	return m.id
}

// contentOf numbers and writes the content record of an encode, and its payload.
func (b *brain) contentOf(j *job, p *encodePlan) (model.ContentRef, model.PayloadRef) {
	record := model.Record{
		Salt: p.salts[0], Text: p.env.Text, Context: p.env.Context, Fingerprint: p.env.Fingerprint(),
		Embeddings: b.embedded(j, p.vector),
	}
	content := b.addRecord(j, &record)
	content.OutOfLine = p.env.OutOfLine()
	var payload model.PayloadRef
	switch {
	case len(p.env.Payload) > 0:
		payload = b.addPayload(j, p.salts[1], p.env.Payload)
	case content.OutOfLine:
		payload = model.PayloadRef{Number: content.Number, State: model.PayloadAttached, Bytes: content.TextBytes, Digest: content.Digest}
	}
	return content, payload
}

func (b *brain) embedded(j *job, v vectors.Embedding) []model.Embedded {
	if v.Form == 0 {
		return nil
	}
	return []model.Embedded{{Embedder: b.symbol(j, b.e.o.Embedder.ID()), Vector: v.AppendBinary(nil)}}
}

func (b *brain) addRecord(j *job, r *model.Record) model.ContentRef {
	n := b.number()
	j.contents = append(j.contents, eventlog.Content{Number: uint64(n), Body: codec.EncodeRecord(*r)})
	if j.records == nil {
		j.records = map[model.ContentNumber]*model.Record{}
	}
	j.records[n] = r
	return model.ContentRef{Number: n, Digest: codec.ContentDigest(*r), TextBytes: uint64(len(r.Text))}
}

func (b *brain) addPayload(j *job, salt [16]byte, payload []byte) model.PayloadRef {
	n := b.number()
	j.contents = append(j.contents, eventlog.Content{Number: uint64(n), Body: codec.EncodePayload(salt, payload)})
	return model.PayloadRef{Number: n, State: model.PayloadAttached, Bytes: uint64(len(payload)), Digest: codec.PayloadDigest(salt, payload)}
}

func (p *encodePlan) receipt(j *job) (model.RequestAccepted, error) {
	if len(j.asks) == 0 {
		return model.RequestAccepted{Discarded: &model.DiscardReceipt{
			Attention: p.env.Cues.Attention, Threshold: p.params.Encode.AttentionMin,
		}}, nil
	}
	if err := j.got[0].Err; err != nil {
		return model.RequestAccepted{}, err
	}
	return model.RequestAccepted{ReadSeq: uint64(p.short.seq), Memories: []model.MemoryID{j.asks[0].id}}, nil
}
