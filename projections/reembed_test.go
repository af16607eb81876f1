package projections_test

import (
	"context"
	"testing"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/vectors"
	"github.com/stretchr/testify/require"
)

func TestEmbedderChanged_SwitchesToThePreparedIndexAndNeverMixes(t *testing.T) {
	s := newStore(t, 40)
	p := s.live()
	n := s.create("team")
	s.history(200)
	ctx := context.Background()
	next := model.EmbedderRef{ID: n.symbol("embedder-b"), Dim: dim, Form: uint8(vectors.FormInt8)}
	require.NoError(t, p.PrepareVectors(ctx, n.ordinal, next))
	missing := p.MissingEmbedding(n.ordinal, next.ID, 1<<20)
	require.Len(t, missing, len(n.memories))
	space, _ := p.Space(n.ordinal)
	for _, number := range missing {
		r, err := space.Record(number)
		require.NoError(t, err)
		r.Embeddings = append(r.Embeddings, vector(next.ID, r.Text))
		require.NoError(t, s.mem.Contents().Put(ctx, []eventlog.ContentBatch{{Namespace: n.ordinal,
			Contents: []eventlog.Content{{Number: uint64(number), Body: codec.EncodeRecord(r)}}}}))
		p.Reembedded(n.ordinal, number, &r)
	}
	require.Empty(t, p.MissingEmbedding(n.ordinal, next.ID, 10))
	old := embedding(vector(n.embedder.ID, "staging"))
	before := nearest(space, old)
	require.NotEmpty(t, before)

	d := s.draft(n)
	d.brain(model.EmbedderChanged{Embedder: next})
	d.submit()
	n.embedder = next
	require.Equal(t, len(n.memories), p.Stats().Namespaces[0].Vectors)
	s.history(100)
	want, wantDigest := answers(t, s, p), digest(t, p)
	require.NoError(t, p.Rebuild(ctx, nil))
	require.Equal(t, want, answers(t, s, p))
	require.NoError(t, p.Close())
	again := s.live()
	require.Equal(t, wantDigest, digest(t, again))
	require.Equal(t, want, answers(t, s, again))
}

func nearest(space *projections.Space, e vectors.Embedding) (hits []vectors.Hit) {
	space.Read(func(v *projections.View) { hits = v.Vector(e, 3, nil) })
	return hits
}

func TestEmbedderChanged_WithoutPreparationIsBuiltOnTheSpot(t *testing.T) {
	s := newStore(t, 41)
	p := s.live()
	n := s.create("team")
	s.history(100)
	d := s.draft(n)
	d.brain(model.EmbedderChanged{Embedder: model.EmbedderRef{ID: n.symbol("embedder-b"), Dim: dim, Form: uint8(vectors.FormInt8)}})
	d.submit()
	require.Zero(t, p.Stats().Namespaces[0].Vectors) // no record has its vectors yet
	require.Len(t, p.MissingEmbedding(n.ordinal, n.symbol("embedder-b"), 5), 5)
}

func TestPrepareVectors_RefusesWhatIsNoEmbedder(t *testing.T) {
	s := newStore(t, 42)
	p := s.live()
	n := s.create("team")
	require.ErrorIs(t, p.PrepareVectors(context.Background(), n.ordinal, model.EmbedderRef{ID: 1}), vectors.ErrEmbeddingInvalid)
	require.ErrorIs(t, p.PrepareVectors(context.Background(), 99, n.embedder), projections.ErrNotFound)
}
