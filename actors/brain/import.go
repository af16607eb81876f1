package brain

import (
	"context"
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors"
)

// Rows is an import into one namespace: all of them become memories, in one commit, or none does.
type Rows struct {
	Namespace string
	Requests  []model.EncodeRequest
	Places    []string // of the requests in their file, such as "line 7", for errors; same length
	RequestID string
	Progress  func(done, total int) // may be nil
}

// embedBatch is the number of texts embedded in one call.
const embedBatch = 64

// stageBytes is how much content is written in one transaction while an import stages.
const stageBytes = 4 << 20

// Check validates rows without writing anything, and counts the memories that they would become. Errors: those of the
// first rows refused, with their places.
func (e *Engine) Check(c model.Caller, rows Rows) (created int, err error) {
	envs, err := e.envelopes(c, rows)
	params := e.paramsOf(rows.Namespace)
	for i := range envs {
		if !envs[i].Discard(params) {
			created++
		}
	}
	return created, err
}

// faultsMax bounds the refused rows that an error names.
const faultsMax = 20

func (e *Engine) envelopes(c model.Caller, rows Rows) ([]model.Envelope, error) {
	if len(rows.Requests) > model.ImportRowsMax {
		return nil, model.Failure(model.CodeTooLarge, nil, "%d rows for namespace %s; at most %d in one import", len(rows.Requests), rows.Namespace, model.ImportRowsMax).WithHint("split the file")
	}
	params := e.paramsOf(rows.Namespace)
	out := make([]model.Envelope, len(rows.Requests))
	var faults []error
	for i, req := range rows.Requests {
		if c.Handle == "" {
			c.Handle = "import"
		}
		env, err := model.Normalise(req, c, params)
		if err == nil {
			err = e.reachable(rows.Namespace, c, &env)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", rows.Places[i], err))
		}
		if len(faults) >= faultsMax {
			break
		}
		out[i] = env
	}
	return out, refuseRows(faults)
}

// reachable refuses a row that names a memory which is not there, or which the caller may not see. It asks the
// projections, so that a file is refused before anything is staged; the brain asks again at admission.
func (e *Engine) reachable(namespace string, c model.Caller, env *model.Envelope) error {
	named := referencesOf(env)
	if len(named) == 0 {
		return nil
	}
	space, ok := e.space(namespace)
	for _, r := range named {
		if !ok {
			return model.NotFound(r.field, r.id.String())
		}
		m, _, err := loadMemory(space, r.id)
		if err != nil {
			return memoryError(err, r.id)
		}
		if m == nil || !e.viewer(space, c).CanSee(m) {
			return model.NotFound(r.field, r.id.String())
		}
	}
	return nil
}

func refuseRows(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	all := errors.Join(faults...)
	var first *model.Error
	if !errors.As(faults[0], &first) {
		return failure(all, "check the rows")
	}
	return &model.Error{Code: first.Code, Field: first.Field, Value: first.Value, Allowed: first.Allowed, Message: all.Error(), Hint: "mend these lines; nothing was imported"}
}

// Import makes a memory of every row. It embeds and stages before it asks the brain, so other requests of the
// namespace go on meanwhile; novelty and families are judged against the store as it was before, and families
// also within the rows. A retry with the same request id answers what the first one did. Errors: *model.Error.
func (e *Engine) Import(ctx context.Context, c model.Caller, rows Rows) (model.ImportReply, error) {
	leave, err := e.enter()
	if err != nil {
		return model.ImportReply{}, err
	}
	defer leave()
	id, err := e.requestID(rows.RequestID)
	if err != nil {
		return model.ImportReply{}, err
	}
	envs, err := e.envelopes(c, rows)
	if err != nil {
		return model.ImportReply{}, err
	}
	p := &importPlan{e: e, caller: c, rows: rows, params: e.paramsOf(rows.Namespace)}
	p.admitted(envs)
	out, err := e.run(ctx, rows.Namespace, request{verb: model.VerbImport, caller: c, id: id, body: rows.Requests, advances: true}, p)
	if p.slot != nil {
		defer p.slot()
	}
	if err != nil {
		return model.ImportReply{}, errors.Join(err, p.abort(ctx))
	}
	receipt := out.accepted.Import
	if receipt == nil {
		return model.ImportReply{}, duplicateRequest()
	}
	return model.ImportReply{
		Read: int(receipt.Read), Created: int(receipt.Created), Skipped: int(receipt.Skipped),
		Namespaces: map[string]int{rows.Namespace: int(receipt.Created)}, Tick: out.at.Tick, Seq: uint64(out.seq),
	}, nil
}

// importPlan makes many memories in one commit.
type importPlan struct {
	e      *Engine
	caller model.Caller
	rows   Rows
	envs   []model.Envelope // of the rows that attention admits
	places []string
	params model.Params
	slot   func() // gives back the namespace's place for imports; nil before it was taken

	seq      eventlog.Seq
	vectors  []vectors.Embedding
	findings []model.Findings
	started  *importStart
	contents []model.ContentRef
	payloads []model.PayloadRef
}

// admitted keeps the rows that attention admits.
func (p *importPlan) admitted(envs []model.Envelope) {
	for i, env := range envs {
		if !env.Discard(p.params) {
			p.envs, p.places = append(p.envs, env), append(p.places, p.rows.Places[i])
		}
	}
}

func (p *importPlan) prepare(ctx context.Context, _ *job) (err error) {
	if p.slot, err = p.e.beginImport(ctx, p.rows.Namespace, p.caller); err != nil {
		return err
	}
	if err := p.embed(ctx); err != nil {
		return err
	}
	p.find()
	return p.stage(ctx)
}

func (p *importPlan) embed(ctx context.Context) error {
	texts := make([]string, len(p.envs))
	for i := range p.envs {
		texts[i] = embedText(p.envs[i].Texts())
	}
	for from := 0; from < len(texts); from += embedBatch {
		to := min(from+embedBatch, len(texts))
		vecs, err := p.e.o.Embedder.EmbedDocuments(ctx, texts[from:to])
		if err != nil {
			return failure(err, "embed the rows")
		}
		p.vectors = append(p.vectors, vecs...)
		if p.rows.Progress != nil {
			p.rows.Progress(to, len(texts))
		}
	}
	return nil
}

// find compares every row with the store as it was, and its text with the rows before it.
func (p *importPlan) find() {
	p.findings = make([]model.Findings, len(p.envs))
	space, ok := p.e.space(p.rows.Namespace)
	if !ok {
		return
	}
	for i := range p.envs {
		short := p.e.shortlist(space, p.caller, p.envs[i].Fingerprint(), p.vectors[i], p.params)
		p.findings[i], p.seq = short.findings, short.seq
	}
}

func (p *importPlan) admit(b *brain, j *job) error {
	first := map[model.Fingerprint]model.MemoryID{}
	for i := range p.envs {
		env := &p.envs[i]
		if err := b.references(p.caller, env); err != nil {
			return refuseRows([]error{fmt.Errorf("%s: %w", p.places[i], err)})
		}
		id := b.e.o.NewID()
		cmd := env.Command(id, func(s string) model.Symbol { return b.symbol(j, s) })
		cmd.Findings = p.findings[i]
		if twin, ok := first[env.Fingerprint()]; ok && cmd.Findings.Family.Zero() {
			cmd.Findings.Family = twin
		} else if !ok {
			first[env.Fingerprint()] = familyOf(id, cmd.Findings.Family)
		}
		fact, err := model.DecideEncode(cmd, p.contents[i], p.payloads[i], b.ahead.params, j.at)
		if err != nil {
			return refuseRows([]error{fmt.Errorf("%s: %w", p.places[i], err)})
		}
		j.births = append(j.births, fact)
		b.births.add(bornMemory{
			id: id, family: cmd.Findings.Family, fingerprint: env.Fingerprint(), vector: p.vectors[i], fate: j.fate,
			visibility: env.Visibility, agent: env.Agent.Text,
		})
	}
	b.ahead.importing = false
	j.takeBack = func() { b.ahead.importing = true }
	return nil
}

func (p *importPlan) receipt(*job) (model.RequestAccepted, error) {
	read, created := uint32(len(p.rows.Requests)), uint32(len(p.envs))
	return model.RequestAccepted{ReadSeq: uint64(p.seq), Import: &model.ImportReceipt{Read: read, Created: created, Skipped: read - created}}, nil
}

// abort undoes what an import that failed has staged.
func (p *importPlan) abort(ctx context.Context) error {
	if p.started == nil {
		return nil
	}
	return p.e.abortImport(context.WithoutCancel(ctx), p.rows.Namespace, p.caller)
}
