package brain

import (
	"context"

	"github.com/membrain-db/membrain/actors"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// brainOf returns the brain of a namespace, opening it when it sleeps. With create, a new namespace gets its
// number; its first commit makes it real, and a number without a commit is swept at the next open.
func (e *Engine) brainOf(ctx context.Context, name string, create bool) (*handle, error) {
	if h := e.brain(name); h != nil {
		return h, nil
	}
	e.opening.Lock()
	defer e.opening.Unlock()
	if h := e.brain(name); h != nil {
		return h, nil
	}
	ns, err := e.ordinal(ctx, name, create)
	if err != nil {
		return nil, err
	}
	msg := openBrain{name: name, ns: ns, lease: e.leaseOf(ns), Promise: actors.NewPromise[actors.Ref]()}
	if err := e.store.Tell(msg); err != nil {
		return nil, failure(err, "open the namespace")
	}
	ref, err := msg.Wait(context.WithoutCancel(ctx)) // a brain that nobody knows of would keep its name taken
	if err != nil {
		return nil, failure(err, "open the namespace")
	}
	h := &handle{name: name, ns: ns, ref: ref, lease: msg.lease}
	e.mu.Lock()
	e.brains[name] = h
	e.mu.Unlock()
	return h, nil
}

func (e *Engine) brain(name string) *handle {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.brains[name]
}

// forget drops a brain that has stopped for good, so that the next request opens a new one.
func (e *Engine) forget(h *handle) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.brains[h.name] == h {
		delete(e.brains, h.name)
	}
}

func (e *Engine) leaseOf(ns eventlog.Ordinal) *lease {
	l := e.leases[ns]
	if l == nil {
		l = &lease{}
		e.leases[ns] = l
	}
	return l
}

// ordinal returns the number of a namespace, giving the next one to a new name.
func (e *Engine) ordinal(ctx context.Context, name string, create bool) (eventlog.Ordinal, error) {
	if space, ok := e.space(name); ok {
		return space.Ordinal(), nil
	}
	if ns, ok := e.named[name]; ok {
		return ns, nil
	}
	if !create {
		return 0, model.NotFound("namespace", name)
	}
	ns := e.lastOrdinal + 1
	symbol := eventlog.Symbol{Number: uint64(ns), Text: name}
	if err := e.o.Contents.Put(ctx, []eventlog.ContentBatch{{Symbols: []eventlog.Symbol{symbol}}}); err != nil {
		return 0, failure(err, "name the namespace")
	}
	e.o.Projections.LearnSymbols(0, []eventlog.Symbol{symbol})
	e.lastOrdinal, e.named[name] = ns, ns
	return ns, nil
}

// loadNames reads the names given so far.
func (e *Engine) loadNames(ctx context.Context) error {
	for symbol, err := range e.o.Contents.Symbols(ctx, 0) {
		if err != nil {
			return failure(err, "read the namespaces")
		}
		e.lastOrdinal = max(e.lastOrdinal, eventlog.Ordinal(symbol.Number))
		if symbol.Text != "" {
			e.named[symbol.Text] = eventlog.Ordinal(symbol.Number)
		}
	}
	return nil
}
