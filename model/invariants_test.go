package model_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestInvariants_EachLawHasAFailingCase(t *testing.T) {
	for law, broken := range map[string][]func(*model.Memory){
		"M1": {
			func(m *model.Memory) { m.ID = model.MemoryID{} },
			func(m *model.Memory) { m.Type = 16 },
			func(m *model.Memory) { m.Visibility = 0 },
		},
		"M2": {
			func(m *model.Memory) { m.Version = 0 },
			func(m *model.Memory) { m.ContentRevision = 2 },
			func(m *model.Memory) { m.ContentRevision = 0 },
		},
		"M3": {func(m *model.Memory) { m.UpdatedAt = m.CreatedAt - 1 }},
		"M4": {
			func(m *model.Memory) { m.Confidence = 0.05 },
			func(m *model.Memory) { m.Decay.BaseStrength = math.NaN() },
			func(m *model.Memory) { m.Decay.Stability = 0 },
			func(m *model.Memory) { m.Difficulty = 0.6 },
		},
		"M5": {
			func(m *model.Memory) { m.RestabiliseTo = 0 },
			func(m *model.Memory) { m.Lifecycle, m.RestabiliseTo = model.SynapticDone, 0 },
		},
		"M6": {
			func(m *model.Memory) { m.ArchivedFrom = model.SynapticDone },
			func(m *model.Memory) { m.Lifecycle, m.RestabiliseTo, m.LabileUntil = model.Archived, 0, 0 },
		},
		"M7": {func(m *model.Memory) { m.SourceRef = 0 }},
	} {
		for i, breakIt := range broken {
			m := *born(t, request("tea"), 1)
			require.NoError(t, model.MemoryInvariants(&m))
			breakIt(&m)
			require.ErrorContains(t, model.MemoryInvariants(&m), law, "case %d", i)
		}
	}
}

func TestDecideEncode_NRM_7_RefusesADraftThatNormaliseWouldNotMake(t *testing.T) {
	for field, spoil := range map[string]func(*model.Encode){
		"id":          func(e *model.Encode) { e.ID = model.MemoryID{} },
		"memory_type": func(e *model.Encode) { e.Draft.Type = 0 },
		"kind":        func(e *model.Encode) { e.Draft.Kind = 0 },
		"source_kind": func(e *model.Encode) { e.Draft.SourceKind = 0 },
		"endpoints":   func(e *model.Encode) { e.Draft.Type = model.TypeRelation },
		"tool":        func(e *model.Encode) { e.Draft.Type = model.TypeToolOutcome },
	} {
		cmd := normalised(t, request("tea"), agent()).Command(id(1), (&symbols{}).intern)
		spoil(&cmd)
		_, err := model.DecideEncode(cmd, content(1), model.PayloadRef{}, model.DefaultParams(), moment(1))
		require.Equal(t, field, fault(t, err).Field)
	}
}

func TestCounters_StayAtTheirCeiling(t *testing.T) {
	m := *born(t, request("tea"), 1)
	m.RecallCount, m.ReconsolidationCount = math.MaxUint32, math.MaxUint32
	require.Equal(t, uint32(math.MaxUint32), done(t, &m, model.Reinforce{Cause: model.CauseRecall}, 2).RecallCount)
	require.Equal(t, uint32(math.MaxUint32), done(t, &m, newText(2), 2).ReconsolidationCount)
}
