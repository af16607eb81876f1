package cli

import (
	"bufio"
	"bytes"
	"context"
	_ "embed" // the sample
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/model/intake"
)

//go:embed demo.jsonl
var demoSample []byte

const (
	demoSpace    = "demo"
	demoQuestion = "where is the staging database?"
)

// demoReply is the demo as one document.
type demoReply struct {
	DataDir   string               `json:"data_dir"`
	Namespace string               `json:"namespace"`
	Encoded   []model.EncodeReply  `json:"encoded"`
	Recall    model.RecallReply    `json:"recall"`
	Again     model.RecallReply    `json:"recall_after_restart"`
	History   model.HistoryReply   `json:"history"`
	Replay    membrain.ReplayReply `json:"replay"`
	Live      string               `json:"live_digest"`
	Equal     bool                 `json:"equal"`
	Verify    membrain.VerifyReply `json:"verify"`
}

func (s *session) demo() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Walk through the main job on sample memories",
		Long: `Encode a dozen sample memories, recall, explain, restart, and replay the log to the same digest: in a temporary directory
that is removed at the end, or in the one that --data names, which stays for you to look at.`,
		Example: `  membraind demo
  membraind demo --data ./demo-data`,
		Args: words(0, 0),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			dir := s.data
			if dir == "" {
				if dir, err = os.MkdirTemp("", "membrain-demo-*"); err != nil {
					return model.Failure(model.CodeUnavailable, err, "make a temporary directory").WithHint("name one with --data")
				}
				defer func() {
					if removeErr := os.RemoveAll(dir); err == nil {
						err = removeErr
					}
				}()
			}
			got, err := s.play(c.Context(), dir)
			if err != nil {
				return err
			}
			return s.print(got, func(w io.Writer) { s.tell(w, got) })
		},
	}
}

// play does the demo: once to write, once more on the reopened directory to show that it lasted.
func (s *session) play(ctx context.Context, dir string) (demoReply, error) {
	got := demoReply{DataDir: dir, Namespace: demoSpace, Encoded: []model.EncodeReply{}}
	if s.globals.namespace != "" {
		got.Namespace = s.globals.namespace
	}
	if err := s.useDir(ctx, dir, opening{}, func(store *membrain.Store) error { return got.write(ctx, store) }); err != nil {
		return got, err
	}
	err := s.useDir(ctx, dir, opening{}, func(store *membrain.Store) error { return got.check(ctx, store) })
	return got, err
}

func (d *demoReply) write(ctx context.Context, store *membrain.Store) error {
	batch, err := intake.Parse(intake.FormatJSONL, "demo.jsonl", bytes.NewReader(demoSample), d.Namespace)
	if err != nil {
		return err
	}
	for _, row := range batch.Rows {
		row.Request.SourceRef = fmt.Sprintf("demo.jsonl:%d", row.Line)
		row.Request.RequestID = fmt.Sprintf("demo-%d", row.Line) // a second demo on one directory adds nothing
		reply, err := store.Encode(ctx, row.Request)
		if err != nil {
			return err
		}
		d.Encoded = append(d.Encoded, reply)
	}
	d.Recall, err = store.Recall(ctx, model.RecallRequest{Namespace: d.Namespace, Query: demoQuestion, Limit: 3, Explain: true})
	return err
}

func (d *demoReply) check(ctx context.Context, store *membrain.Store) (err error) {
	if d.Again, err = store.Recall(ctx, model.RecallRequest{Namespace: d.Namespace, Query: demoQuestion, Limit: 3, NoReinforce: true}); err != nil {
		return err
	}
	if len(d.Again.Results) > 0 {
		first := model.MemoryRequest{Namespace: d.Namespace, ID: d.Again.Results[0].ID}
		if d.History, err = store.History(ctx, first); err != nil {
			return err
		}
	}
	if d.Replay, err = store.Replay(ctx, membrain.ReplayRequest{}); err != nil {
		return err
	}
	live, err := store.Digest(ctx, "")
	if err != nil {
		return err
	}
	d.Live, d.Equal = live.Digest, live.Digest == d.Replay.Digest
	d.Verify, err = store.AuditVerify(ctx, nil)
	return err
}

// tell writes the demo as a story.
func (s *session) tell(out io.Writer, d demoReply) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	fmt.Fprintf(w, "1. Encode: %d memories into namespace %s. Each is a durable fact in the log before the call returns.\n\n", len(d.Encoded), clean(d.Namespace))
	fmt.Fprintf(w, "   the first: %s, %s, salience %.2f, %s, commit %d\n", d.Encoded[0].Type, d.Encoded[0].Lifecycle, d.Encoded[0].Salience.Value, d.Encoded[0].Duplicate.Route, d.Encoded[0].Seq)
	last := d.Encoded[len(d.Encoded)-1]
	fmt.Fprintf(w, "   the last:  %s, %s, salience %.2f, %s, commit %d\n\n", last.Type, last.Lifecycle, last.Salience.Value, last.Duplicate.Route, last.Seq)

	fmt.Fprintf(w, "2. Recall and explain: %q. What is returned is strengthened; every part of every score is shown.\n\n", demoQuestion)
	for i, r := range d.Recall.Results {
		drawResult(w, i+1, r)
	}
	if d.Recall.Trace != nil {
		drawStages(w, d.Recall.Trace.Stages)
	}

	fmt.Fprintf(w, "3. Restart: the directory was closed and opened again. The first answer is now (without reinforcing):\n\n")
	if len(d.Again.Results) > 0 {
		r := d.Again.Results[0]
		fmt.Fprintf(w, "   %.4f  %s\n   strength %s\n\n", r.Score, clean(r.CompactText), decayLine(r.EffectiveStrength, r.Decay))
	}

	fmt.Fprintf(w, "4. History: every fact of that memory.\n\n")
	drawHistory(w, d.History.Facts, 90)

	fmt.Fprintf(w, "\n5. Replay: %d commits with %d facts, folded anew from the first one.\n\n", d.Replay.Commits, d.Replay.Facts)
	fmt.Fprintf(w, "   replayed  %s\n   served    %s  %s\n\n", d.Replay.Digest, d.Live, equalWord(d.Equal))

	fmt.Fprintf(w, "6. Audit: checksums, hash chain, texts and links of all %d commits: %s.\n", d.Verify.Commits, okWord(d.Verify.OK))
	if s.data != "" {
		s.tellNext(w, d)
	}
}

func (s *session) tellNext(w io.Writer, d demoReply) {
	place := fmt.Sprintf("--data %q --namespace %s", s.data, d.Namespace)
	fmt.Fprintf(w, "\nGo on:\n\n  membraind %s\n", strings.Join([]string{
		"explain " + place + ` "what broke the login?"`, "timeline " + place, "audit log " + place,
	}, "\n  membraind "))
}

func equalWord(equal bool) string {
	if equal {
		return "equal"
	}
	return "NOT EQUAL"
}

func okWord(ok bool) string {
	if ok {
		return "ok"
	}
	return "DAMAGED"
}
