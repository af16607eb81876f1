package filters

import "github.com/membrain-db/membrain/model"

// field is one filterable property.
type field uint8

const (
	fieldType field = iota + 1
	fieldKind
	fieldLifecycle
	fieldTier
	fieldVisibility
	fieldRetention
	fieldPolicyFlag
	fieldSourceKind
	fieldConflict
	fieldTag
	fieldSession
	fieldTask
	fieldWorkspace
	fieldAgent
	fieldSourceRef
	fieldEntity
	fieldFamily
	fieldEra
	fieldConflictRecord
)

// facet is one value of one field; each has a bitmap. Either value or id is in use.
type facet struct {
	id    model.MemoryID
	value uint64
	field field
}

// facetsOf appends every facet of a memory at a tick, in a fixed order.
func facetsOf(dst []facet, m *model.Memory, tick model.Tick) []facet {
	number := func(f field, v uint64) { dst = append(dst, facet{field: f, value: v}) }
	symbol := func(f field, s model.Symbol) {
		if s != 0 {
			number(f, uint64(s))
		}
	}
	id := func(f field, id model.MemoryID) {
		if !id.Zero() {
			dst = append(dst, facet{field: f, id: id})
		}
	}
	number(fieldLifecycle, uint64(m.LifecycleAt(tick)))
	number(fieldType, uint64(m.Type))
	number(fieldKind, uint64(m.Kind))
	number(fieldTier, uint64(m.Tier))
	number(fieldVisibility, uint64(m.Visibility))
	number(fieldRetention, uint64(m.Retention))
	number(fieldSourceKind, uint64(m.SourceKind))
	number(fieldConflict, uint64(m.Conflict))
	number(fieldAgent, uint64(m.Agent.Symbol)) // also 0: what nobody in particular wrote is seen by all
	symbol(fieldSession, m.Session.Symbol)
	symbol(fieldTask, m.Task.Symbol)
	symbol(fieldWorkspace, m.Workspace.Symbol)
	symbol(fieldSourceRef, m.SourceRef)
	id(fieldFamily, m.DuplicateOf)
	id(fieldEra, m.Era)
	for _, flag := range m.PolicyFlags.List() {
		number(fieldPolicyFlag, uint64(flag))
	}
	for _, tag := range m.Tags {
		symbol(fieldTag, tag.Symbol)
	}
	for _, entity := range m.Entities {
		symbol(fieldEntity, entity.Mention)
	}
	for _, record := range m.ConflictIDs {
		id(fieldConflictRecord, record)
	}
	return dst
}
