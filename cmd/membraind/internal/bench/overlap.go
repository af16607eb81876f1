package bench

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/membrain-db/membrain"
)

// tally is what the replies of overlapping recalls said.
type tally struct {
	mu      sync.Mutex
	held    map[membrain.MemoryID]int // replies that held each memory
	replies []stamp
}

// stamp is when a reply was.
type stamp struct {
	tick membrain.Tick
	seq  uint64
}

func (t *tally) add(reply membrain.RecallReply) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, result := range reply.Results {
		t.held[result.ID]++
	}
	t.replies = append(t.replies, stamp{reply.Tick, reply.Seq})
}

// disorder counts replies that share a tick with another or whose seq does not rise with the tick.
func (t *tally) disorder() (n int) {
	slices.SortFunc(t.replies, func(a, b stamp) int { return cmp.Or(cmp.Compare(a.tick, b.tick), cmp.Compare(a.seq, b.seq)) })
	for i := 1; i < len(t.replies); i++ {
		if t.replies[i].tick == t.replies[i-1].tick || t.replies[i].seq <= t.replies[i-1].seq {
			n++
		}
	}
	return n
}

// overlap lets 32 callers recall overlapping sets of few memories, and settles the accounts: each memory was
// strengthened once for every reply that held it, and ticks rise with seq. A call that fails ends the benchmark.
func (r *runner) overlap(ctx context.Context, s *membrain.Store) error {
	stories, err := fill(ctx, s, space, 2, 200)
	if err != nil {
		return err
	}
	t := &tally{held: map[membrain.MemoryID]int{}}
	turn := time.Duration(r.size(30_000, 2_000)) * time.Millisecond
	r.say("actors: 32 callers on 200 memories for %s", turn)
	got, err := during(ctx, 32, turn, func(i int) error {
		reply, err := s.Recall(ctx, membrain.RecallRequest{Namespace: space, Query: stories[i%20].question(i), Limit: 10})
		if err == nil {
			t.add(reply)
		}
		return err
	})
	if err != nil {
		return err
	}
	wrong, err := miscounted(ctx, s, t.held)
	if err != nil {
		return err
	}
	actors, err := s.Stats(ctx)
	if err != nil {
		return err
	}
	r.add("actors.overlap_recalls", float64(got.done), "recalls", got.done)
	r.add("actors.overlap_per_s", got.perSecond(), "recalls/s", got.done)
	r.add("actors.overlap_miscounted", float64(wrong), "memories", len(t.held))
	r.add("actors.overlap_disorder", float64(t.disorder()), "replies", len(t.replies))
	r.add("actors.overlap_restarts", float64(actors.Actors.Restarts+actors.Actors.Panics+actors.Actors.DeadLetters), "actors", got.done)
	return nil
}

// miscounted counts memories whose recall_count is not the number of replies that held them.
func miscounted(ctx context.Context, s *membrain.Store, held map[membrain.MemoryID]int) (wrong int, err error) {
	for id, replies := range held {
		view, err := s.Inspect(ctx, membrain.MemoryRequest{Namespace: space, ID: id, NoPayload: true})
		if err != nil {
			return 0, err
		}
		if int(view.RecallCount) != replies {
			wrong++
		}
	}
	return wrong, nil
}
