package vectors

import "errors"

// Refusals of a vector by an index; ErrEmbeddingInvalid is the third.
var (
	// ErrDimension: the vector has another number of components than the index.
	ErrDimension = errors.New("vectors: wrong dimension")
	// ErrForm: the vector's form is not the index's, or the form is unknown.
	ErrForm = errors.New("vectors: wrong form")
)

// ErrRebuild is the only class of LoadFile's errors: the file is absent, damaged, foreign, or of a newer format.
// The index is derived, so the answer to all of them is to build it again from the stored embeddings.
var ErrRebuild = errors.New("vectors: index file cannot be used, rebuild it")
