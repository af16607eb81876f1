package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGenerate_CommittedCodeIsCurrent makes the stored protobuf anew and compares it with what is committed.
func TestGenerate_CommittedCodeIsCurrent(t *testing.T) {
	const folder = "eventlog/eventpb"
	t.Chdir(filepath.Join("..", ".."))
	out := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(out, folder), 0o755))
	require.NoError(t, generate(t.Context(), out, []string{folder}))
	made, err := filepath.Glob(filepath.Join(out, folder, "*.pb.go"))
	require.NoError(t, err)
	require.NotEmpty(t, made)
	for _, path := range made {
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(folder, filepath.Base(path)))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "run make proto: %s is not current", filepath.Base(path))
	}
}

func TestGenerate_NamesWhatIsWrong(t *testing.T) {
	require.ErrorContains(t, generate(t.Context(), t.TempDir(), []string{t.TempDir()}), "no .proto file")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("bad.proto", []byte("syntax = \"proto3\"; message {"), 0o600))
	require.ErrorContains(t, generate(t.Context(), t.TempDir(), []string{"."}), "bad.proto")
}
