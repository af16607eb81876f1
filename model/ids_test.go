package model_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
)

func TestMemoryID_IDN_2_IsAUUID(t *testing.T) {
	const text = "0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55"
	got, err := model.ParseMemoryID("id", text)
	require.NoError(t, err)
	require.Equal(t, text, got.String())
	for _, bad := range []string{
		"", "x", "00000000-0000-0000-0000-000000000000", "0192f0c17b3a7e5d9c1f3b2a1d0e4f55", "{0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55}",
		"urn:uuid:0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f55", "0192f0c1-7b3a-7e5d-9c1f-3b2a1d0e4f5g",
	} {
		_, err := model.ParseMemoryID("parent", bad)
		require.Equal(t, "parent", fault(t, err).Field, bad)
	}
}

func TestIDs_JSONRoundTrip(t *testing.T) {
	type doc struct {
		ID    model.MemoryID    `json:"id"`
		None  model.MemoryID    `json:"none"`
		Print model.Fingerprint `json:"fingerprint"`
		Kind  model.Kind        `json:"kind"`
		Unset model.Kind        `json:"unset"`
	}
	want := doc{ID: id(7), Print: 0x14b74902da04be2b, Kind: model.Schema}
	b, err := json.Marshal(want)
	require.NoError(t, err)
	require.Contains(t, string(b), `"fingerprint":"14b74902da04be2b"`)
	require.Contains(t, string(b), `"none":""`)
	var got doc
	require.NoError(t, json.Unmarshal(b, &got))
	require.Equal(t, want, got)
	require.Error(t, json.Unmarshal([]byte(`{"id":"x"}`), &got))
	require.Error(t, json.Unmarshal([]byte(`{"fingerprint":"14b7"}`), &got))
}

func TestContentNumber_Handle(t *testing.T) {
	require.Equal(t, "content/17", model.ContentNumber(17).Handle())
	require.Empty(t, model.ContentNumber(0).Handle())
}
