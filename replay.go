package membrain

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/snapshots"
)

// ReplayRequest folds the log from its beginning, or from a checkpoint, into a fresh state in memory.
type ReplayRequest struct {
	UntilSeq       uint64    // last commit to fold; 0 is the head
	UntilTick      uint64    // greatest tick to fold, of Namespace or of any; 0 is all
	UntilTime      time.Time // latest commit time to fold; zero is all
	Namespace      string    // whose tick UntilTick is
	FromCheckpoint bool      // start at the newest checkpoint before the end
	Progress       func(done, total uint64)
}

// ReplayReply is a state, told by its digest. Two states with one digest are equal.
type ReplayReply struct {
	Seq      uint64 `json:"seq"`
	Tick     uint64 `json:"tick"` // sum of the namespaces' ticks
	Commits  uint64 `json:"commits"`
	Facts    uint64 `json:"facts"`
	Memories uint64 `json:"memories"`
	Digest   string `json:"digest"` // SHA-256 over all rows in order, hex
}

// Replay folds the log and answers with the digest of the state. It touches no file and none of what is served.
// Errors: *Error.
func (s *Store) Replay(ctx context.Context, r ReplayRequest) (ReplayReply, error) {
	if err := s.operatorOnly("replay the log"); err != nil {
		return ReplayReply{}, err
	}
	until, err := s.until(r)
	if err != nil {
		return ReplayReply{}, err
	}
	var from *projections.Start
	if r.FromCheckpoint {
		if from, err = s.checkpointBefore(until); err != nil {
			return ReplayReply{}, err
		}
	}
	got, err := projections.Replay(ctx, s.bolt.Log(), until, from, r.Progress)
	if err != nil {
		return ReplayReply{}, failure(err, "replay")
	}
	return ReplayReply{
		Seq: uint64(got.Seq), Tick: got.Tick, Commits: got.Commits, Facts: got.Facts, Memories: got.Memories,
		Digest: hex.EncodeToString(got.Digest[:]),
	}, nil
}

func (s *Store) until(r ReplayRequest) (projections.Until, error) {
	u := projections.Until{Seq: eventlog.Seq(r.UntilSeq), Tick: r.UntilTick}
	if !r.UntilTime.IsZero() {
		u.Time = r.UntilTime.UnixMilli()
	}
	if r.Namespace != "" {
		space, ok := s.projections.SpaceByName(r.Namespace)
		if !ok {
			return u, model.NotFound("namespace", r.Namespace)
		}
		u.Namespace = space.Ordinal()
	}
	if head := s.bolt.Log().Head().Seq; u.Seq > head {
		return u, model.Invalid("until_seq", fmt.Sprint(u.Seq), fmt.Sprintf("1 to %d, the head of the log", head))
	}
	return u, nil
}

// checkpointBefore finds the newest checkpoint that a replay may start from.
func (s *Store) checkpointBefore(u projections.Until) (*projections.Start, error) {
	metas, _ := s.snapshots.List() // damaged ones are passed over here and shown by doctor
	for _, m := range metas {
		if s.reaches(m, u) {
			return &projections.Start{Store: s.snapshots, Meta: m}, nil
		}
	}
	return nil, model.NotFound("checkpoint", "before the end of the replay")
}

func (s *Store) reaches(m snapshots.Meta, u projections.Until) bool {
	if u.Seq != 0 && m.Seq > uint64(u.Seq) {
		return false
	}
	record, err := s.bolt.Log().At(eventlog.Seq(m.Seq))
	return err == nil && record.Hash == m.HeadHash && (u.Tick == 0) && (u.Time == 0 || record.TimeMillis <= u.Time)
}

// Digest returns the digest of what is served now, of the whole store or of one namespace.
func (s *Store) Digest(ctx context.Context, namespace string) (ReplayReply, error) {
	if err := s.operatorOnly("digest the store"); err != nil {
		return ReplayReply{}, err
	}
	var seq eventlog.Seq
	var digest [32]byte
	var err error
	if namespace == "" {
		seq, digest, err = s.projections.Digest(ctx)
	} else {
		space, ok := s.projections.SpaceByName(namespace)
		if !ok {
			return ReplayReply{}, model.NotFound("namespace", namespace)
		}
		seq, digest, err = s.projections.NamespaceDigest(ctx, space.Ordinal())
	}
	if err != nil {
		return ReplayReply{}, failure(err, "digest")
	}
	out := ReplayReply{Seq: uint64(seq), Digest: hex.EncodeToString(digest[:])}
	for _, ns := range s.projections.Namespaces() {
		if namespace == "" || ns.Name == namespace {
			out.Tick += uint64(ns.Tick)
			out.Memories += uint64(ns.Memories)
		}
	}
	return out, nil
}

// Checkpoint writes a checkpoint of the whole state. A named one ([a-z0-9-], 1 to 64) is kept for ever; the others
// are thinned to 16. Errors: *Error.
func (s *Store) Checkpoint(ctx context.Context, name string) error {
	if err := s.operatorOnly("write checkpoints"); err != nil {
		return err
	}
	_, err := s.projections.Checkpoint(ctx, name)
	return failure(err, "write a checkpoint")
}

// verifyProjection compares what is served with a replay up to the same commit.
func (s *Store) verifyProjection(ctx context.Context, out *VerifyReply) error {
	live, err := s.Digest(ctx, "")
	if err != nil {
		return err
	}
	folded, err := s.Replay(ctx, ReplayRequest{UntilSeq: live.Seq})
	if err != nil {
		return err
	}
	if folded.Digest != live.Digest {
		out.Problems = append(out.Problems, VerifyProblem{live.Seq, ProblemProjection, folded.Digest, live.Digest})
	}
	return nil
}

// RebuildReply is what a rebuild made.
type RebuildReply struct {
	Seq     uint64  `json:"seq"`
	Digest  string  `json:"digest"`
	Seconds float64 `json:"seconds"`
}

// Rebuild makes everything that is derived anew from the log, while the store serves. Errors: *Error.
func (s *Store) Rebuild(ctx context.Context, progress func(done, total uint64)) (RebuildReply, error) {
	if err := s.operatorOnly("rebuild the store"); err != nil {
		return RebuildReply{}, err
	}
	start := s.o.Clock()
	if err := s.projections.Rebuild(ctx, progress); err != nil {
		return RebuildReply{}, failure(err, "rebuild")
	}
	d, err := s.Digest(ctx, "")
	return RebuildReply{Seq: d.Seq, Digest: d.Digest, Seconds: s.o.Clock().Sub(start).Seconds()}, err
}
