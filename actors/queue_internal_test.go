package actors

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The ring is not reachable from outside except through a mailbox, where its wrap-around depends on timing.
func TestQueue_AgreesWithASlice(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, seed))
	var q queue
	var model []any
	for step := range 20_000 {
		if bias := step / 2000 % 2 * 40; rng.IntN(100) < 30+bias {
			q.push(step)
			model = append(model, step)
		} else if len(model) > 0 {
			require.Equal(t, model[0], q.pop(), "seed %d step %d", seed, step)
			model = model[1:]
		}
		require.Equal(t, len(model), q.len())
	}
}

func TestQueue_GivesALargeRingBack(t *testing.T) {
	var q queue
	for i := range 100 {
		q.push(i)
	}
	for q.len() > 0 {
		q.pop()
	}
	require.Nil(t, q.ring)
}
