package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
)

var update = flag.Bool("update", false, "write testdata/transcript.txt anew")

func TestRun_PrintsTheTranscript(t *testing.T) {
	got := transcript(t)
	if *update {
		require.NoError(t, os.WriteFile("testdata/transcript.txt", []byte(got), 0o600))
	}
	want, err := os.ReadFile("testdata/transcript.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// Whatever the ranking does to the figures, this holds.
func TestRun_ShowsWhatItPromises(t *testing.T) {
	all := transcript(t)
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "mechanic") {
			require.NotContains(t, line, "March", "the mechanic saw what is private to the grower")
		}
	}
	_, night, _ := strings.Cut(all, "== tuesday")
	require.Contains(t, night, "Nora leaves the greenhouse in March.", "the grower forgot over night")
	require.Equal(t, 2, strings.Count(all, "digest 1\n"), "a restart changed the state")
	require.Contains(t, all, "reconsolidated it")
	require.Contains(t, all, "pinned forbids to archive")
	require.Contains(t, all, "(repeated: true)")
}

// transcript runs the program with a clock, ids and a random source that are the same at every run.
func transcript(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	var ids uint64
	require.NoError(t, run(t.Context(), &out, t.TempDir(), membrain.Options{
		Clock:  func() time.Time { return time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC) },
		NewID:  func() (id membrain.MemoryID) { ids++; binary.BigEndian.PutUint64(id[8:], ids); return id },
		Random: rand.NewChaCha8([32]byte{}),
	}))
	return numbered(out.String())
}

// numbered replaces each digest by the number of its first appearance: the last bit of a float differs between
// processors, equality does not.
func numbered(text string) string {
	seen := map[string]int{}
	return regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllStringFunc(text, func(digest string) string {
		if seen[digest] == 0 {
			seen[digest] = len(seen) + 1
		}
		return fmt.Sprint(seen[digest])
	})
}
