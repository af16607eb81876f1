package model

// Apply folds one fact of a memory's stream into its state and returns the new state; m is not changed and may be
// nil before MemoryEncoded. It copies and assigns, works nothing out and cannot fail, so a log folds to the same
// state on every machine. Version moves on by one, except for MemoryEncoded, which brings its own. A fact of another
// family, or any but MemoryEncoded on a nil memory, returns m as it is. Slices of the fact are shared with the state:
// neither may be written to afterwards.
func Apply(m *Memory, f Fact) *Memory {
	if f, ok := f.(MemoryEncoded); ok {
		first := f.Memory
		return &first
	}
	if m == nil {
		return nil
	}
	next := *m
	if !next.assign(f) {
		return m
	}
	next.Version++
	return &next
}

// assign writes a fact's values into m and reports whether the fact is one of a memory's.
func (m *Memory) assign(f Fact) bool {
	switch f := f.(type) {
	case MemoryRecalled:
		m.recalled(f)
	case MemoryRevised:
		m.revised(f)
	case MemoryPinned:
		m.touched(f.At)
		m.Retention, m.RetentionWas = RetainPinned, f.Was
	case MemoryUnpinned:
		m.touched(f.At)
		m.Retention, m.RetentionWas = f.Retention, 0
	case LabileWindowClosed:
		m.touched(f.At)
		m.settle(f.Lifecycle)
	case MemoryArchived:
		m.touched(f.At)
		m.settle(Archived)
		m.ArchivedFrom, m.ArchivedFor = f.From, f.Reason
	case MemoryRestored:
		m.touched(f.At)
		m.settle(f.To)
		m.ArchivedFrom, m.ArchivedFor = 0, 0
	default:
		return false
	}
	return true
}

// touched moves updated_at on; it never goes back (VER-3).
func (m *Memory) touched(at Millis) { m.UpdatedAt = max(m.UpdatedAt, at) }

// settle puts m into a state that has no window.
func (m *Memory) settle(to Lifecycle) {
	m.Lifecycle, m.RestabiliseTo, m.LabileUntil = to, 0, 0
}

func (m *Memory) recalled(f MemoryRecalled) {
	m.touched(f.At)
	m.LastAccessAt = f.At
	m.Decay.BaseStrength, m.Decay.Stability, m.Decay.LastAccessedTick = f.BaseStrength, f.Stability, f.Tick
	m.RecallCount = f.RecallCount
	m.Utility = f.Utility
	m.Lifecycle, m.RestabiliseTo, m.LabileUntil = f.Lifecycle, f.RestabiliseTo, f.LabileUntil
}

func (m *Memory) revised(f MemoryRevised) {
	m.touched(f.At)
	if f.Type != 0 {
		m.Type = f.Type
	}
	if f.Kind != 0 {
		m.Kind, m.KindOf = f.Kind, f.KindOf
	}
	if f.Retention != 0 {
		m.Retention, m.RetentionWas = f.Retention, 0
	}
	if f.PolicyFlags != nil {
		m.PolicyFlags = *f.PolicyFlags
	}
	if f.Tags != nil {
		m.Tags = *f.Tags
	}
	if f.Decay != nil {
		m.Decay = *f.Decay
	}
	if f.Content != nil {
		m.rewritten(f.Tick, *f.Content)
	}
}

func (m *Memory) rewritten(tick Tick, c ContentRevised) {
	m.Content = c.Content
	m.ContentRevision++
	m.Payload = c.Payload
	m.Decay.BaseStrength, m.Decay.LastAccessedTick = c.BaseStrength, tick
	m.ReconsolidationCount = c.ReconsolidationCount
	m.Confidence = c.Confidence
	m.Lifecycle, m.RestabiliseTo, m.LabileUntil = c.Lifecycle, c.RestabiliseTo, c.LabileUntil
}
