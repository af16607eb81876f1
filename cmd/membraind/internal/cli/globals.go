package cli

import (
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/membrain-db/membrain/model"
)

// globals are the flags that every verb takes.
type globals struct {
	data      string
	namespace string
	agent     string
	json      bool
	quiet     bool
	level     slog.Level
	lockWait  time.Duration

	embedURL   string
	embedModel string
	embedDim   int
	reembed    bool
}

const lockWaitDefault = 5 * time.Second

func (g *globals) bind(f *pflag.FlagSet) {
	f.StringVar(&g.data, "data", "", "data `DIR` (else $MEMBRAIN_DATA, else $XDG_DATA_HOME/membrain or what the system has for it)")
	f.StringVar(&g.namespace, "namespace", "", "namespace `NS` (else $MEMBRAIN_NAMESPACE, else default)")
	f.StringVar(&g.agent, "agent", "", "speak as agent `ID`: sees no other agent's private memories")
	f.BoolVar(&g.json, "json", false, "print one JSON document")
	f.BoolVar(&g.quiet, "quiet", false, "no notes and no progress bars")
	g.level = slog.LevelWarn
	f.Var(&parsed[slog.Level]{at: &g.level, kind: "LEVEL", parse: parseLevel, show: levelName}, "log-level", "log to stderr from debug, info, warn or error on")
	f.DurationVar(&g.lockWait, "lock-wait", lockWaitDefault, "wait up to `DURATION` for another process to leave the directory")
	f.StringVar(&g.embedURL, "embed-url", "", "embed with the OpenAI-compatible server at `URL` (key in $MEMBRAIN_EMBED_KEY)")
	f.StringVar(&g.embedModel, "embed-model", "", "`MODEL` to ask the server for")
	f.IntVar(&g.embedDim, "embed-dim", 0, "dimensions `N` of that model's vectors")
	f.BoolVar(&g.reembed, "reembed", false, "embed namespaces of another embedder anew")
}

func parseLevel(s string) (slog.Level, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(s)); err != nil {
		return 0, model.Invalid("log-level", s, "debug, info, warn, error")
	}
	return l, nil
}

func levelName(l slog.Level) string {
	switch l {
	case slog.LevelDebug:
		return "debug"
	case slog.LevelInfo:
		return "info"
	case slog.LevelError:
		return "error"
	}
	return "warn"
}

// space returns the namespace of the request; the engine checks its form.
func (s *session) space() string {
	return cmp.Or(s.globals.namespace, s.env.Getenv("MEMBRAIN_NAMESPACE"), "default")
}

// namedSpace returns the namespace if one was named, else "".
func (s *session) namedSpace() string {
	return cmp.Or(s.globals.namespace, s.env.Getenv("MEMBRAIN_NAMESPACE"))
}

// dataDir returns the data directory.
//
// Errors: validation when nothing names one and the user has no home.
func (s *session) dataDir() (string, error) {
	if dir := cmp.Or(s.data, s.env.Getenv("MEMBRAIN_DATA")); dir != "" {
		return filepath.Clean(dir), nil
	}
	return userDataDir(runtime.GOOS, s.env.Getenv)
}

// userDataDir is where programs keep a user's data on this system. Source: XDG base directories; Apple's and
// Microsoft's folder conventions.
func userDataDir(system string, getenv func(string) string) (string, error) {
	base, rest := "", ""
	switch system {
	case "windows":
		base = getenv("LocalAppData")
	case "darwin", "ios":
		base, rest = getenv("HOME"), filepath.Join("Library", "Application Support")
	default:
		if base = getenv("XDG_DATA_HOME"); !filepath.IsAbs(base) { // the standard: relative ones are ignored
			base, rest = getenv("HOME"), filepath.Join(".local", "share")
		}
	}
	if base == "" {
		return "", model.Invalid("data", "", "a directory").WithHint("name one with --data or $MEMBRAIN_DATA")
	}
	return filepath.Join(base, rest, "membrain"), nil
}

// makeDataDir makes the directories above the store's own, which only the user may read.
func makeDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return model.Failure(model.CodeUnavailable, err, "make the data directory").WithHint("choose another with --data")
	}
	return nil
}
