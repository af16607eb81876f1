package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestPolicy_INH_2_GOV_2_WhoSeesWhat(t *testing.T) {
	const nobody, a, b = model.Symbol(0), model.Symbol(1), model.Symbol(2)
	for _, c := range []struct {
		name       string
		viewer     model.Viewer
		visibility model.Visibility
		agent      model.Symbol
		want       bool
	}{
		{"own private", model.Viewer{Agent: a}, model.Private, a, true},
		{"another's private", model.Viewer{Agent: b}, model.Private, a, false},
		{"private, seen by nobody in particular", model.Viewer{Agent: nobody}, model.Private, a, false},
		{"private of nobody in particular", model.Viewer{Agent: b}, model.Private, nobody, true},
		{"private, operator", model.Viewer{Operator: true}, model.Private, a, true},
		{"shared", model.Viewer{Agent: b}, model.Shared, a, true},
		{"public", model.Viewer{Agent: b}, model.Public, a, true},
		{"unset fails closed", model.Viewer{Operator: true}, 0, nobody, false},
		{"unknown fails closed", model.Viewer{Operator: true}, 9, nobody, false},
	} {
		require.Equal(t, c.want, c.viewer.Sees(c.visibility, c.agent), c.name)
		m := &model.Memory{Visibility: c.visibility, Agent: model.Bound{Symbol: c.agent}}
		require.Equal(t, c.want, c.viewer.CanSee(m), c.name)
	}
}

func TestPolicy_GOV_3_Held(t *testing.T) {
	require.Zero(t, model.PolicyFlags(0).Held())
	require.Zero(t, model.PolicyFlags(0).With(model.FlagRedacted).With(model.FlagNoShare).Held())
	held := model.PolicyFlags(0).With(model.FlagDeletionHold).With(model.FlagNoShare)
	require.Equal(t, model.FlagDeletionHold, held.Held())
	require.Zero(t, held.Without(model.FlagDeletionHold).Held())
	require.Equal(t, []model.PolicyFlag{model.FlagDeletionHold, model.FlagNoShare}, held.List())
}

func TestPolicy_INH_3_FlagsAndRetentionNeedNoPayload(t *testing.T) {
	req := request("contract")
	req.PolicyFlags, req.Retention = []model.PolicyFlag{model.FlagLegalHold}, model.RetainDurable
	v := born(t, req, 1).View(model.ViewInput{Namespace: "team", Resolve: (&symbols{}).resolve, NoPayload: true, Tick: 1})
	require.Equal(t, []model.PolicyFlag{model.FlagLegalHold}, v.PolicyFlags)
	require.Equal(t, model.RetainDurable, v.Retention)
	require.Nil(t, v.Text)
	require.Nil(t, v.Payload)
}
