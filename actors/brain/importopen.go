package brain

import (
	"context"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// beginImport takes the namespace's place for imports, and ends one that could not be aborted when it failed.
func (e *Engine) beginImport(ctx context.Context, namespace string, c model.Caller) (done func(), err error) {
	e.mu.Lock()
	taken := e.importing[namespace]
	e.importing[namespace] = true
	e.mu.Unlock()
	if taken {
		return nil, errImporting()
	}
	done = func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.importing, namespace)
	}
	space, ok := e.space(namespace)
	if !ok || space.Brain() == nil || space.Brain().Import == nil {
		return done, nil
	}
	if err := e.abortImport(ctx, namespace, c); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

func errImporting() error {
	return model.Failure(model.CodeBusy, nil, "another import into this namespace is under way").WithHint("retry when it is done")
}

func (e *Engine) abortImport(ctx context.Context, namespace string, c model.Caller) error {
	plan := &importAbort{}
	r := request{verb: model.VerbImport, caller: c, id: "abort/" + e.o.NewID().String(), existing: true}
	if _, err := e.run(ctx, namespace, r, plan); err != nil {
		return failure(err, "abort the import; it is finished at the next open")
	}
	if plan.open == nil {
		return nil
	}
	return failure(e.discard(ctx, namespace, *plan.open), "sweep the staged contents")
}

// discard erases what an aborted import has staged.
func (e *Engine) discard(ctx context.Context, namespace string, staged model.ImportStarted) error {
	space, ok := e.space(namespace)
	eraser, can := e.o.Contents.(eventlog.Eraser)
	if !ok || !can {
		return nil
	}
	er := eventlog.Erasure{Namespace: space.Ordinal(), TimeMillis: int64(e.now(0)), Reason: reasonAborted}
	for n := staged.First; n <= staged.Last; n++ {
		er.Contents = append(er.Contents, uint64(n))
	}
	return eraser.Erase(ctx, er)
}

// reasonAborted is the stored reason of contents erased because their import was aborted.
const reasonAborted = 1

// importStart reserves content numbers.
type importStart struct {
	e         *Engine
	namespace string
	numbers   int

	ns       eventlog.Ordinal
	first    model.ContentNumber
	embedder model.Symbol
}

func (p *importStart) admit(b *brain, j *job) error {
	if b.ahead.importing {
		return errImporting()
	}
	if err := b.checkEmbedder(); err != nil {
		return err
	}
	b.ahead.importing = true
	p.ns, p.first = b.ns, b.ahead.contentHigh+1
	p.embedder = b.symbol(j, p.e.o.Embedder.ID())
	b.ahead.contentHigh += model.ContentNumber(p.numbers)
	j.own = []model.Fact{model.ImportStarted{First: p.first, Last: b.ahead.contentHigh, At: j.at.Now}}
	return nil
}

func (p *importStart) receipt(*job) (model.RequestAccepted, error) {
	return model.RequestAccepted{}, nil
}

// importAbort ends an import that did not commit. One whose commit was accepted meanwhile, though its caller left
// before it was durable, stands.
type importAbort struct{ open *model.ImportStarted }

func (p *importAbort) admit(b *brain, j *job) error {
	state := b.state()
	if !b.ahead.importing || state == nil {
		return nil
	}
	p.open = state.Import
	b.ahead.importing = false
	j.own = []model.Fact{model.ImportAborted{At: j.at.Now}}
	return nil
}

func (p *importAbort) receipt(*job) (model.RequestAccepted, error) {
	return model.RequestAccepted{}, nil
}

// finishImports aborts the imports that a crash left open.
func (e *Engine) finishImports(ctx context.Context) error {
	for _, ns := range e.o.Projections.Namespaces() {
		space, ok := e.space(ns.Name)
		if !ok || space.Brain() == nil || space.Brain().Import == nil {
			continue
		}
		e.o.Logger.Warn("an import that did not finish is aborted", "namespace_ordinal", space.Ordinal())
		if err := e.discard(ctx, ns.Name, *space.Brain().Import); err != nil { // before the fact, so that a crash repeats it
			return failure(err, "sweep the staged contents")
		}
		if err := e.abortImport(ctx, ns.Name, model.Caller{Operator: true, Door: model.SourceRepair}); err != nil {
			return err
		}
	}
	return nil
}
