package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// build is what this binary was made from.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"` // "" when unknown
	Changed bool   `json:"changed"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

func (s *session) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  membraind version --json", Args: words(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			return s.print(b, func(w io.Writer) { fmt.Fprintf(w, "membraind %s %s %s\n", b.Version, b.Go, b.System) })
		},
	}
}

func thisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	return b
}
