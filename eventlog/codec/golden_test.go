package codec_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog/codec"
)

// A golden file is written once, for the version that its comment names, and never changed after a release: a new
// schema gets a new file, and the old one shows that logs of its time still open.
var update = flag.Bool("update", false, "write the golden files that are missing")

// golden returns the bytes of testdata/<name>.golden; with -update it writes got there first when there is none.
func golden(t testing.TB, name, comment string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if _, err := os.Stat(path); err != nil && *update {
		require.NoError(t, os.WriteFile(path, []byte(goldenText(comment, got)), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err, "run go test -update once, for a version that was never written before")
	first, rest, _ := strings.Cut(string(text), "\n")
	require.Equal(t, "# "+comment, first)
	b, err := hex.DecodeString(strings.Join(strings.Fields(rest), ""))
	require.NoError(t, err)
	return b
}

func goldenText(comment string, b []byte) string {
	text := "# " + comment + "\n"
	for line := range slices.Chunk(b, 32) {
		text += hex.EncodeToString(line) + "\n"
	}
	return text
}

func TestDecodeFact_MIG_2_GoldenFactsDecode(t *testing.T) {
	facts := exampleFacts()
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		t.Run(name, func(t *testing.T) {
			encoded, err := codec.EncodeFact(facts[name])
			require.NoError(t, err)
			require.Equal(t, name+".v1", encoded.Type)
			file := fmt.Sprintf("%s.schema%d", encoded.Type, encoded.Schema)
			want := golden(t, file, fmt.Sprintf("body of %s schema %d", encoded.Type, encoded.Schema), encoded.Body)
			require.Equal(t, hex.EncodeToString(want), hex.EncodeToString(encoded.Body), "EncodeFact(%s)", name)
			got, err := codec.DecodeFact(encoded.Type, encoded.Schema, want)
			require.NoError(t, err)
			require.Equal(t, facts[name], got, "DecodeFact(%s)", name)
		})
	}
}

func TestDecodeMemory_MIG_2_GoldenRowDecodes(t *testing.T) {
	m := exampleMemory()
	row := codec.AppendMemory(nil, &m)
	want := golden(t, "row.memory.v1", "state row of a memory, version 1", row)
	require.Equal(t, want, row)
	got, err := codec.DecodeMemory(want)
	require.NoError(t, err)
	require.Equal(t, &m, got)
}

func TestDecodeBrain_MIG_2_GoldenRowDecodes(t *testing.T) {
	b := exampleBrain()
	row := codec.AppendBrain(nil, &b)
	want := golden(t, "row.brain.v1", "state row of a brain, version 1", row)
	require.Equal(t, want, row)
	got, err := codec.DecodeBrain(want)
	require.NoError(t, err)
	require.Equal(t, &b, got)
}

func TestDecodeRecord_MIG_2_GoldenContentDecodes(t *testing.T) {
	r := exampleRecord()
	stored := codec.EncodeRecord(r)
	want := golden(t, "content.record.v1", "content record, version 1", stored)
	require.Equal(t, want, stored)
	got, err := codec.DecodeRecord(want)
	require.NoError(t, err)
	require.Equal(t, r, got)
}

func TestDecodePayload_MIG_2_GoldenPayloadDecodes(t *testing.T) {
	stored := codec.EncodePayload(digest(0x70), []byte("a payload"))
	want := golden(t, "content.payload.v1", "payload record, version 1", stored)
	require.Equal(t, want, stored)
	salt, payload, err := codec.DecodePayload(want)
	require.NoError(t, err)
	require.Equal(t, digest(0x70), salt)
	require.Equal(t, []byte("a payload"), payload)
}

func allExamples() []any {
	all := []any{exampleMemory(), exampleBrain(), exampleRecord()}
	for _, f := range exampleFacts() {
		all = append(all, f)
	}
	return all
}
