package embed

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/membrain-db/membrain/vectors"
)

// parseAnswer returns the n vectors of an answer in the order of the texts, which "index" states and the order of the
// answer need not be. Each index must come exactly once. Errors: ErrAnswer.
func parseAnswer(body []byte, n, dim int) ([]vectors.Embedding, error) {
	var answer answerBody
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, fmt.Errorf("%w: no JSON answer of %d bytes", ErrAnswer, len(body))
	}
	if len(answer.Data) != n {
		return nil, fmt.Errorf("%w: %d vectors, want %d", ErrAnswer, len(answer.Data), n)
	}
	out := make([]vectors.Embedding, n)
	for i, d := range answer.Data {
		if d.Index == nil || *d.Index < 0 || *d.Index >= n {
			return nil, fmt.Errorf("%w: vector %d has no index from 0 to %d", ErrAnswer, i, n-1)
		}
		if out[*d.Index].Float32 != nil {
			return nil, fmt.Errorf("%w: index %d comes twice", ErrAnswer, *d.Index)
		}
		e, err := parseVector(d.Embedding, dim)
		if err != nil {
			return nil, fmt.Errorf("vector of index %d: %w", *d.Index, err)
		}
		out[*d.Index] = e
	}
	return out, nil
}

// parseVector refuses null, which encoding/json would read as 0, and whatever Validate refuses.
func parseVector(raw json.RawMessage, dim int) (vectors.Embedding, error) {
	var v []float32
	if bytes.Contains(raw, []byte("null")) || json.Unmarshal(raw, &v) != nil {
		return vectors.Embedding{}, fmt.Errorf("%w: not a list of finite 32-bit numbers", ErrAnswer)
	}
	e := vectors.Embedding{Form: vectors.FormFloat32, Float32: v}
	if err := e.Validate(dim); err != nil {
		return vectors.Embedding{}, fmt.Errorf("%w: %w", ErrAnswer, err)
	}
	return e, nil
}
