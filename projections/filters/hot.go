package filters

import "github.com/membrain-db/membrain/model"

// Hot is what filters and ranking read of a memory, beside the bitmaps.
type Hot struct {
	ID          model.MemoryID
	Family      model.MemoryID // duplicate family; zero when it stands alone
	Era         model.MemoryID
	Decay       model.DecayState
	Version     uint64
	LabileUntil model.Tick
	EncodedTick model.Tick
	CreatedAt   model.Millis
	OccurredAt  model.Millis // 0 when unknown
	PolicyFlags model.PolicyFlags

	Salience          float64
	Confidence        float64
	Utility           float64
	Difficulty        float64
	Authoritativeness float64

	Agent     model.Symbol
	Session   model.Symbol
	Task      model.Symbol
	Workspace model.Symbol

	RecallCount   uint32
	Live          bool
	Type          model.MemoryType
	Kind          model.Kind
	Lifecycle     model.Lifecycle // as written; LifecycleAt reads it
	RestabiliseTo model.Lifecycle
	Conflict      model.ConflictState
	Visibility    model.Visibility
	Tier          model.Tier
	Retention     model.Retention
}

func hotOf(m *model.Memory) Hot {
	return Hot{
		ID: m.ID, Family: m.DuplicateOf, Era: m.Era, Decay: m.Decay, Version: m.Version,
		LabileUntil: m.LabileUntil, EncodedTick: m.EncodedTick, CreatedAt: m.CreatedAt, OccurredAt: m.OccurredAt,
		PolicyFlags: m.PolicyFlags,
		Salience:    m.Salience, Confidence: m.Confidence, Utility: m.Utility, Difficulty: m.Difficulty,
		Authoritativeness: m.Authoritativeness,
		Agent:             m.Agent.Symbol, Session: m.Session.Symbol, Task: m.Task.Symbol, Workspace: m.Workspace.Symbol,
		RecallCount: m.RecallCount, Live: true, Type: m.Type, Kind: m.Kind,
		Lifecycle: m.Lifecycle, RestabiliseTo: m.RestabiliseTo, Conflict: m.Conflict, Visibility: m.Visibility,
		Tier: m.Tier, Retention: m.Retention,
	}
}

// When returns the time of what the memory tells of, else when it was made; Unix milliseconds.
func (h *Hot) When() model.Millis { return whenOf(h.OccurredAt, h.CreatedAt) }

func whenOf(occurred, created model.Millis) model.Millis {
	if occurred != 0 {
		return occurred
	}
	return created
}

// LifecycleAt returns the lifecycle state at tick t, as model.Memory.LifecycleAt does (a test holds them together: building a Memory to ask
// it would cost more than the answer).
func (h *Hot) LifecycleAt(t model.Tick) model.Lifecycle {
	if h.Lifecycle == model.Labile && t >= h.LabileUntil {
		return h.RestabiliseTo
	}
	return h.Lifecycle
}

// EffectiveAt returns the effective strength at tick t, as model.Memory.EffectiveAt does (DEC-7).
func (h *Hot) EffectiveAt(t model.Tick) float64 {
	d := h.Decay
	return model.EffectiveStrength(d.BaseStrength, d.Stability, t.Since(d.LastAccessedTick), d.Bypass != 0)
}

// chunkRows is how many rows a chunk of columns has. Chunks keep rows where they are when the columns grow.
const chunkRows = 1024

// columns are rows by ordinal, with gaps.
type columns struct{ chunks []*[chunkRows]Hot }

func (c *columns) put(ordinal uint32, h Hot) {
	at := int(ordinal / chunkRows)
	for at >= len(c.chunks) {
		c.chunks = append(c.chunks, nil)
	}
	if c.chunks[at] == nil {
		c.chunks[at] = new([chunkRows]Hot)
	}
	c.chunks[at][ordinal%chunkRows] = h
}

// at returns the row of an ordinal; nil when it is not live.
func (c *columns) at(ordinal uint32) *Hot {
	at := int(ordinal / chunkRows)
	if at >= len(c.chunks) || c.chunks[at] == nil {
		return nil
	}
	if h := &c.chunks[at][ordinal%chunkRows]; h.Live {
		return h
	}
	return nil
}

func (c *columns) drop(ordinal uint32) {
	if h := c.at(ordinal); h != nil {
		*h = Hot{}
	}
}
