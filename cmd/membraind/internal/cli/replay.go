package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

// replayed is the reply with what --digest adds.
type replayed struct {
	membrain.ReplayReply
	Live  *string `json:"live_digest,omitempty"`
	Equal *bool   `json:"equal,omitempty"`
}

func (s *session) replay() *cobra.Command {
	var r membrain.ReplayRequest
	var until *time.Time
	var compare bool
	c := &cobra.Command{
		Use:   "replay",
		Short: "Fold the log anew and tell the digest of the state",
		Long: `Fold the log anew, in memory, from its beginning to its head or to the bound given, and tell the digest of the state. Two
states with one digest are equal. With --digest the state that is served is digested too, and a difference is corruption;
with a bound there is nothing served to compare with, and the digest of the replay stands alone.`,
		Example: `  membraind replay
  membraind replay --digest
  membraind replay --until-seq 100
  membraind replay --until-tick 40 --namespace team
  membraind replay --until-time 2026-05-01T12:00:00Z`,
		Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if until != nil {
				r.UntilTime = *until
			}
			if r.UntilTick != 0 {
				r.Namespace = s.namedSpace()
			}
			bounded := r.UntilSeq != 0 || r.UntilTick != 0 || until != nil
			return s.replayInto(c, r, compare && !bounded)
		},
	}
	f := c.Flags()
	f.Uint64Var(&r.UntilSeq, "until-seq", 0, "fold to commit `N`; 0 is the head")
	f.Uint64Var(&r.UntilTick, "until-tick", 0, "fold to tick `N`, of the namespace named or of any; 0 is all")
	moment(f, &until, "until-time", "fold to the last commit at or before")
	f.BoolVar(&r.FromCheckpoint, "from-checkpoint", false, "begin at the newest checkpoint before the end")
	f.BoolVar(&compare, "digest", false, "compare with the state that is served, when there is no bound")
	return c
}

func (s *session) replayInto(c *cobra.Command, r membrain.ReplayRequest, compare bool) error {
	bars := s.bars()
	r.Progress = func(done, total uint64) { bars.show("replay", done, total) }
	return s.useOld(c.Context(), func(store *membrain.Store) error {
		got, err := store.Replay(c.Context(), r)
		bars.clear()
		if err != nil {
			return err
		}
		doc := replayed{ReplayReply: got}
		if compare {
			live, err := store.Digest(c.Context(), "")
			if err != nil {
				return err
			}
			doc.Live, doc.Equal = &live.Digest, ptr(live.Digest == got.Digest)
		}
		if err := s.print(doc, func(w io.Writer) { fields(w, doc) }); err != nil {
			return err
		}
		if doc.Equal != nil && !*doc.Equal {
			return model.Failure(model.CodeCorrupt, nil, "the state that is served is not the fold of the log").
				WithHint(fmt.Sprintf("membraind rebuild --data %s makes it anew", quoted(s)))
		}
		return nil
	})
}

// quoted names the data directory for a hint.
func quoted(s *session) string {
	dir, err := s.dataDir()
	if err != nil {
		return "DIR"
	}
	return fmt.Sprintf("%q", dir)
}
