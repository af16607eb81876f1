package cli // internal: exit codes, folders of other systems and drawing are not to be exported for their tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestExitOf_EveryCodeHasItsExit(t *testing.T) {
	for code, want := range map[model.Code]int{
		model.CodeValidation: 2, model.CodeTooLarge: 2, model.CodeNotFound: 3, model.CodePolicyDenied: 4,
		model.CodeVersionConflict: 5, model.CodeStateConflict: 5, model.CodeDuplicateRequest: 5,
		model.CodeBusy: 6, model.CodeLocked: 6, model.CodeUnavailable: 6, model.CodeDegraded: 6,
		model.CodeCorrupt: 7, model.CodeUnsupportedVersion: 1, model.CodeInternal: 1,
	} {
		require.Equal(t, want, exitOf(code), "exitOf(%s)", code)
	}
}

func TestReport_TellsErrorAndHintOrOneDocument(t *testing.T) {
	err := fmt.Errorf("around: %w", model.Invalid("limit", "-1\x1b[31m", "1 to 1000").WithHint("count"))
	var b bytes.Buffer
	require.Equal(t, exitValidation, report(&b, err, false))
	require.Equal(t, "error: limit \"-1\\x1b[31m\" is refused; allowed: 1 to 1000\nhint: count\n", b.String())

	b.Reset()
	require.Equal(t, exitValidation, report(&b, err, true))
	require.JSONEq(t, `{"error":{"code":"validation","field":"limit","value":"-1\u001b[31m","allowed":"1 to 1000",
		"message":"limit \"-1\\x1b[31m\" is refused; allowed: 1 to 1000","hint":"count"}}`, b.String())

	b.Reset()
	require.Equal(t, exitOther, report(&b, errors.New("odd"), false))
	require.Equal(t, "error: odd\n", b.String())

	b.Reset()
	require.Equal(t, exitOther, report(&b, fmt.Errorf("read: %w", context.Canceled), false))
	require.Contains(t, b.String(), "interrupted")
}

func TestUserDataDir_FollowsEachSystem(t *testing.T) {
	root := t.TempDir() // absolute on every system
	for _, c := range []struct {
		system string
		vars   map[string]string
		want   string
	}{
		{"linux", map[string]string{"XDG_DATA_HOME": root, "HOME": "h"}, filepath.Join(root, "membrain")},
		{"linux", map[string]string{"XDG_DATA_HOME": "relative", "HOME": root}, filepath.Join(root, ".local", "share", "membrain")},
		{"freebsd", map[string]string{"HOME": root}, filepath.Join(root, ".local", "share", "membrain")},
		{"darwin", map[string]string{"HOME": root}, filepath.Join(root, "Library", "Application Support", "membrain")},
		{"windows", map[string]string{"LocalAppData": root}, filepath.Join(root, "membrain")},
		{"linux", nil, ""},
	} {
		got, err := userDataDir(c.system, func(name string) string { return c.vars[name] })
		require.Equal(t, c.want != "", err == nil, "userDataDir(%s, %v): %v", c.system, c.vars, err)
		require.Equal(t, c.want, got)
	}
}

func TestClean_LetsNothingSteerTheTerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		" two\r\n lines\t x ": "two lines x",
		"\x1b[31mred":         "\uFFFD[31mred",
		"a\u202Eb\u2066c":     "a\uFFFDb\uFFFDc",
		"\u009b31m":           "\uFFFD31m",
		"👩‍👧 é":               "👩‍👧 é",
	} {
		require.Equal(t, want, clean(in), "clean(%q)", in)
	}
	require.Equal(t, "a\nb\uFFFD", cleanLines("a\nb\r"))
}

func TestCut_KeepsColumns(t *testing.T) {
	require.Equal(t, "héll…", cut("hélloo", 5))
	require.Equal(t, "hello", cut("hello", 5))
	require.Equal(t, "hello", cut("hello", 0))
}

func TestDrawParts_ScalesBarsToTheLargestPart(t *testing.T) {
	var b bytes.Buffer
	drawParts(&b, map[string]float64{"vector": 0.25, "lexical": 0.5, "difficulty": -0.125, "zeal": 0})
	require.Equal(t, "   lexical     +0.5000 "+strings.Repeat("█", 24)+
		"\n   vector      +0.2500 "+strings.Repeat("█", 12)+
		"\n   difficulty  -0.1250 "+strings.Repeat("░", 6)+
		"\n   zeal        +0.0000 \n", b.String())
}

func TestDecayLine_DET_1_NamesEveryInput(t *testing.T) {
	d := model.DecayReply{BaseStrength: 0.6, Stability: 2500, LastAccessedTick: 3, CurrentTick: 12, DeltaTicks: 9}
	require.Equal(t, "0.5978 of base 0.6000, stability 2500 ticks, 9 ticks since access at tick 3, now tick 12; computed on reading, not stored", decayLine(0.5978, d))
	d.BypassDecay, d.Persisted = true, true
	require.Equal(t, "0.6000 of base 0.6000, stability 2500 ticks, 9 ticks since access at tick 3, now tick 12, does not fade; stored by this request", decayLine(0.6, d))
}

func TestFields_ShowNestedDocuments(t *testing.T) {
	var b bytes.Buffer
	fields(&b, struct {
		A string         `json:"a"`
		B *int           `json:"b"`
		C map[string]int `json:"c"`
		D []string       `json:"d"`
		E []map[string]int
		F []int
		G struct{ H float64 }
	}{A: "x\x1b", C: map[string]int{}, D: []string{"p", "q"}, E: []map[string]int{{"n": 1}, {"n": 2}}, F: []int{}})
	require.Equal(t, "a       x\uFFFD\nb       -\nc       -\nd       p, q\nE[0].n  1\nE[1].n  2\nF       -\nG.H     0\n", b.String())
}

func TestAge_ReadsLikeSpeech(t *testing.T) {
	require.Equal(t, "2026-05-01 12:00", when(ptr("2026-05-01T12:00:00.000Z"), ""))
	require.Equal(t, "odd", when(nil, "odd"))
	for seconds, want := range map[int]string{-5: "0 s ago", 59: "59 s ago", 60: "1 min ago", 7200: "2 h ago", 3 * 86400: "3 days ago"} {
		require.Equal(t, want, age(durationOf(seconds)))
	}
}

func TestMain_ReportsAFaultBeforeTheFlagsAsJSONWhenAsked(t *testing.T) {
	for asked, want := range map[string]string{"--json": "{\"error\":", "--quiet": "error: "} {
		var out, err bytes.Buffer
		code := Main(t.Context(), Env{
			Args: []string{"stats", "--nope", asked}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
			Getenv: func(string) string { return "" },
		})
		require.Equal(t, exitValidation, code)
		require.Empty(t, out.String())
		require.True(t, strings.HasPrefix(err.String(), want), err.String())
	}
	require.False(t, askedForJSON([]string{"encode", "--", "--json"}))
}

func TestWriteWhole_LeavesNothingWhenItFails(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	broken := errors.New("broken")
	err := writeWhole(name, false, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return broken
	})
	require.ErrorIs(t, err, broken)
	left, globErr := filepath.Glob(filepath.Join(filepath.Dir(name), "*"))
	require.NoError(t, globErr)
	require.Empty(t, left)
}

func durationOf(seconds int) time.Duration { return time.Duration(seconds) * time.Second }
