package brain

import (
	"context"
	"math"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// Foreign returns the namespaces that another embedder than the engine's embedded.
func (e *Engine) Foreign() []string {
	var out []string
	for _, ns := range e.o.Projections.Namespaces() {
		if s, ok := e.space(ns.Name); ok && e.checkEmbedder(s) != nil {
			out = append(out, ns.Name)
		}
	}
	return out
}

// Reembed embeds a namespace anew with the engine's embedder and then switches to it in one commit. Until then
// recall answers from the lexical arm alone and encode is refused; after a crash it goes on where it was. progress
// may be nil. Errors: *model.Error.
func (e *Engine) Reembed(ctx context.Context, namespace string, progress func(done, total int)) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	space, ok := e.space(namespace)
	if !ok {
		return nil
	}
	foreign := e.checkEmbedder(space)
	if foreign == nil || embedderOf(space) == e.o.Embedder.ID() {
		return foreign // one name for two dimensions: their vectors could not be told apart
	}
	c := model.Caller{Operator: true, Door: model.SourceRepair}
	start := &reembedStart{e: e}
	if _, err := e.run(ctx, namespace, e.internal(c), start); err != nil {
		return err
	}
	if err := e.o.Projections.PrepareVectors(ctx, space.Ordinal(), start.ref); err != nil {
		return failure(err, "prepare the vectors")
	}
	if err := e.embedMissing(ctx, space, start.ref, progress); err != nil {
		return err
	}
	_, err = e.run(ctx, namespace, e.internal(c), &reembedSwitch{ref: start.ref})
	return err
}

// internal is a request of the engine's own.
func (e *Engine) internal(c model.Caller) request {
	return request{verb: model.VerbReembed, caller: c, id: e.o.NewID().String(), existing: true}
}

// embedMissing gives every live content the vector that it lacks, in batches.
func (e *Engine) embedMissing(ctx context.Context, s *projections.Space, ref model.EmbedderRef, progress func(done, total int)) error {
	total, done := len(e.o.Projections.MissingEmbedding(s.Ordinal(), ref.ID, math.MaxInt)), 0
	var last model.ContentNumber
	for {
		missing := e.o.Projections.MissingEmbedding(s.Ordinal(), ref.ID, embedBatch)
		if len(missing) == 0 {
			return nil
		}
		if missing[0] <= last {
			return model.Failure(model.CodeInternal, nil, "content %d stays without a vector: %s does not answer in %d dimensions of form %d", missing[0], e.o.Embedder.ID(), ref.Dim, ref.Form)
		}
		last = missing[0]
		if err := e.embedRecords(ctx, s, ref, missing); err != nil {
			return err
		}
		if done += len(missing); progress != nil {
			progress(done, total)
		}
	}
}

func (e *Engine) embedRecords(ctx context.Context, s *projections.Space, ref model.EmbedderRef, numbers []model.ContentNumber) error {
	active := s.Brain().Embedder.ID
	records := make([]model.Record, len(numbers))
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		var err error
		if records[i], err = s.Record(n); err != nil {
			return failure(err, "read a text to embed")
		}
		texts[i] = embedText(records[i].Text, records[i].Context)
	}
	vecs, err := e.o.Embedder.EmbedDocuments(ctx, texts)
	if err != nil {
		return failure(err, "embed anew")
	}
	batch := eventlog.ContentBatch{Namespace: s.Ordinal()}
	for i, n := range numbers {
		kept := []model.Embedded{}
		for _, old := range records[i].Embeddings {
			if old.Embedder == active {
				kept = append(kept, old)
			}
		}
		records[i].Embeddings = append(kept, model.Embedded{Embedder: ref.ID, Vector: vecs[i].AppendBinary(nil)})
		batch.Contents = append(batch.Contents, eventlog.Content{Number: uint64(n), Body: codec.EncodeRecord(records[i])})
	}
	if err := e.o.Contents.Put(ctx, []eventlog.ContentBatch{batch}); err != nil {
		return failure(err, "store the new vectors")
	}
	for i, n := range numbers {
		e.o.Projections.Reembedded(s.Ordinal(), n, &records[i])
	}
	return nil
}

// reembedStart numbers the new embedder's id.
type reembedStart struct {
	e   *Engine
	ref model.EmbedderRef
}

func (p *reembedStart) admit(b *brain, j *job) error {
	p.ref = p.e.embedderRef(b.symbol(j, p.e.o.Embedder.ID()))
	return nil
}

func (p *reembedStart) receipt(*job) (model.RequestAccepted, error) {
	return model.RequestAccepted{}, nil
}

// reembedSwitch makes the new embedder the namespace's.
type reembedSwitch struct{ ref model.EmbedderRef }

func (p *reembedSwitch) admit(b *brain, j *job) error {
	b.ahead.embedder = p.ref
	j.own = []model.Fact{model.EmbedderChanged{Embedder: p.ref}}
	return nil
}

func (p *reembedSwitch) receipt(*job) (model.RequestAccepted, error) {
	return model.RequestAccepted{}, nil
}
