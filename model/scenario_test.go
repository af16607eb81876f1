package model_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

// The format is in testdata/README.txt.
func TestScenarios_LIF_2_STR_1_STR_2_CNF_2_GOV_3(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.Greater(t, len(files), 5)
	for _, file := range files {
		if filepath.Base(file) == "README.txt" {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runScenario(t, file) })
	}
}

func runScenario(t *testing.T, file string) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close() // only read
	life := &life{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		command, outcome, found := strings.Cut(line, "=>")
		require.True(t, found, "%s:%d: no =>", file, n)
		life.step(t, strings.Fields(command), strings.Fields(outcome), fmt.Sprintf("%s:%d: %s", file, n, line))
	}
	require.NoError(t, lines.Err())
	require.NotNil(t, life.m, "%s encodes nothing", file)
}

// life is one memory on its way through a scenario.
type life struct {
	m        *model.Memory
	contents model.ContentNumber
}

func (l *life) step(t *testing.T, command, outcome []string, where string) {
	tick, err := strconv.ParseUint(command[0], 10, 64)
	require.NoError(t, err, where)
	before := l.m
	err = l.run(t, command[1], words(command[2:]), model.Tick(tick), where)
	if l.m != nil {
		require.NoError(t, model.MemoryInvariants(l.m), where)
	}
	code := model.CodeOf(err)
	for _, want := range outcome {
		key, value, _ := strings.Cut(want, "=")
		switch key {
		case "refused":
			require.Equal(t, value, string(code), where)
			require.Same(t, before, l.m, where)
			code = ""
		case "same":
			require.Same(t, before, l.m, where)
		default:
			requireShown(t, value, l.shown(t, key, model.Tick(tick), where), where+" ("+key+")")
		}
	}
	require.Empty(t, string(code), "%s: %v", where, err)
}

// run decides and folds one command; the error is its refusal.
func (l *life) run(t *testing.T, name string, args map[string]string, tick model.Tick, where string) error {
	switch name {
	case "encode":
		l.m = l.encode(t, args, tick)
		return nil
	case "look":
		return nil
	case "consolidate":
		m := *l.m
		require.NoError(t, model.Transition(m.LifecycleAt(tick), model.Consolidating, model.TransitionClaim), where)
		require.NoError(t, model.Transition(model.Consolidating, model.Consolidated, model.TransitionConsolidate), where)
		m.Lifecycle, m.RestabiliseTo, m.LabileUntil = model.Consolidated, 0, 0
		l.m = &m
		return nil
	}
	facts, err := model.Decide(l.m, l.command(t, name, args, where), model.DefaultParams(), moment(tick))
	for _, f := range facts {
		l.m = model.Apply(l.m, f)
	}
	return err
}

func (l *life) encode(t *testing.T, args map[string]string, tick model.Tick) *model.Memory {
	req := request("something that happened")
	req.Type, req.Kind = parsed(t, model.ParseMemoryType, args["type"]), parsed(t, model.ParseKind, args["kind"])
	req.SourceRef = args["ref"]
	req.Attention, req.Arousal, req.Valence = number(t, args["attention"]), number(t, args["arousal"]), number(t, args["valence"])
	if flag := parsed(t, model.ParsePolicyFlag, args["flag"]); flag != 0 {
		req.PolicyFlags = []model.PolicyFlag{flag}
	}
	found := model.Findings{}
	if s := number(t, args["similarity"]); s != nil {
		found = model.Findings{Inspected: 1, NearestSimilarity: *s}
	}
	l.contents = 1
	return bornWith(t, req, tick, found, &symbols{})
}

func (l *life) command(t *testing.T, name string, args map[string]string, where string) model.Command {
	switch name {
	case "recall":
		return model.Reinforce{Cause: model.CauseRecall}
	case "reinforce":
		return model.Reinforce{Cause: model.CauseReinforce}
	case "rewrite":
		l.contents++
		return newText(l.contents)
	case "update":
		cmd := model.Revise{
			Type: parsed(t, model.ParseMemoryType, args["type"]), Kind: parsed(t, model.ParseKind, args["kind"]),
			Retention: parsed(t, model.ParseRetention, args["retention"]),
		}
		if flag := parsed(t, model.ParsePolicyFlag, args["flag"]); flag != 0 {
			cmd.PolicyFlags = ptr(l.m.PolicyFlags.With(flag))
		}
		return cmd
	case "pin":
		return model.Pin{}
	case "unpin":
		return model.Unpin{}
	case "forget":
		return model.Archive{Reason: model.ArchivedForgotten}
	case "fade":
		return model.Archive{Reason: model.ArchivedFaded}
	case "retire":
		return model.Archive{Reason: model.ArchivedRetention}
	case "restore":
		return model.Restore{}
	}
	require.Fail(t, "unknown command", where)
	return nil
}

// shown returns what the scenario calls key.
func (l *life) shown(t *testing.T, key string, tick model.Tick, where string) any {
	m := l.m
	switch key {
	case "state":
		return m.LifecycleAt(tick).String()
	case "back":
		return m.RestabiliseTo.String()
	case "until":
		return float64(m.LabileUntil)
	case "strength":
		return m.EffectiveAt(tick)
	case "base":
		return m.Decay.BaseStrength
	case "stability":
		return m.Decay.Stability
	case "confidence":
		return m.Confidence
	case "utility":
		return m.Utility
	case "salience":
		return m.Salience
	case "recalls":
		return float64(m.RecallCount)
	case "revised":
		return float64(m.ContentRevision - 1)
	case "version":
		return float64(m.Version)
	case "retention":
		return m.Retention.String()
	case "kind":
		return m.Kind.String()
	case "bypass":
		if m.Decay.Bypass == 0 {
			return "none"
		}
		return m.Decay.Bypass.String()
	}
	require.Fail(t, "unknown outcome "+key, where)
	return nil
}

// requireShown compares to the digits shown.
func requireShown(t *testing.T, want string, got any, where string) {
	n, isNumber := got.(float64)
	if !isNumber {
		require.Equal(t, want, got, where)
		return
	}
	value, err := strconv.ParseFloat(want, 64)
	require.NoError(t, err, where)
	_, decimals, _ := strings.Cut(want, ".")
	require.InDelta(t, value, n, 0.51*math.Pow(10, -float64(len(decimals))), where)
}

func words(fields []string) map[string]string {
	out := map[string]string{}
	for _, f := range fields {
		key, value, _ := strings.Cut(f, "=")
		out[key] = value
	}
	return out
}

func number(t *testing.T, s string) *float64 {
	if s == "" {
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return &v
}

func parsed[E any](t *testing.T, parse func(string) (E, error), s string) (v E) {
	if s == "" {
		return v
	}
	v, err := parse(s)
	require.NoError(t, err)
	return v
}
