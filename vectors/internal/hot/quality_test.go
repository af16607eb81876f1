package hot_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/membrain-db/membrain/vectors/internal/hot"
	"github.com/stretchr/testify/require"
)

// walks makes the planner always walk.
var walks = hot.Costs{Row: 1e9, Key: 1e9, Visit: 1}

func TestSearch_FindsWhatItShould(t *testing.T) {
	for _, float := range []bool{false, true} {
		t.Run(fmt.Sprintf("float=%v", float), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			rows := vectorsOf(clustered(r, 20_200, 64, 200, 0.8), float)
			queries, rows := rows[:200], rows[200:]
			g := build(t, hot.Config{Dim: 64, Float: float, Costs: walks}, rows)
			for _, ef := range []int{16, 32, 64, 128} {
				t.Log(ef, recall(g, queries, 10, ef))
			}
			require.Greater(t, recall(g, queries, 10, 64), 0.98)
		})
	}
}
