package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGenerate_TheCommittedVocabularyIsUpToDate(t *testing.T) {
	want, err := os.ReadFile("../../model/vocabulary_gen.go")
	require.NoError(t, err)
	got, err := render(enums)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./model")
}

func TestCheck_RefusesANameOrLabelTwice(t *testing.T) {
	require.NoError(t, check(enums))
	require.Error(t, check([]enum{{Type: "A", Values: []value{{"X", "x"}, {"Y", "x"}}}}))
	require.Error(t, check([]enum{{Type: "A", Values: []value{{"X", "x"}}}, {Type: "B", Values: []value{{"X", "y"}}}}))
	require.Error(t, check([]enum{{Type: "A", Values: []value{{"X", ""}}}}))
}
