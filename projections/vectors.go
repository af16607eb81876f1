package projections

import (
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/vectors"
)

// newVectors returns an empty index for an embedder, nil when the reference names none. It compares one by one while
// vectors are few, and makes itself a graph when they become many.
func newVectors(ref model.EmbedderRef) *vectors.Auto {
	form := vectors.Form(ref.Form)
	if ref.ID == 0 || ref.Dim < 1 || ref.Dim > vectors.EmbeddingDimMax || (form != vectors.FormInt8 && form != vectors.FormFloat32) {
		return nil
	}
	return vectors.NewIndex(int(ref.Dim), form, vectors.Options{})
}

// addVector puts a record's vector of one embedder into its index. A record without one stays out of it, and so does one that
// does not fit: only the words find it.
func addVector(index *vectors.Auto, ref model.EmbedderRef, ordinal uint32, r *model.Record) bool {
	if index == nil {
		return false
	}
	for _, e := range r.Embeddings {
		if e.Embedder != ref.ID {
			continue
		}
		vector, rest, err := vectors.ParseEmbedding(e.Vector)
		return err == nil && len(rest) == 0 && index.Add(ordinal, vector) == nil
	}
	return false
}

// retire stops the worker of an index that has been replaced, beside whoever replaced it; readers may still be in it.
// Close waits for all that were retired.
func (p *Projections) retire(index *vectors.Auto) {
	if index != nil {
		p.retired.Go(index.Close)
	}
}

func saveVectors(path string, x *vectors.Auto, h vectors.Header) error {
	if x == nil {
		return nil
	}
	return x.SaveFile(path, h)
}
