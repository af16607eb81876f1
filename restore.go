package membrain

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// exportLineMax bounds one line: the largest content, in base64, with its text beside it.
const exportLineMax = 256 << 20

// importExport reads an export. Everything is read and checked before anything is written.
func (s *Store) importExport(ctx context.Context, r ImportRequest) (ImportReply, error) {
	if err := s.operatorOnly("import an export"); err != nil {
		return ImportReply{}, err
	}
	parts, err := readExport(r)
	if err != nil {
		return ImportReply{}, err
	}
	if r.Namespace != "" && len(parts) > 1 {
		return ImportReply{}, model.Invalid("namespace", r.Namespace, fmt.Sprintf("none: the file holds %d namespaces, which keep their names", len(parts)))
	}
	out := ImportReply{Format: FormatExport, DryRun: r.DryRun, Namespaces: map[string]int{}}
	for _, part := range parts {
		if err := s.engine.CheckFree(part.Namespace); err != nil {
			return ImportReply{}, err
		}
		out.Read += part.Memories()
		out.Created += part.Memories()
		out.Namespaces[part.Namespace] = part.Memories()
	}
	if r.DryRun {
		return out, nil
	}
	for i, part := range parts {
		head, err := s.engine.Restore(ctx, part)
		if err != nil {
			return ImportReply{}, partial(err, i, len(parts), "cut the namespaces that are there out of the file, and import the rest")
		}
		out.Seq, out.Tick = uint64(head), part.Tick()
	}
	return out, nil
}

func readExport(r ImportRequest) ([]brain.Dump, error) {
	in := &exportReader{in: bufio.NewReaderSize(r.Reader, 1<<20), rename: r.Namespace}
	for {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = in.take(line)
		}
		if err != nil {
			var known *model.Error
			if errors.As(err, &known) {
				return nil, fmt.Errorf("%s line %d: %w", r.Name, in.line, err)
			}
			return nil, model.Failure(model.CodeValidation, nil, "%s line %d is no line of a membrain export: %v", r.Name, in.line, err).
				WithHint("write it with membraind export, or name its --format")
		}
	}
	if err := in.checkNames(r.Name); err != nil {
		return nil, err
	}
	if in.open != nil || len(in.parts) == 0 {
		return nil, model.Failure(model.CodeValidation, nil, "%s ends in the middle of an export, after line %d", r.Name, in.line).WithHint("export it again")
	}
	return in.parts, nil
}

// checkNames refuses two namespaces for one name: the second could not be restored after the first was.
func (x *exportReader) checkNames(file string) error {
	seen := map[string]bool{}
	for _, part := range x.parts {
		if seen[part.Namespace] {
			err := model.Invalid("namespace", part.Namespace, "a name for each of the namespaces in "+file)
			return err.WithHint("restore them without --namespace, or export them one by one")
		}
		seen[part.Namespace] = true
	}
	return nil
}

// exportReader checks the order of lines and gathers them by namespace.
type exportReader struct {
	in     *bufio.Reader
	line   int
	rename string // name for the only namespace; "" keeps the names
	open   *brain.Dump
	parts  []brain.Dump
}

func (x *exportReader) next() (exportLine, error) {
	raw, err := x.in.ReadSlice('\n')
	full := append([]byte(nil), raw...)
	for errors.Is(err, bufio.ErrBufferFull) && len(full) <= exportLineMax {
		raw, err = x.in.ReadSlice('\n')
		full = append(full, raw...)
	}
	x.line++
	if err != nil && !(errors.Is(err, io.EOF) && len(full) > 0) {
		return exportLine{}, err
	}
	dec := json.NewDecoder(bytes.NewReader(full))
	dec.DisallowUnknownFields()
	var line exportLine
	if err := dec.Decode(&line); err != nil {
		return line, errors.New("malformed JSON or an unknown key")
	}
	return line, nil
}

func (x *exportReader) take(line exportLine) error {
	switch {
	case line.Header != nil:
		return x.header(*line.Header)
	case x.open == nil:
		return errors.New("a header comes first")
	case line.Symbol != nil:
		x.open.Symbols = append(x.open.Symbols, eventlog.Symbol(*line.Symbol))
	case line.Content != nil:
		x.open.Contents = append(x.open.Contents, eventlog.Content{Number: line.Content.Number, Body: line.Content.Body})
	case line.Commit != nil:
		commit, err := importedCommit(*line.Commit)
		x.open.Commits = append(x.open.Commits, commit)
		return err
	case line.End != nil:
		return x.end(*line.End)
	default:
		return errors.New("empty line")
	}
	return nil
}

func (x *exportReader) header(h exportHeader) error {
	if x.open != nil {
		return errors.New("the export before has no end")
	}
	if h.Version != exportVersion {
		return model.Failure(model.CodeUnsupportedVersion, nil, "export version %d; this membrain reads %d", h.Version, exportVersion).WithHint("use a newer membrain")
	}
	name := h.Namespace
	if x.rename != "" {
		name = x.rename
	}
	name, err := model.ParseNamespace(name)
	x.open = &brain.Dump{Namespace: name}
	return err
}

func (x *exportReader) end(e exportEnd) error {
	d := x.open
	if e.Symbols != len(d.Symbols) || e.Contents != len(d.Contents) || e.Commits != len(d.Commits) {
		return fmt.Errorf("lines are missing: %d symbols, %d contents, %d commits announced, %d, %d, %d found",
			e.Symbols, e.Contents, e.Commits, len(d.Symbols), len(d.Contents), len(d.Commits))
	}
	for _, part := range x.parts {
		if part.Namespace == d.Namespace {
			return fmt.Errorf("namespace %s stands in the file twice", d.Namespace)
		}
	}
	x.parts = append(x.parts, *d)
	x.open = nil
	return nil
}

func importedCommit(in exportCommit) (*eventlog.Commit, error) {
	out := &eventlog.Commit{
		Tick: in.Tick, TimeMillis: in.Millis, Agent: in.Agent, Door: in.Door, Verb: in.Verb,
		ContentHigh: in.ContentHigh, SymbolHigh: in.SymbolHigh,
	}
	digest, err := hex.DecodeString(in.Request)
	if err != nil || len(digest) != len(out.RequestDigest) {
		return nil, errors.New("request is no digest of 16 bytes")
	}
	copy(out.RequestDigest[:], digest)
	for _, f := range in.Facts {
		id, err := uuid.Parse(f.ID)
		if err != nil {
			return nil, errors.New("a fact has no id")
		}
		if _, err := codec.DecodeFact(f.Type, f.Schema, f.Body); err != nil {
			return nil, err
		}
		out.Facts = append(out.Facts, eventlog.Fact{
			Stream:  eventlog.Stream{Family: eventlog.Family(f.Family), ID: id},
			Version: f.Version, Type: f.Type, Schema: f.Schema, Body: f.Body,
		})
	}
	return out, nil
}
