package projections_test

import (
	"context"
	"sync"
	"testing"

	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/stretchr/testify/require"
)

// One applier, four readers, and a rebuild and a checkpoint in between: every view is of one commit.
func TestRead_ViewsAreOfOneCommitWhileOthersAreApplied(t *testing.T) {
	s := newStore(t, 30)
	o := s.options()
	o.Snapshots, o.FlushRows = s.checkpoints(), 50
	o.Listener = nil
	p := s.open(o)
	s.p = p
	n := s.create("team")
	s.history(50)
	space, ok := p.Space(n.ordinal)
	require.True(t, ok)
	alice := model.Viewer{Agent: model.Symbol(n.symbols["alice"])}

	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				readOnce(t, p, space, alice)
			}
		})
	}
	var background sync.WaitGroup
	background.Go(func() {
		for range 3 {
			if err := p.Rebuild(context.Background(), nil); err != nil {
				t.Error(err)
			}
			if _, err := p.Checkpoint(context.Background(), ""); err != nil {
				t.Error(err)
			}
		}
	})
	s.history(1500)
	background.Wait()
	s.history(100)
	close(stop)
	readers.Wait()
	replayed, err := projections.Replay(context.Background(), s.mem.Log(), projections.Until{}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, replayed.Digest, digest(t, p))
}

func readOnce(t *testing.T, p *projections.Projections, space *projections.Space, viewer model.Viewer) {
	tick := space.Brain().Tick
	c := space.Compile(model.Filter{Tags: []string{"red"}}, viewer, tick)
	var ids []model.MemoryID
	space.Read(func(v *projections.View) {
		match, live := v.Match(c), v.Live()
		if match.AndCardinality(live) != match.GetCardinality() {
			t.Error("a match is not live")
		}
		if v.Len() != int(live.GetCardinality()) {
			t.Errorf("%d memories, %d live ordinals", v.Len(), live.GetCardinality())
		}
		for _, hit := range v.Lexical("melanie lake", 10, match) {
			h := v.Hot(hit.Ordinal)
			if h == nil {
				t.Error("a hit is not live")
				continue
			}
			v.Neighbours(hit.Ordinal, 3, match, nil, nil)
			ids = append(ids, h.ID)
		}
	})
	for _, id := range ids {
		if _, err := space.Memory(id); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := space.List(c, "", 5, false); err != nil {
		t.Error(err)
	}
	p.Stats()
}
