package model_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestLifecycle_LIF_1_ExactNames(t *testing.T) {
	require.Equal(t, []string{"Labile", "SynapticDone", "Consolidating", "Consolidated", "Superseded", "Archived"}, model.LifecycleLabels())
}

func TestLifecycle_WindowGoldenValues(t *testing.T) {
	p := model.DefaultParams().Window
	for _, c := range []struct {
		age      uint64
		strength float64
		want     uint64
	}{
		{0, 0.4992, 37}, {0, 1, 50}, {0, 0.2, 30}, {0, 0.19, 0}, {500, 1, 25},
		{500, 0.5, 18}, {1500, 0.3, 8}, {10_000, 1, 5}, {100, 0.6, 33},
	} {
		require.Equal(t, c.want, model.WindowTicks(c.age, c.strength, p), "WindowTicks(%d, %g)", c.age, c.strength)
	}
}

// transitions is the table of numbers.md, row by row; every other edge is illegal. "" is "no memory yet".
var transitions = map[string]bool{
	" Labile encode": true,

	"Labile SynapticDone window_end": true,
	"Labile Consolidated window_end": true,

	"SynapticDone Consolidating claim":       true,
	"Consolidating Consolidated consolidate": true,
	"Consolidating SynapticDone abort":       true,

	"SynapticDone Labile recall":   true,
	"Consolidated Labile recall":   true,
	"SynapticDone Labile revision": true,
	"Consolidated Labile revision": true,

	"Labile Superseded supersession":       true,
	"SynapticDone Superseded supersession": true,
	"Consolidated Superseded supersession": true,

	"SynapticDone Archived forgetting": true,
	"Consolidated Archived forgetting": true,
	"SynapticDone Archived retention":  true,
	"Consolidated Archived retention":  true,
	"Superseded Archived retention":    true,
	"SynapticDone Archived forget":     true,
	"Consolidated Archived forget":     true,

	"Archived SynapticDone restore": true,
	"Archived Consolidated restore": true,
	"Archived Superseded restore":   true,
}

// Every from (and none), every to, every cause: 7 * 7 * 13 edges.
func TestLifecycle_LIF_3_LIF_5_LIF_7_TheWholeEdgeMatrix(t *testing.T) {
	legal := 0
	for from := model.Lifecycle(0); from <= model.Archived; from++ {
		for to := model.Lifecycle(0); to <= model.Archived; to++ {
			for cause := model.TransitionCause(0); cause <= model.TransitionRestore; cause++ {
				edge := fmt.Sprintf("%s %s %s", from, to, cause)
				err := model.Transition(from, to, cause)
				if transitions[edge] {
					legal++
					require.NoError(t, err, edge)
					continue
				}
				var refused *model.RefusedError
				require.ErrorAs(t, err, &refused, edge)
				require.Equal(t, model.CodeStateConflict, model.CodeOf(err), edge)
				require.Equal(t, model.FamilyValidationFailure, refused.Family)
				require.Equal(t, from, refused.From)
				require.Equal(t, to, refused.To)
			}
		}
	}
	require.Equal(t, len(transitions), legal)
}

func TestLifecycle_LIF_2_EncodeOpensAHalfOpenWindow(t *testing.T) {
	m := born(t, request("tea"), 100)
	require.Equal(t, model.Labile, m.Lifecycle)
	require.Equal(t, model.Tick(137), m.LabileUntil)
	require.Equal(t, model.Labile, m.LifecycleAt(136))
	require.Equal(t, model.SynapticDone, m.LifecycleAt(137))
	require.Equal(t, model.SynapticDone, m.LifecycleAt(1_000_000), "expiry needs no fact")
}

func TestLifecycle_LIF_2_AWeakMemoryOpensNoWindow(t *testing.T) {
	p := model.DefaultParams()
	p.Strength.BaseStrength = 0.1
	cmd := normalised(t, request("tea"), agent()).Command(id(1), (&symbols{}).intern)
	fact, err := model.DecideEncode(cmd, content(1), model.PayloadRef{}, p, moment(100))
	require.NoError(t, err)
	require.Equal(t, model.Labile, fact.Memory.Lifecycle, "encode leads to Labile")
	require.Equal(t, model.SynapticDone, fact.Memory.LifecycleAt(100), "for no tick")
	require.NoError(t, model.MemoryInvariants(&fact.Memory))
}

func TestLifecycle_LIF_2_LIF_4_AReopenedMemoryGoesBackToItsFormerState(t *testing.T) {
	for _, stable := range []model.Lifecycle{model.SynapticDone, model.Consolidated} {
		m := *born(t, request("tea"), 100)
		m.Lifecycle, m.RestabiliseTo, m.LabileUntil = stable, 0, 0
		open := done(t, &m, model.Reinforce{Cause: model.CauseRecall}, 600)
		require.Equal(t, m.ID, open.ID, "no new identity")
		require.Equal(t, model.Labile, open.LifecycleAt(600))
		require.Equal(t, stable, open.RestabiliseTo)
		require.Equal(t, stable, open.LifecycleAt(open.LabileUntil))
	}
}

func TestLifecycle_LIF_2_ARecallRestartsTheWindow(t *testing.T) {
	m := born(t, request("tea"), 100)
	again := done(t, m, model.Reinforce{Cause: model.CauseRecall}, 130)
	require.Equal(t, model.Labile, again.LifecycleAt(130))
	require.Equal(t, model.SynapticDone, again.RestabiliseTo)
	require.Equal(t, model.Tick(130)+model.Tick(model.WindowTicks(30, again.Decay.BaseStrength, model.DefaultParams().Window)), again.LabileUntil)
	require.Greater(t, again.LabileUntil, m.LabileUntil)
}

func TestLifecycle_LIF_2_ARecallOfAReopenedMemoryKeepsItsFormerState(t *testing.T) {
	m := *born(t, request("tea"), 100)
	m.Lifecycle, m.RestabiliseTo, m.LabileUntil = model.Consolidated, 0, 0
	again := done(t, done(t, &m, model.Reinforce{Cause: model.CauseRecall}, 600), model.Reinforce{Cause: model.CauseRecall}, 605)
	require.Equal(t, model.Labile, again.LifecycleAt(605))
	require.Equal(t, model.Consolidated, again.LifecycleAt(again.LabileUntil))
}

func TestLifecycle_LIF_2_ARecallNeverShortensAnOpenWindow(t *testing.T) {
	m := born(t, request("tea"), 100)
	p := model.DefaultParams()
	p.Window.StrengthMin = 1 // changed since the encode: no window opens any more
	facts, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, p, moment(110))
	require.NoError(t, err)
	require.Equal(t, m.LabileUntil, model.Apply(m, facts[0]).LabileUntil)
}

func TestLifecycle_LIF_2_AnUpdateInsideTheWindowNeedsConsolidatingAgain(t *testing.T) {
	m := *born(t, request("tea"), 100)
	m.Lifecycle, m.RestabiliseTo, m.LabileUntil = model.Consolidated, 0, 0
	open := done(t, &m, model.Reinforce{Cause: model.CauseRecall}, 600)
	require.Equal(t, model.Consolidated, open.RestabiliseTo)
	revised := done(t, open, newText(2), 601)
	require.Equal(t, model.Labile, revised.LifecycleAt(601))
	require.Equal(t, model.SynapticDone, revised.RestabiliseTo)
	require.Equal(t, model.Tick(601)+model.Tick(model.WindowTicks(501, revised.Decay.BaseStrength, model.DefaultParams().Window)), revised.LabileUntil)
}

func TestLifecycle_LIF_4_TooWeakToReopen(t *testing.T) {
	m := born(t, request("tea"), 1)
	p := model.DefaultParams()
	p.Strength.LTPDelta = 0.01
	facts, err := model.Decide(m, model.Reinforce{Cause: model.CauseRecall}, p, moment(20_000))
	require.NoError(t, err)
	after := model.Apply(m, facts[0])
	require.Less(t, after.Decay.BaseStrength, 0.2)
	require.Equal(t, model.SynapticDone, after.Lifecycle)
	require.Equal(t, uint32(1), after.RecallCount)
	require.NoError(t, model.MemoryInvariants(after))
}

func TestLifecycle_LIF_10_AConsolidatingMemoryIsStrengthenedWithoutReopening(t *testing.T) {
	m := *born(t, request("tea"), 1)
	m.Lifecycle, m.RestabiliseTo, m.LabileUntil = model.Consolidating, 0, 0
	after := done(t, &m, model.Reinforce{Cause: model.CauseRecall}, 500)
	require.Equal(t, model.Consolidating, after.LifecycleAt(500))
	require.Equal(t, uint32(1), after.RecallCount)
	require.Greater(t, after.Decay.Stability, m.Decay.Stability)

	refused(t, &m, model.Archive{Reason: model.ArchivedForgotten}, 500, model.CodeStateConflict)
	refused(t, &m, newText(2), 500, model.CodeStateConflict)
	refused(t, &m, model.Revise{Retention: model.RetainDurable}, 500, model.CodeStateConflict)
}

func TestLifecycle_LIF_5_ForgetOfALabileMemoryClosesItsWindowFirst(t *testing.T) {
	m := born(t, request("tea"), 100)
	facts, err := model.Decide(m, model.Archive{Reason: model.ArchivedForgotten}, model.DefaultParams(), moment(101))
	require.NoError(t, err)
	require.Len(t, facts, 2)
	require.Equal(t, model.SynapticDone, facts[0].(model.LabileWindowClosed).Lifecycle)
	archived := facts[1].(model.MemoryArchived)
	require.Equal(t, model.SynapticDone, archived.From)
	require.Equal(t, m.EffectiveAt(101), archived.Effective, "DET-4: the inputs that justify it")
	require.Equal(t, uint64(1), archived.DeltaTicks)

	after := model.Apply(model.Apply(m, facts[0]), facts[1])
	require.Equal(t, model.Archived, after.LifecycleAt(101))
	require.Equal(t, uint64(3), after.Version)

	facts, err = model.Decide(m, model.Archive{Reason: model.ArchivedForgotten}, model.DefaultParams(), moment(500))
	require.NoError(t, err)
	require.Len(t, facts, 1, "an expired window needs no closing")
}

func TestLifecycle_LIF_7_ForbiddenEdgesLeaveAnArtifact(t *testing.T) {
	labile := born(t, request("tea"), 1)
	archived := done(t, labile, model.Archive{Reason: model.ArchivedForgotten}, 2)
	superseded := *labile
	superseded.Lifecycle, superseded.RestabiliseTo, superseded.LabileUntil = model.Superseded, 0, 0

	for _, c := range []struct {
		name     string
		m        *model.Memory
		cmd      model.Command
		from, to model.Lifecycle
	}{
		{"Labile to Archived by forgetting", labile, model.Archive{Reason: model.ArchivedFaded}, model.Labile, model.Archived},
		{"Labile to Archived by retention", labile, model.Archive{Reason: model.ArchivedRetention}, model.Labile, model.Archived},
		{"Archived to Labile by recall", archived, model.Reinforce{Cause: model.CauseRecall}, model.Archived, model.Labile},
		{"Archived to Labile by a new text", archived, newText(2), model.Archived, model.Labile},
		{"Archived twice", archived, model.Archive{Reason: model.ArchivedForgotten}, model.Archived, model.Archived},
		{"Superseded to Labile by recall", &superseded, model.Reinforce{Cause: model.CauseRecall}, model.Superseded, model.Labile},
		{"Superseded to Labile by a new text", &superseded, newText(2), model.Superseded, model.Labile},
		{"Superseded to Archived by forget", &superseded, model.Archive{Reason: model.ArchivedForgotten}, model.Superseded, model.Archived},
		{"restore of what is not archived", labile, model.Restore{}, model.Labile, 0},
	} {
		err := refused(t, c.m, c.cmd, 3, model.CodeStateConflict)
		fact, ok := model.Refusal(model.VerbForget, id(1), fmt.Errorf("decide: %w", err), moment(3))
		require.True(t, ok, c.name)
		require.Equal(t, model.RequestRefused{
			Verb: model.VerbForget, Family: model.FamilyValidationFailure, Memory: id(1),
			From: c.from, To: c.to, Count: 1, At: moment(3).Now,
		}, fact, c.name)
	}

	_, ok := model.Refusal(model.VerbForget, id(1), model.NotFound("id", "x"), moment(3))
	require.False(t, ok, "not_found leaves no artifact")
}

func TestLifecycle_LIF_8_GOV_3_PinsAndHoldsForbidArchiving(t *testing.T) {
	for _, flag := range []model.PolicyFlag{model.FlagLegalHold, model.FlagComplianceLock, model.FlagDeletionHold} {
		req := request("contract")
		req.PolicyFlags = []model.PolicyFlag{flag}
		for _, reason := range []model.ArchiveReason{model.ArchivedForgotten, model.ArchivedFaded, model.ArchivedRetention} {
			err := refused(t, born(t, req, 1), model.Archive{Reason: reason}, 500, model.CodePolicyDenied)
			require.Contains(t, err.Error(), flag.String(), "the flag is named")
			fact, ok := model.Refusal(model.VerbForget, id(1), err, moment(500))
			require.True(t, ok)
			require.Equal(t, flag, fact.Flag)
			require.Equal(t, model.FamilyPolicyDenied, fact.Family)
		}
	}
	pinned := done(t, born(t, request("contract"), 1), model.Pin{}, 2)
	err := refused(t, pinned, model.Archive{Reason: model.ArchivedForgotten}, 500, model.CodePolicyDenied)
	require.Contains(t, err.Error(), "pinned")
}

func TestLifecycle_LIF_9_ASideOfAnOpenConflictOutlivesForgetting(t *testing.T) {
	m := *born(t, request("tea"), 1)
	m.Conflict = model.ConflictOpen
	for _, reason := range []model.ArchiveReason{model.ArchivedFaded, model.ArchivedRetention} {
		err := refused(t, &m, model.Archive{Reason: reason}, 500, model.CodeStateConflict)
		require.Contains(t, err.Error(), "conflict")
	}
	require.Equal(t, model.Archived, done(t, &m, model.Archive{Reason: model.ArchivedForgotten}, 500).Lifecycle, "an explicit forget is a decision")
	m.Conflict = model.ConflictResolved
	require.Equal(t, model.Archived, done(t, &m, model.Archive{Reason: model.ArchivedFaded}, 500).Lifecycle)
}

func TestLifecycle_DEM_4_RestoreReturnsTheStateItHad(t *testing.T) {
	for from, reason := range map[model.Lifecycle]model.ArchiveReason{
		model.SynapticDone: model.ArchivedForgotten, model.Consolidated: model.ArchivedFaded, model.Superseded: model.ArchivedRetention,
	} {
		m := *born(t, request("tea"), 1)
		m.Lifecycle, m.RestabiliseTo, m.LabileUntil = from, 0, 0
		archived := done(t, &m, model.Archive{Reason: reason}, 50)
		require.Equal(t, reason, archived.ArchivedFor)
		back := done(t, archived, model.Restore{}, 60)
		require.Equal(t, from, back.LifecycleAt(60))
		require.Zero(t, back.ArchivedFor)
		require.Equal(t, m.Decay, back.Decay, "decay went on by itself; neither step touched it")
		require.NoError(t, model.MemoryInvariants(back))
	}
}
