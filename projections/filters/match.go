package filters

import (
	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/model"
)

// Match returns a new bitmap of the live ordinals that the viewer may see (GOV-2) and the filter asks for. Archived and
// superseded memories are left out unless the filter includes them or names their state.
func (x *Index) Match(c *Compiled) *roaring.Bitmap {
	if c.nothing {
		return roaring.New()
	}
	all := []*roaring.Bitmap{x.live}
	for _, field := range c.fields {
		set := x.anyOf(field)
		if set == nil {
			return roaring.New()
		}
		all = append(all, set)
	}
	if c.since != beginning || c.until != endless {
		all = append(all, x.when.between(c.since, c.until, x.whenOf))
	}
	if c.sinceTick != beginning || c.untilTick != endless {
		all = append(all, x.encoded.between(c.sinceTick, c.untilTick, x.encodedOf))
	}
	if len(c.lifecycles) > 0 {
		all = append(all, x.inLifecycles(c.lifecycles, c.Tick))
	}
	result := roaring.FastAnd(all...)
	if len(all) == 1 {
		result = x.live.Clone()
	}
	x.hide(result, c)
	x.atLeast(result, c)
	return result
}

// anyOf returns the union of some facets, nil when it is empty. The caller only reads it.
func (x *Index) anyOf(facets []facet) *roaring.Bitmap {
	var sets []*roaring.Bitmap
	for _, f := range facets {
		if b := x.bits[f]; b != nil {
			sets = append(sets, b)
		}
	}
	switch len(sets) {
	case 0:
		return nil
	case 1:
		return sets[0]
	}
	return roaring.FastOr(sets...)
}

// inLifecycles returns the ordinals in one of some states at tick, which may lie after the index's.
func (x *Index) inLifecycles(states []model.Lifecycle, tick model.Tick) *roaring.Bitmap {
	want := map[model.Lifecycle]bool{}
	result := roaring.New()
	for _, state := range states {
		want[state] = true
		if b := x.bits[facet{field: fieldLifecycle, value: uint64(state)}]; b != nil {
			result.Or(b)
		}
	}
	if tick <= x.tick {
		return result
	}
	x.windows.over(tick, func(w window) {
		h := x.open(w)
		switch {
		case h == nil:
		case want[h.RestabiliseTo]:
			result.Add(w.ordinal)
		default:
			result.Remove(w.ordinal)
		}
	})
	return result
}

// hide takes out what the viewer may not see and what is not active.
func (x *Index) hide(result *roaring.Bitmap, c *Compiled) {
	for _, hidden := range [...]model.Lifecycle{model.Archived, model.Superseded} {
		if b := x.bits[facet{field: fieldLifecycle, value: uint64(hidden)}]; b != nil && !c.shows(hidden) {
			result.AndNot(b)
		}
	}
	if b := x.bits[facet{field: fieldVisibility}]; b != nil {
		result.AndNot(b) // no visibility at all is seen by nobody
	}
	if foreign := x.foreign(c.Viewer); foreign != nil {
		result.AndNot(foreign)
	}
}

// foreign returns the private memories of other agents; nil when there are none, or the viewer sees them.
func (x *Index) foreign(v model.Viewer) *roaring.Bitmap {
	private := x.bits[facet{field: fieldVisibility, value: uint64(model.Private)}]
	if private == nil || v.Operator {
		return nil
	}
	foreign := private.Clone()
	for _, agent := range [...]model.Symbol{0, v.Agent} {
		if b := x.bits[facet{field: fieldAgent, value: uint64(agent)}]; b != nil {
			foreign.AndNot(b)
		}
	}
	return foreign
}

// atLeast scans the columns of what is left for the thresholds of strength and confidence (DEC-7).
func (x *Index) atLeast(result *roaring.Bitmap, c *Compiled) {
	if c.minStrength == nil && c.minConfidence == nil {
		return
	}
	var below []uint32
	for it := result.Iterator(); it.HasNext(); {
		ordinal := it.Next()
		h := x.columns.at(ordinal)
		weak := c.minStrength != nil && !(h.EffectiveAt(c.Tick) >= *c.minStrength)
		unsure := c.minConfidence != nil && !(h.Confidence >= *c.minConfidence)
		if weak || unsure {
			below = append(below, ordinal)
		}
	}
	result.AndNot(roaring.BitmapOf(below...))
}

func (x *Index) whenOf(ordinal uint32) int64    { return int64(x.columns.at(ordinal).When()) }
func (x *Index) encodedOf(ordinal uint32) int64 { return tickFrom(x.columns.at(ordinal).EncodedTick) }
