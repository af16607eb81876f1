package membrain

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"

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
	in := &exportReader{in: bufio.NewReaderSize(r.Reader, 1<<20), rename: r.Namespace, sum: sha256.New()}
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
	sum    hash.Hash
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
	if line.Header == nil && line.End == nil {
		x.sum.Write(append(bytes.TrimRight(full, "\r\n"), '\n')) // whatever ends lines here
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
		return x.symbol(*line.Symbol)
	case line.Content != nil:
		return x.content(*line.Content)
	case line.Commit != nil:
		return x.commit(*line.Commit)
	case line.End != nil:
		return x.end(*line.End)
	}
	return errors.New("empty line")
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
	x.sum.Reset()
	return err
}

func (x *exportReader) symbol(in exportSymbol) error {
	last := uint64(0)
	if n := len(x.open.Symbols); n > 0 {
		last = x.open.Symbols[n-1].Number
	}
	x.open.Symbols = append(x.open.Symbols, eventlog.Symbol(in))
	return rises("number", last, in.Number)
}

func (x *exportReader) content(in exportContent) error {
	last := uint64(0)
	if n := len(x.open.Contents); n > 0 {
		last = x.open.Contents[n-1].Number
	}
	x.open.Contents = append(x.open.Contents, eventlog.Content{Number: in.Number, Body: in.Body})
	return rises("number", last, in.Number)
}

func rises(what string, last, now uint64) error {
	if now <= last || now > math.MaxUint32 {
		return fmt.Errorf("%s %d after %d, where they rise", what, now, last)
	}
	return nil
}

// commit refuses what would never stand in a log: one who reads it would take it for damage, for ever.
func (x *exportReader) commit(in exportCommit) error {
	last := &eventlog.Commit{}
	if n := len(x.open.Commits); n > 0 {
		last = x.open.Commits[n-1]
	}
	switch {
	case in.Tick < last.Tick || in.Tick-last.Tick > 1:
		return fmt.Errorf("tick %d after %d, where it stays or rises by one", in.Tick, last.Tick)
	case in.Millis < last.TimeMillis:
		return fmt.Errorf("millis %d after %d, where it never goes back", in.Millis, last.TimeMillis)
	case in.ContentHigh < last.ContentHigh || in.ContentHigh > math.MaxUint32:
		return fmt.Errorf("content_high %d after %d, where it never goes back", in.ContentHigh, last.ContentHigh)
	case in.SymbolHigh < last.SymbolHigh || in.SymbolHigh > math.MaxUint32:
		return fmt.Errorf("symbol_high %d after %d, where it never goes back", in.SymbolHigh, last.SymbolHigh)
	}
	commit, err := importedCommit(in)
	x.open.Commits = append(x.open.Commits, commit)
	return err
}

func (x *exportReader) end(e exportEnd) error {
	d := x.open
	if e.Symbols != len(d.Symbols) || e.Contents != len(d.Contents) || e.Commits != len(d.Commits) {
		return fmt.Errorf("lines are missing: %d symbols, %d contents, %d commits announced, %d, %d, %d found",
			e.Symbols, e.Contents, e.Commits, len(d.Symbols), len(d.Contents), len(d.Commits))
	}
	if e.SHA256 != "" && e.SHA256 != hex.EncodeToString(x.sum.Sum(nil)) {
		return model.Failure(model.CodeValidation, nil, "the lines of namespace %s are not those that were exported: their sum is not the sha256 of the end line", d.Namespace).
			WithHint("export it again; a file that was changed on purpose is read without the key sha256")
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
