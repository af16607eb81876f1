package projections

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors"
)

// PrepareVectors builds the index of an embedder that the namespace will switch to, from the records that already
// have its vectors, and returns when it is built. From then on Apply and Reembedded keep it up to date, until the
// EmbedderChanged fact with the same reference puts it in place. Asking for the one under way again goes on with it; asking for another drops it. Runs beside readers and Apply.
// Errors: ErrNotFound for an unknown namespace; vectors.ErrEmbeddingInvalid for a reference that names no embedder; those of ctx.
func (p *Projections) PrepareVectors(ctx context.Context, ns eventlog.Ordinal, ref model.EmbedderRef) error {
	s, ok := p.Space(ns)
	if !ok {
		return fmt.Errorf("namespace %d: %w", ns, ErrNotFound)
	}
	next, missing, err := s.beginNext(ref)
	if err != nil {
		return err
	}
	for it := missing.Iterator(); it.HasNext(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		ordinal := it.Next()
		if r, err := s.Record(model.ContentNumber(ordinal)); err == nil {
			s.addNext(next, ref, ordinal, &r)
		}
	}
	return nil
}

// beginNext returns the index in preparation and the live ordinals that it lacks.
func (s *Space) beginNext(ref model.EmbedderRef) (*vectors.Auto, *roaring.Bitmap, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.body
	if b.next == nil || b.nextRef != ref {
		next := newVectors(ref)
		if next == nil {
			return nil, nil, fmt.Errorf("embedder %d of dimension %d and form %d: %w", ref.ID, ref.Dim, ref.Form, vectors.ErrEmbeddingInvalid)
		}
		s.p.retire(b.next)
		b.next, b.nextRef = next, ref
	}
	return b.next, roaring.AndNot(b.filters.Live(), b.next.Keys()), nil
}

// addNext adds a vector to the index in preparation, if that is still the one and the ordinal is still live. The read lock keeps
// the projector from removing it in between.
func (s *Space) addNext(next *vectors.Auto, ref model.EmbedderRef, ordinal uint32, r *model.Record) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.body.filters.Hot(ordinal) != nil {
		addVector(next, ref, ordinal, r)
	}
}

// Reembedded tells that a content record was written again with a vector that it lacked, of the namespace's embedder or of the one in
// preparation. Ordinals that are not live are passed over.
func (p *Projections) Reembedded(ns eventlog.Ordinal, n model.ContentNumber, r *model.Record) {
	s, ok := p.Space(ns)
	if !ok {
		return
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.body.filters.Hot(uint32(n)) != nil && uint64(n) <= 1<<32-1 {
		addVector(s.body.vectors, s.body.embedder, uint32(n), r)
		addVector(s.body.next, s.body.nextRef, uint32(n), r)
	}
}

// MissingEmbedding returns at most max content numbers of live memories, ascending, that have no vector of an embedder in the index
// for it: the namespace's own, or the one in preparation. For another embedder that is all of them.
func (p *Projections) MissingEmbedding(ns eventlog.Ordinal, embedder model.Symbol, max int) []model.ContentNumber {
	s, ok := p.Space(ns)
	if !ok {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	missing := s.body.filters.Live().Clone()
	if s.body.vectors != nil && s.body.embedder.ID == embedder {
		missing.AndNot(s.body.vectors.Keys())
	} else if s.body.next != nil && s.body.nextRef.ID == embedder {
		missing.AndNot(s.body.next.Keys())
	}
	var list []model.ContentNumber
	for it := missing.Iterator(); it.HasNext() && len(list) < max; {
		list = append(list, model.ContentNumber(it.Next()))
	}
	return list
}
