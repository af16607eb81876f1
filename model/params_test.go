package model_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestParams_DefaultsAreValidAndTheZeroValueIsNot(t *testing.T) {
	require.NoError(t, model.DefaultParams().Validate())
	require.Error(t, model.Params{}.Validate())
}

func TestParams_EveryFaultIsReportedTogether(t *testing.T) {
	p := model.DefaultParams()
	p.Strength.LTPDelta, p.Encode.Confidence, p.Window.AgeHalf, p.Ranking.AfterWeights[1] = 2, 0.05, 0, math.NaN()
	err := p.Validate()
	for _, want := range []string{"strength.ltp_delta", `"2"`, "0 to 1", "encode.confidence", "0.1 to 1", "window.age_half", "ranking.after_weights[1]", "NaN"} {
		require.ErrorContains(t, err, want)
	}
	require.Equal(t, model.CodeValidation, model.CodeOf(err))
	require.Len(t, strings.Split(err.Error(), "\n"), 4)
}

// No number of the parameters may be NaN or infinite, whichever it is.
func TestParams_EveryNumberIsChecked(t *testing.T) {
	numbers := 0
	var walk func(v reflect.Value, path string, p *model.Params)
	walk = func(v reflect.Value, path string, p *model.Params) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), path+"."+v.Type().Field(i).Name, p)
			}
		case reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i), path, p)
			}
		case reflect.Float64:
			numbers++
			was := v.Float()
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				v.SetFloat(bad)
				require.Error(t, p.Validate(), "%s = %g", path, bad)
			}
			v.SetFloat(was)
		case reflect.Uint32:
			numbers++
			was := v.Uint()
			v.SetUint(1 << 30)
			require.Error(t, p.Validate(), path)
			v.SetUint(was)
		}
	}
	p := model.DefaultParams()
	walk(reflect.ValueOf(&p).Elem(), "Params", &p)
	require.NoError(t, p.Validate())
	require.Greater(t, numbers, 50)
}

func TestParams_UTL_4_CueWeightsNeverSumOverOne(t *testing.T) {
	p := model.DefaultParams()
	p.Encode.SalienceArousal = 0.3
	require.ErrorContains(t, p.Validate(), "salience_attention + salience_novelty")
}

func TestParams_JSONRoundTrip(t *testing.T) {
	want := model.DefaultParams()
	b, err := json.Marshal(want)
	require.NoError(t, err)
	var got model.Params
	require.NoError(t, json.Unmarshal(b, &got))
	require.Equal(t, want, got)
}
