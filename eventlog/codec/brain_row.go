package codec

import (
	"github.com/membrain-db/membrain/eventlog/eventpb"
	"github.com/membrain-db/membrain/model"
)

// AppendBrain appends the state row of b to dst and returns the extended slice. Equal states give equal bytes.
func AppendBrain(dst []byte, b *model.Brain) []byte {
	s := eventpb.BrainState{
		Version:     b.Version,
		CreatedAt:   int64(b.CreatedAt),
		Params:      paramsState(&b.Params),
		Embedder:    embedderState(b.Embedder),
		Accepted:    b.Accepted,
		Refused:     b.Refused,
		Discarded:   b.Discarded,
		Tick:        uint64(b.Tick),
		Millis:      int64(b.Millis),
		ContentHigh: uint64(b.ContentHigh),
		SymbolHigh:  uint64(b.SymbolHigh),
	}
	if b.Import != nil {
		s.Import = importStarted(*b.Import)
	}
	whole, tail := extend(dst, 1+s.SizeVT())
	tail[0] = rowVersion
	n, err := s.MarshalToSizedBufferVT(tail[1:])
	sound(tail[:n], err)
	return whole
}

// DecodeBrain reads a state row. The result shares no memory with b.
// Errors: ErrUnsupported for a row of another version; ErrMalformed.
func DecodeBrain(b []byte) (*model.Brain, error) {
	body, err := rowBody("state row of a brain", b)
	if err != nil {
		return nil, err
	}
	var s eventpb.BrainState
	if err := s.UnmarshalVT(body); err != nil {
		return nil, malformed("brain: %v", err)
	}
	var c checker
	brain := &model.Brain{
		Version:     s.Version,
		CreatedAt:   model.Millis(s.CreatedAt),
		Params:      c.params(s.Params),
		Embedder:    c.embedder(s.Embedder),
		Accepted:    s.Accepted,
		Refused:     s.Refused,
		Discarded:   s.Discarded,
		Tick:        model.Tick(s.Tick),
		Millis:      model.Millis(s.Millis),
		ContentHigh: model.ContentNumber(s.ContentHigh),
		SymbolHigh:  model.Symbol(s.SymbolHigh),
	}
	if s.Import != nil {
		started := importOf(s.Import)
		brain.Import = &started
	}
	if c.err != nil {
		return nil, c.err
	}
	return brain, nil
}
