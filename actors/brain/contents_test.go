package brain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// contentsOf returns the content numbers that the facts of a commit name.
func contentsOf(t testing.TB, r eventlog.Record) []uint64 {
	t.Helper()
	var out []uint64
	for _, f := range decoded(t, r) {
		switch f := f.(type) {
		case model.MemoryEncoded:
			out = append(out, uint64(f.Memory.Content.Number))
			if f.Memory.Payload.Number != 0 {
				out = append(out, uint64(f.Memory.Payload.Number))
			}
		case model.MemoryRevised:
			if f.Content != nil {
				out = append(out, uint64(f.Content.Content.Number))
			}
		}
	}
	return out
}

func decoded(t testing.TB, r eventlog.Record) []model.Fact {
	t.Helper()
	out := make([]model.Fact, len(r.Facts))
	for i, f := range r.Facts {
		fact, err := codec.DecodeFact(f.Type, f.Schema, f.Body)
		require.NoError(t, err)
		out[i] = fact
	}
	return out
}
