package filters

import (
	"time"

	"github.com/membrain-db/membrain/model"
)

// Compiled is a filter ready to be matched: strings are symbols, the viewer's rights are part of it.
type Compiled struct {
	Viewer model.Viewer
	Tick   model.Tick // of the request: lifecycle and strength are read at it

	nothing       bool // a string that the namespace does not know (F2)
	fields        [][]facet
	lifecycles    []model.Lifecycle
	include       []model.Lifecycle
	since, until  int64
	sinceTick     int64
	untilTick     int64
	minStrength   *float64
	minConfidence *float64
}

// Compile resolves a filter for a viewer. lookup turns a string into the symbol that the namespace has for it.
func Compile(f model.Filter, viewer model.Viewer, tick model.Tick, lookup func(string) (model.Symbol, bool)) Compiled {
	c := Compiled{
		Viewer: viewer, Tick: tick,
		lifecycles: f.Lifecycles, include: f.Include,
		since: beginning, until: endless, sinceTick: beginning, untilTick: endless,
		minStrength: f.MinStrength, minConfidence: f.MinConfidence,
	}
	numbers(&c, fieldType, f.Types)
	numbers(&c, fieldKind, f.Kinds)
	numbers(&c, fieldTier, f.Tiers)
	numbers(&c, fieldVisibility, f.Visibilities)
	numbers(&c, fieldRetention, f.Retentions)
	numbers(&c, fieldPolicyFlag, f.PolicyFlags)
	numbers(&c, fieldSourceKind, f.SourceKinds)
	numbers(&c, fieldConflict, f.Conflicts)
	c.strings(fieldTag, f.Tags, lookup)
	c.strings(fieldSession, f.Sessions, lookup)
	c.strings(fieldTask, f.Tasks, lookup)
	c.strings(fieldWorkspace, f.Workspaces, lookup)
	c.strings(fieldAgent, f.Agents, lookup)
	c.strings(fieldSourceRef, f.SourceRefs, lookup)
	c.strings(fieldEntity, f.Entities, lookup)
	c.ids(fieldFamily, f.Families)
	c.ids(fieldEra, f.Eras)
	c.bounds(f)
	return c
}

func numbers[E ~uint8](c *Compiled, f field, values []E) {
	var any []facet
	for _, v := range values {
		any = append(any, facet{field: f, value: uint64(v)})
	}
	c.oneOf(len(values), any)
}

func (c *Compiled) strings(f field, values []string, lookup func(string) (model.Symbol, bool)) {
	var any []facet
	for _, v := range values {
		if symbol, ok := lookup(v); ok && symbol != 0 {
			any = append(any, facet{field: f, value: uint64(symbol)})
		}
	}
	c.oneOf(len(values), any)
}

func (c *Compiled) ids(f field, values []model.MemoryID) {
	var any []facet
	for _, v := range values {
		if !v.Zero() {
			any = append(any, facet{field: f, id: v})
		}
	}
	c.oneOf(len(values), any)
}

// oneOf adds a field of which asked values were asked for and any are known.
func (c *Compiled) oneOf(asked int, any []facet) {
	switch {
	case asked == 0:
	case len(any) == 0:
		c.nothing = true
	default:
		c.fields = append(c.fields, any)
	}
}

func (c *Compiled) bounds(f model.Filter) {
	if f.Since != nil {
		c.since = millisFrom(*f.Since)
	}
	if f.Until != nil {
		c.until = millisFrom(*f.Until)
	}
	if f.SinceTick != nil {
		c.sinceTick = tickFrom(*f.SinceTick)
	}
	if f.UntilTick != nil {
		c.untilTick = tickFrom(*f.UntilTick)
	}
}

// millisFrom returns the first whole millisecond at or after t.
func millisFrom(t time.Time) int64 {
	ms := t.UnixMilli()
	if t.After(time.UnixMilli(ms)) {
		ms++
	}
	return ms
}

func tickFrom(t model.Tick) int64 { return int64(min(uint64(t), endless)) }

// shows reports whether the filter lets a lifecycle state through that is hidden by default.
func (c *Compiled) shows(hidden model.Lifecycle) bool {
	for _, l := range c.include {
		if l == hidden {
			return true
		}
	}
	for _, l := range c.lifecycles {
		if l == hidden {
			return true
		}
	}
	return false
}
