package membrain_test

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var hexColumn = regexp.MustCompile(`(?m)^ *((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  .*)?$`)

// The commit that docs/formats/eventlog.md takes apart is the third one of the log's golden file, byte for byte.
func TestDocs_WorkedCommitIsTheGoldenOne(t *testing.T) {
	page, err := os.ReadFile("docs/formats/eventlog.md")
	require.NoError(t, err)
	_, worked, found := strings.Cut(string(page), "**The bytes.**")
	require.True(t, found)
	block := strings.Split(worked, "```")[1]
	var got strings.Builder
	for _, line := range hexColumn.FindAllStringSubmatch(block, -1) {
		got.WriteString(strings.ReplaceAll(line[1], " ", ""))
	}
	golden, err := os.ReadFile("eventlog/testdata/records.golden")
	require.NoError(t, err)
	require.Equal(t, strings.Fields(string(golden))[2], got.String())
}

// Every key of every kind of line of an export stands in docs/formats/export.md. What changes holds is for readers.
func TestDocs_ExportKeysAreDrawn(t *testing.T) {
	page, err := os.ReadFile("docs/formats/export.md")
	require.NoError(t, err)
	file, err := os.Open(goldenExport)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	keys := map[string]bool{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line any
		require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
		gatherKeys(line, keys)
	}
	require.NoError(t, lines.Err())
	require.Greater(t, len(keys), 25)
	for key := range keys {
		require.Contains(t, string(page), "`"+key+"`")
	}
}

func gatherKeys(value any, keys map[string]bool) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			keys[key] = true
			if key != "changes" {
				gatherKeys(member, keys)
			}
		}
	case []any:
		for _, member := range value {
			gatherKeys(member, keys)
		}
	}
}
