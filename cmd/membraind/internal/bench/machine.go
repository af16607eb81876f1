package bench

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// machine names processor, cores, system and Go version.
func machine() string {
	return fmt.Sprintf("%s, %d threads, %s/%s, %s", processor(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func processor() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil { // another system than Linux does not say
		return "unknown processor"
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// commit is the revision that the build names, else that of the checkout around the working directory.
func commit(ctx context.Context) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil { // no git, or no checkout
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
