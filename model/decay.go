package model

import "math"

// EffectiveStrength returns the strength left delta ticks after the anchor:
//
//	base * exp(-delta/stability)
//
// base is in [0,MaxStrength], stability in ticks and > 0. A bypassed memory keeps its base. A stability that is
// not positive (no valid state has one) leaves nothing once a tick has passed. Pure. Source: DEC-1, DEC-6.
func EffectiveStrength(base, stability float64, delta uint64, bypass bool) float64 {
	if bypass || delta == 0 {
		return base
	}
	if !(stability > 0) {
		return 0
	}
	return base * math.Exp(-(float64(delta) / stability))
}

// EffectiveAt returns the effective strength at tick t; a tick before the anchor counts as the anchor. Reads,
// filters, ranking and maintenance all use this one function (DEC-7).
func (m *Memory) EffectiveAt(t Tick) float64 {
	d := m.Decay
	return EffectiveStrength(d.BaseStrength, d.Stability, t.Since(d.LastAccessedTick), d.Bypass != 0)
}

// DecayView returns decay_state as readers see it at tick t; persisted says that the request at hand stored the
// decay (DET-1).
func (m *Memory) DecayView(t Tick, persisted bool) DecayReply {
	return DecayReply{
		BaseStrength:     m.Decay.BaseStrength,
		Stability:        m.Decay.Stability,
		LastAccessedTick: m.Decay.LastAccessedTick,
		BypassDecay:      m.Decay.Bypass != 0,
		CurrentTick:      t,
		DeltaTicks:       t.Since(m.Decay.LastAccessedTick),
		Persisted:        persisted,
	}
}

// persisted returns the decay state with its decay stored: base is what is effective at t, the anchor is t (DEC-5).
func (m *Memory) persisted(t Tick) DecayState {
	d := m.Decay
	d.BaseStrength = m.EffectiveAt(t)
	d.LastAccessedTick = max(t, d.LastAccessedTick)
	return d
}
