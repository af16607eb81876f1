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
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.brains[name]; h != nil {
		return h, nil
	}
	ns, err := e.ordinal(ctx, name, create)
	if err != nil {
		return nil, err
	}
	msg := openBrain{name: name, ns: ns, Promise: actors.NewPromise[actors.Ref]()}
	if err := e.store.Tell(msg); err != nil {
		return nil, failure(err, "open the namespace")
	}
	ref, err := msg.Wait(ctx)
	if err != nil {
		return nil, failure(err, "open the namespace")
	}
	h := &handle{name: name, ns: ns, ref: ref}
	e.brains[name] = h
	return h, nil
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

// loadNames reads the names given so far. One that never got a commit keeps its number for the next who uses it.
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
