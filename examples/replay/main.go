// Command replay audits a store directory: it prints what was done, folds the log up to several of its commits, checks
// that what is served is what the log says, and follows one memory back to where it came from.
//
//	go run ./examples/replay [-points 4] [-namespace NAME -memory ID] DIR
//
// Without -memory it follows the one that changed most often. It needs the directory to itself: while another process
// holds it, the error names that process. It ends with 1 when it finds damage. Read run first.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/membrain-db/membrain"
)

func main() {
	log.SetFlags(0)
	a := auditor{out: os.Stdout}
	flag.IntVar(&a.points, "points", 4, "commits to replay to, 1 or more")
	flag.StringVar(&a.subject.Namespace, "namespace", "", "namespace of the memory to follow")
	flag.TextVar(&a.subject.ID, "memory", membrain.MemoryID{}, "id of the memory to follow")
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: replay [flags] DIR"); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() != 1 || a.points < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := a.run(context.Background(), flag.Arg(0), membrain.Options{OneShot: true}); err != nil {
		log.Fatal(err)
	}
}

// auditor reads one store.
type auditor struct {
	store   *membrain.Store
	out     io.Writer
	points  int
	subject membrain.MemoryRequest // the memory to follow
}

// errDamaged says that a check failed; the report says which.
var errDamaged = errors.New("the store is damaged")

// run opens the store as its operator, who alone reads the audit log and may see every private memory.
func (a *auditor) run(ctx context.Context, dir string, o membrain.Options) (err error) {
	if _, err := os.Stat(filepath.Join(dir, "events.db")); err != nil {
		return fmt.Errorf("no store to audit: %w", err) // Open would make one
	}
	if a.store, err = membrain.Open(ctx, dir, o); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.store.Close()) }()
	for _, part := range []func(context.Context) error{a.log, a.replay, a.verify, a.origin} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (a *auditor) print(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// log prints a line for each commit, and picks the memory to follow.
func (a *auditor) log(ctx context.Context) error {
	a.print("audit log")
	changes := map[membrain.MemoryRequest]int{}
	for e, err := range a.store.AuditLog(ctx, membrain.AuditFilter{}) {
		if err != nil {
			return err
		}
		var facts []string
		for _, f := range e.Facts {
			facts = append(facts, f.Type)
			if id, ok := strings.CutPrefix(f.Stream, "memory/"); ok {
				the, err := membrain.ParseMemoryID("stream", id)
				if err != nil {
					return err
				}
				changes[membrain.MemoryRequest{Namespace: e.Namespace, ID: the}]++
			}
		}
		a.print("%4d  %s  tick %d  %s/%s by %s: %s", e.Seq, e.Namespace, e.Tick, e.Door, e.Verb, orElse(e.AgentID, "operator"), strings.Join(facts, ", "))
	}
	if a.subject.ID.Zero() && len(changes) > 0 {
		a.subject = slices.MaxFunc(slices.Collect(maps.Keys(changes)), func(x, y membrain.MemoryRequest) int {
			return cmp.Or(cmp.Compare(changes[x], changes[y]), strings.Compare(y.Namespace, x.Namespace), slices.Compare(y.ID[:], x.ID[:]))
		})
	}
	return nil
}

// replay folds the log from its beginning into a fresh state, once for each point; nothing that is served is touched.
func (a *auditor) replay(ctx context.Context) error {
	a.print("\nreplay")
	stats, err := a.store.Stats(ctx)
	if err != nil {
		return err
	}
	for i := range a.points {
		until := stats.Commits * uint64(i+1) / uint64(a.points)
		if until == 0 {
			continue // fewer commits than points; and UntilSeq 0 means the head
		}
		state, err := a.store.Replay(ctx, membrain.ReplayRequest{UntilSeq: until})
		if err != nil {
			return err
		}
		a.print("%4d  tick %d, memories %d, digest %s", state.Seq, state.Tick, state.Memories, state.Digest)
	}
	return nil
}

// verify compares what is served with the replay of the log, then reads every checksum, hash, version and text.
func (a *auditor) verify(ctx context.Context) error {
	live, err := a.store.Digest(ctx, "")
	if err != nil {
		return err
	}
	folded, err := a.store.Replay(ctx, membrain.ReplayRequest{UntilSeq: live.Seq})
	if err != nil {
		return err
	}
	report, err := a.store.AuditVerify(ctx, nil)
	if err != nil {
		return err
	}
	a.print("\nverify")
	a.print("live digest %s, replay digest %s, equal: %t", live.Digest, folded.Digest, live.Digest == folded.Digest)
	a.print("%d commits, %d facts, head hash %s, %d problems", report.Commits, report.Facts, report.HeadHash, len(report.Problems))
	for _, p := range report.Problems {
		a.print("%4d  %s: want %s, got %s", p.Seq, p.Kind, p.Want, p.Got)
	}
	if !report.OK || live.Digest != folded.Digest {
		return errDamaged
	}
	return nil
}

// origin tells where one memory came from and each thing that happened to it since.
func (a *auditor) origin(ctx context.Context) error {
	if a.subject.ID.Zero() {
		return nil // an empty store
	}
	view, err := a.store.Inspect(ctx, a.subject)
	if err != nil {
		return err
	}
	history, err := a.store.History(ctx, a.subject)
	if err != nil {
		return err
	}
	a.print("\nhistory of %s in %s: %s", view.ID, view.Namespace, view.CompactText)
	a.print("came through %s from %s, written by %s in session %s, out of %d other memories",
		view.SourceKind, orElse(view.SourceRef, "no source"), orElse(view.AgentID, "nobody in particular"), orElse(view.SessionID, "none"), len(view.Lineage))
	for _, f := range history.Facts {
		var changes []string
		for _, field := range slices.Sorted(maps.Keys(f.Changes)) {
			changes = append(changes, field+"="+short(f.Changes[field]))
		}
		a.print("%4d  version %d, tick %d, %s, %s (%s)\n      %s", f.Seq, f.Version, f.Tick, f.At, f.Type, f.Cause, strings.Join(changes, " "))
	}
	return nil
}

// short writes a value of a change: a number, string, boolean or list of them.
func short(value any) string {
	if number, ok := value.(float64); ok {
		return fmt.Sprintf("%.3f", number)
	}
	return fmt.Sprint(value)
}

// orElse reads an optional field: nil is absent.
func orElse(field *string, absent string) string {
	if field == nil {
		return absent
	}
	return *field
}
