package model

// ApplyBrain folds one fact of a brain's stream into its state and returns the new state; b is not changed and may
// be nil before the first fact. It assigns and cannot fail. A fact of another family returns b as it is.
func ApplyBrain(b *Brain, f Fact) *Brain {
	next := Brain{}
	if b != nil {
		next = *b
	}
	if !next.assign(f) {
		return b
	}
	next.Version++
	return &next
}

func (b *Brain) assign(f Fact) bool {
	switch f := f.(type) {
	case NamespaceCreated:
		b.Params, b.Embedder = f.Params, f.Embedder
	case ParamsChanged:
		b.Params = f.Params
	case EmbedderChanged:
		b.Embedder = f.Embedder
	case ImportStarted:
		b.Import = &f
	case ImportAborted:
		b.Import = nil
	case RequestAccepted:
		b.accepted(f)
	case RequestRefused:
		b.Refused += uint64(max(1, f.Count))
	default:
		return false
	}
	return true
}

func (b *Brain) accepted(f RequestAccepted) {
	b.Accepted++
	if f.Import != nil {
		b.Import = nil
	}
	if f.Discarded != nil {
		b.Discarded++
	}
}

// WithHead returns the brain after a commit with that head; b is not changed. The first head's time is when the
// namespace was created. Heads arrive in order, so values are assigned as they are.
func (b *Brain) WithHead(h CommitHead) *Brain {
	next := *b
	if next.CreatedAt == 0 {
		next.CreatedAt = h.Millis
	}
	next.Tick, next.Millis = h.Tick, h.Millis
	next.ContentHigh, next.SymbolHigh = h.ContentHigh, h.SymbolHigh
	return &next
}
