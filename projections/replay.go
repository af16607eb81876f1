package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/projections/state"
	"github.com/membrain-db/membrain/snapshots"
)

// Digest returns the last commit applied and SHA-256 of the whole table at it: every stream's fold and every acknowledged request,
// in order of keys, then the number of the commit. Live, rebuilt, checkpoint plus tail, and replayed tables of one log have the same.
// Errors: ErrUnavailable; ErrClosed; those of ctx.
func (p *Projections) Digest(ctx context.Context) (eventlog.Seq, [32]byte, error) {
	return p.digest(ctx, nil)
}

// NamespaceDigest returns the same over the rows of one namespace.
func (p *Projections) NamespaceDigest(ctx context.Context, ns eventlog.Ordinal) (eventlog.Seq, [32]byte, error) {
	return p.digest(ctx, &ns)
}

func (p *Projections) digest(ctx context.Context, only *eventlog.Ordinal) (seq eventlog.Seq, digest [32]byte, err error) {
	snapshot, err := p.live.table.Load().Snapshot()
	if err != nil {
		return 0, digest, p.readFailed(err)
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	digest, err = snapshot.Digest(ctx, only)
	return snapshot.Head().Seq, digest, err
}

// Until bounds a replay: it ends before the first commit that lies beyond any bound that is set. The zero value is the head.
type Until struct {
	Seq       eventlog.Seq     // last commit to fold
	Tick      uint64           // greatest tick to fold, of Namespace, or of any namespace when that is 0
	Namespace eventlog.Ordinal // whose tick Tick is
	Time      int64            // latest time to fold, Unix milliseconds
}

func (u Until) includes(r *eventlog.Record) bool {
	ticks := u.Tick != 0 && (u.Namespace == 0 || u.Namespace == r.Namespace)
	return !(u.Seq != 0 && r.Seq > u.Seq) && !(ticks && r.Tick > u.Tick) && !(u.Time != 0 && r.TimeMillis > u.Time)
}

// ReplayResult is what a replay came to.
type ReplayResult struct {
	Seq         eventlog.Seq // last commit contained
	Tick        uint64       // sum of the namespaces' ticks
	Commits     uint64       // folded, without those of the checkpoint
	Facts       uint64
	Memories    uint64
	Quarantined uint64
	Digest      [32]byte // as Digest gives it
}

// Start is a checkpoint from which a replay sets out.
type Start struct {
	Store *snapshots.Store
	Meta  snapshots.Meta
}

// Replay folds a log into a fresh table in memory, from its first commit, or from a checkpoint when from is not nil. It touches no
// file. progress may be nil. Errors: codec.ErrUnsupported; those of the log, of the checkpoint, of ctx.
func Replay(ctx context.Context, log eventlog.Log, until Until, from *Start, progress func(done, total uint64)) (ReplayResult, error) {
	table := state.InMemory(state.Identity{StoreID: log.StoreID(), Epoch: log.Epoch(), Format: foldFormat})
	if from != nil {
		if err := startAt(ctx, log, table, until, from); err != nil {
			return ReplayResult{}, fmt.Errorf("replay: %w", err)
		}
	}
	if progress == nil {
		progress = func(uint64, uint64) {}
	}
	commits, facts, err := catchUp(ctx, log, table, until.includes, progress)
	if err != nil {
		return ReplayResult{}, fmt.Errorf("replay: %w", err)
	}
	return resultOf(ctx, table, commits, facts)
}

func startAt(ctx context.Context, log eventlog.Log, table *state.Table, until Until, from *Start) error {
	record, err := log.At(eventlog.Seq(from.Meta.Seq))
	switch {
	case err != nil:
		return fmt.Errorf("checkpoint at commit %d: %w", from.Meta.Seq, err)
	case record.Hash != from.Meta.HeadHash:
		return fmt.Errorf("checkpoint at commit %d is of another log", from.Meta.Seq)
	case !until.includes(&record):
		return fmt.Errorf("checkpoint at commit %d lies beyond the end of the replay", from.Meta.Seq)
	}
	return restore(ctx, table, from.Store, from.Meta)
}

func resultOf(ctx context.Context, table *state.Table, commits, facts uint64) (result ReplayResult, err error) {
	snapshot, err := table.Snapshot()
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	result = ReplayResult{Seq: snapshot.Head().Seq, Commits: commits, Facts: facts}
	err = snapshot.Rows(ctx, func(_ eventlog.Stream, row *state.Row) error {
		if row.Fault != nil {
			result.Quarantined++
		}
		if row.Memory != nil {
			result.Memories++
		}
		if row.Brain != nil {
			result.Tick += uint64(row.Brain.Tick)
		}
		return nil
	})
	if err != nil {
		return result, err
	}
	result.Digest, err = snapshot.Digest(ctx, nil)
	return result, err
}
