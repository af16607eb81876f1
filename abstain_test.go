package membrain_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain"
)

// Cases 23 and 31: nothing good enough is told apart from a failure, the nearest is shown, and RCL-1: it is not strengthened.
func TestRecall_RCL_1_AnAbstentionShowsTheNearestAndStrengthensNothing(t *testing.T) {
	ctx := context.Background()
	s, err := membrain.Open(ctx, t.TempDir(), membrain.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	got, err := s.Encode(ctx, membrain.EncodeRequest{Namespace: "n", Text: "The staging database moved to Frankfurt."})
	require.NoError(t, err)
	for query, abstains := range map[string]bool{"xyzzy nonsense": true, "who are you": true, "where is the database": false} {
		r, err := s.Recall(ctx, membrain.RecallRequest{Namespace: "n", Query: query})
		require.NoError(t, err, query)
		require.Equal(t, abstains, r.Abstained, query)
		require.Equal(t, abstains, len(r.Results) == 0, query)
		require.Equal(t, abstains, len(r.Nearest) == 1, query)
	}
	v, err := s.Inspect(ctx, membrain.MemoryRequest{Namespace: "n", ID: got.ID})
	require.NoError(t, err)
	require.EqualValues(t, 1, v.RecallCount, "only the answered query counts")
}
