package eventlog

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
)

var (
	_ Contents  = (*memoryContents)(nil)
	_ Eraser    = (*memoryContents)(nil)
	_ Compacter = (*memoryContents)(nil)
)

type memoryContents struct {
	store *Memory

	mu     sync.Mutex
	cells  map[Ordinal]*memoryNamespace
	closed bool
}

type memoryNamespace struct {
	contents, symbols map[uint64]cell
}

// Secret implements Contents.
func (c *memoryContents) Secret() [32]byte { return c.store.id.Secret }

// Put implements Contents.
func (c *memoryContents) Put(ctx context.Context, batch []ContentBatch) error {
	fault := c.store.Faults.put.next()
	fault.wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkSizes(batch); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	if fault.err == nil || fault.written {
		c.put(batch)
	}
	if fault.err != nil {
		return fmt.Errorf("put contents: %w", unavailable(fault.err))
	}
	return nil
}

func (c *memoryContents) put(batch []ContentBatch) {
	for _, b := range batch {
		ns := c.namespace(b.Namespace)
		for _, content := range b.Contents {
			ns.contents[content.Number] = cell{kind: cellInline, body: bytes.Clone(content.Body)}
		}
		for _, symbol := range b.Symbols {
			ns.symbols[symbol.Number] = cell{kind: cellInline, body: []byte(symbol.Text)}
		}
	}
}

func (c *memoryContents) namespace(ns Ordinal) *memoryNamespace {
	if c.cells[ns] == nil {
		c.cells[ns] = &memoryNamespace{contents: map[uint64]cell{}, symbols: map[uint64]cell{}}
	}
	return c.cells[ns]
}

// Get implements Contents.
func (c *memoryContents) Get(ns Ordinal, number uint64) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	found, ok := c.namespace(ns).contents[number]
	switch {
	case !ok:
		return nil, notThere(ns, number)
	case found.kind == cellErased:
		return nil, erasedError(ns, number, found)
	}
	return bytes.Clone(found.body), nil
}

// Scan implements Contents. Erased contents are left out.
func (c *memoryContents) Scan(ctx context.Context, ns Ordinal, from uint64) iter.Seq2[Content, error] {
	return func(yield func(Content, error) bool) {
		found, err := c.snapshot(ctx, func(n *memoryNamespace) map[uint64]cell { return n.contents }, ns)
		if err != nil {
			yield(Content{}, err)
			return
		}
		for _, each := range found {
			if each.number < from || each.kind == cellErased {
				continue
			}
			if !yield(Content{Number: each.number, Body: bytes.Clone(each.body)}, nil) {
				return
			}
			if ctx.Err() != nil {
				yield(Content{}, ctx.Err())
				return
			}
		}
	}
}

// Symbols implements Contents.
func (c *memoryContents) Symbols(ctx context.Context, ns Ordinal) iter.Seq2[Symbol, error] {
	return func(yield func(Symbol, error) bool) {
		found, err := c.snapshot(ctx, func(n *memoryNamespace) map[uint64]cell { return n.symbols }, ns)
		if err != nil {
			yield(Symbol{}, err)
			return
		}
		for _, each := range found {
			if !yield(Symbol{Number: each.number, Text: string(each.body)}, nil) {
				return
			}
		}
	}
}

func (c *memoryContents) snapshot(ctx context.Context, of func(*memoryNamespace) map[uint64]cell, ns Ordinal) ([]numberedCell, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	cells := of(c.namespace(ns))
	found := make([]numberedCell, 0, len(cells))
	for _, number := range slices.Sorted(maps.Keys(cells)) {
		found = append(found, numberedCell{cell: cells[number], number: number})
	}
	return found, ctx.Err()
}

// Sweep implements Contents.
func (c *memoryContents) Sweep(ns Ordinal, contentHigh, symbolHigh uint64) (removed int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, ErrClosed
	}
	cells := c.namespace(ns)
	before := len(cells.contents) + len(cells.symbols)
	maps.DeleteFunc(cells.contents, func(number uint64, _ cell) bool { return number > contentHigh })
	maps.DeleteFunc(cells.symbols, func(number uint64, _ cell) bool { return number > symbolHigh })
	return before - len(cells.contents) - len(cells.symbols), nil
}

// Erase implements Eraser.
func (c *memoryContents) Erase(ctx context.Context, e Erasure) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	cells := c.namespace(e.Namespace)
	tombstone := cell{kind: cellErased, erasedMillis: e.TimeMillis, erasedReason: e.Reason}
	eraseIn(cells.contents, e.Contents, tombstone)
	eraseIn(cells.symbols, e.Symbols, tombstone)
	return nil
}

func eraseIn(cells map[uint64]cell, numbers []uint64, tombstone cell) {
	for _, number := range numbers {
		if found, ok := cells[number]; ok && found.kind != cellErased {
			cells[number] = tombstone
		}
	}
}

// Compact implements Compacter. Erased bodies are gone already.
func (c *memoryContents) Compact(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return ErrClosed
	}
	return ctx.Err()
}

// Close implements Contents.
func (c *memoryContents) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}
