package brain_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// overlapSeconds is the environment variable that makes TestOverlap run for that many seconds, as issue 2 demands 30.
const overlapSeconds = "MEMBRAIN_OVERLAP_SECONDS"

// TestOverlap_RCL_1_EveryReplyCountsOnce has 32 callers recall overlapping sets. Every memory is counted as often as it
// was returned, ticks rise with seq, and nobody is refused or waits for ever.
func TestOverlap_RCL_1_EveryReplyCountsOnce(t *testing.T) {
	until := time.Now()
	if n, err := strconv.Atoi(os.Getenv(overlapSeconds)); err == nil {
		until = until.Add(time.Duration(n) * time.Second)
	}
	r := newRig(t, onBolt)
	const memories, callers, rounds = 40, 32, 8
	for i := range memories {
		r.encode(text(i))
	}
	type seen struct {
		counts map[model.MemoryID]uint32
		ticks  map[eventlog.Seq]model.Tick
	}
	all := make([]seen, callers)
	var group sync.WaitGroup
	for c := range callers {
		all[c] = seen{map[model.MemoryID]uint32{}, map[eventlog.Seq]model.Tick{}}
		group.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(c)))
			for i := 0; i < rounds || time.Now().Before(until); i++ {
				query := "harbour topic-" + strconv.Itoa(random.IntN(memories))
				got, err := r.e.Recall(context.Background(), operator, model.RecallRequest{Namespace: ns, Query: query})
				if err != nil {
					t.Errorf("recall: %v", err)
					return
				}
				all[c].ticks[eventlog.Seq(got.Seq)] = got.Tick
				for _, result := range got.Results {
					all[c].counts[result.ID]++
				}
			}
		})
	}
	group.Wait()

	counts, ticks := map[model.MemoryID]uint32{}, map[eventlog.Seq]model.Tick{}
	for _, s := range all {
		for id, n := range s.counts {
			counts[id] += n
		}
		for seq, tick := range s.ticks {
			require.NotContains(t, ticks, seq, "two recalls share a commit")
			ticks[seq] = tick
		}
	}
	total := 0
	for id, n := range counts {
		v := r.inspect(id)
		require.Equal(t, n, v.RecallCount)
		require.Equal(t, uint64(n)+1, v.Version)
		total += int(n)
	}
	require.GreaterOrEqual(t, len(ticks), callers*rounds)
	require.Greater(t, total, 5*len(ticks))
	for seq := eventlog.Seq(memories + 1); seq <= r.head(); seq++ {
		require.Equal(t, model.Tick(seq), ticks[seq], "every recall is one commit and one tick, in order")
	}
	r.audit()
}
