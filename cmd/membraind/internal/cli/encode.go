package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) encode() *cobra.Command {
	var r model.EncodeRequest
	var tool model.ToolRunIn
	var observation model.ObservationIn
	var payload string
	c := &cobra.Command{
		Use:   "encode TEXT|-",
		Short: "Remember one thing",
		Long: `Remember one thing: the text as given, or what comes on stdin with -. Only the text is needed; the rest says what it is and
where it comes from.`,
		Example: `  membraind encode "Ann merged the login fix."
  membraind encode --type fact --tag infra "The staging database moved to Frankfurt."
  membraind encode --type user_preference --session s-12 "Ann wants answers in German."
  git log -1 | membraind encode --type observation --observation-source stdin -
  membraind encode --type tool_outcome --tool "go test" --outcome failure --payload test.log "2 of 40 tests fail"`,
		Args: words(1, 1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			r.Namespace = s.space()
			if r.Text, err = s.text(args[0]); err != nil {
				return err
			}
			if r.Payload, err = readPayload(payload); err != nil {
				return err
			}
			if tool != (model.ToolRunIn{}) {
				r.Tool = &tool
			}
			if observation != (model.ObservationIn{}) {
				r.Observation = &observation
			}
			return s.use(c.Context(), func(store *membrain.Store) error {
				got, err := store.Encode(c.Context(), r)
				if err != nil {
					return err
				}
				return s.print(got, func(w io.Writer) { drawEncode(w, got) })
			})
		},
	}
	f := c.Flags()
	one(f, &r.Type, "type", model.ParseMemoryType, model.MemoryTypeLabels(), "what it is")
	one(f, &r.Kind, "kind", model.ParseKind, model.KindLabels(), "class, else it follows from the type")
	texts(f, &r.Tags, "tag", "TAG", "label it with")
	f.StringVar(&r.Context, "context", "", "`TEXT` that surrounds it; embedded and indexed with it")
	one(f, &r.SourceKind, "source-kind", model.ParseSourceKind, []string{model.SourceCLI.String(), model.SourceObserve.String()}, "path that it came by")
	f.StringVar(&r.SourceRef, "source-ref", "", "where it comes from: a `REF` of yours")
	f.StringVar(&r.SessionID, "session", "", "session `ID`")
	f.StringVar(&r.TaskID, "task", "", "task `ID`")
	f.StringVar(&r.WorkspaceID, "workspace", "", "workspace `ID`")
	moment(f, &r.OccurredAt, "occurred", "when it happened")
	fraction(f, &r.Authoritativeness, "authority", "trust in the source, 0 to 1")
	fraction(f, &r.Attention, "attention", "0 to 1; below the namespace's bound nothing is kept")
	fraction(f, &r.TaskRelevance, "task-relevance", "0 to 1")
	fraction(f, &r.Valence, "valence", "emotion, -1 to 1")
	fraction(f, &r.Arousal, "arousal", "emotion, 0 to 1")
	f.BoolVar(&r.BypassDecay, "bypass-decay", false, "never let it fade")
	one(f, &r.Retention, "retention", model.ParseRetention, model.RetentionLabels(), "how long it is kept")
	one(f, &r.Visibility, "visibility", model.ParseVisibility, model.VisibilityLabels(), "who sees it")
	several(f, &r.PolicyFlags, "policy-flag", model.ParsePolicyFlag, model.PolicyFlagLabels(), "governance flags")
	texts(f, &r.Entities, "entity", "NAME", "who or what it is about:")
	ids(f, &r.Goals, "goal", "goal memory that it serves")
	f.StringVar(&payload, "payload", "", "keep the bytes of `FILE` with it")
	ids(f, &r.Lineage, "parent", "memory that it derives from")
	ids(f, &r.Endpoints, "endpoint", "end of a relation, side of a conflict_record")
	f.StringVar(&tool.Tool, "tool", "", "`NAME` of the tool, for tool_outcome")
	f.StringVar(&tool.ExecutionRef, "execution-ref", "", "`REF` of the tool's run")
	f.StringVar(&tool.Context, "execution-context", "", "`WORDS` on where the tool ran")
	one(f, &tool.Outcome, "outcome", model.ParseToolOutcomeCategory, model.ToolOutcomeCategoryLabels(), "how the tool's run ended")
	one(f, &observation.Source, "observation-source", model.ParseObservationSource, model.ObservationSourceLabels(), "how it was observed")
	f.StringVar(&observation.Chunk, "chunk", "", "`ID` that groups what one pass observed")
	requestID(f, &r.RequestID)
	return c
}

// drawEncode tells what became of an intake, a subject a line.
func drawEncode(w io.Writer, r model.EncodeReply) {
	repeated := ""
	if r.Repeated {
		repeated = ", answered from an earlier request"
	}
	fmt.Fprintf(w, "%-10s %s%s\n", r.Outcome, orDash(r.ID.String()), repeated)
	fmt.Fprintf(w, "namespace  %s, tick %d, commit %d\n", clean(r.Namespace), r.Tick, r.Seq)
	fmt.Fprintf(w, "memory     %s, %s, version %d, %s, %s\n", r.Type, r.Kind, r.Version, r.Lifecycle, r.Tier)
	fmt.Fprintf(w, "duplicate  %s\n", duplicateLine(r.Duplicate))
	var cues []string
	for _, c := range r.Salience.Cues {
		cues = append(cues, fmt.Sprintf("%.2f of %s %.2f (%s)", c.Weight, c.Name, c.Value, c.Origin))
	}
	fmt.Fprintf(w, "salience   %.3f: %s\n", r.Salience.Value, orDash(strings.Join(cues, ", ")))
	for _, d := range r.Deferred {
		fmt.Fprintf(w, "deferred   %s: %s\n", clean(d.Lane), clean(d.Reason))
	}
}

func duplicateLine(d model.DuplicateReply) string {
	line := fmt.Sprintf("%s, novelty %.2f among %d candidates", orDash(d.Route.String()), d.Novelty, d.CandidatesInspected)
	if d.NearestSimilarity != nil {
		line += fmt.Sprintf(", nearest similarity %.2f", *d.NearestSimilarity)
	}
	if !d.FamilyID.Zero() {
		line += ", family " + d.FamilyID.String()
	}
	return line
}

// text returns the argument, or what comes on stdin for "-". One byte over the bound is read, so that the engine
// refuses it.
func (s *session) text(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	raw, err := io.ReadAll(io.LimitReader(s.env.Stdin, model.TextBytesMax+1))
	if err != nil {
		return "", model.Failure(model.CodeUnavailable, err, "read stdin")
	}
	return string(raw), nil
}

func readPayload(file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	f, err := openFile("payload", file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, model.PayloadBytesMax+1))
	if err != nil {
		return nil, model.Failure(model.CodeUnavailable, err, "read %s", file)
	}
	return raw, nil
}

// openFile opens a file that a flag or argument names; field names that in the error.
func openFile(field, name string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, model.Invalid(field, name, "a file that is there")
	}
	if err != nil {
		return nil, model.Failure(model.CodeUnavailable, err, "read the %s", field)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = model.Invalid(field, name, "a file, not a directory")
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, err
	}
	return f, nil
}
