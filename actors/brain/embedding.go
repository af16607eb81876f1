package brain

import (
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
)

// embedderRef names the engine's embedder for a namespace, by the symbol of its id there.
func (e *Engine) embedderRef(id model.Symbol) model.EmbedderRef {
	return model.EmbedderRef{ID: id, Dim: uint32(e.o.Embedder.Dim()), Form: uint8(e.o.Form)}
}

// embedderOf returns the id of the embedder that a namespace is at; "" before its first commit.
func embedderOf(s *projections.Space) string {
	state := s.Brain()
	if state == nil {
		return ""
	}
	id, _ := s.Text(state.Embedder.ID)
	return id
}

// checkEmbedder refuses to compare vectors of two embedders: the namespace's is a fact, the engine's an option.
func (e *Engine) checkEmbedder(s *projections.Space) error {
	state := s.Brain()
	if state == nil {
		return nil
	}
	has, dim := embedderOf(s), int(state.Embedder.Dim)
	if has == e.o.Embedder.ID() && dim == e.o.Embedder.Dim() {
		return nil
	}
	err := model.Failure(model.CodeStateConflict, nil, "the namespace was embedded by %q in %d dimensions; this process embeds with %q in %d",
		has, dim, e.o.Embedder.ID(), e.o.Embedder.Dim())
	return err.WithHint("open it with that embedder, or with --reembed to embed it anew")
}

// checkEmbedder does the same for the brain. The first commit, when it is still in flight, names the engine's own.
func (b *brain) checkEmbedder() error {
	if b.space == nil {
		return nil
	}
	return b.e.checkEmbedder(b.space)
}
