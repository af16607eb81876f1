package membrain

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/membrain-db/membrain/actors/brain"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/model/intake"
)

// FormatExport is the format of Export: a whole namespace with its history.
const FormatExport = "membrain"

// ImportFormats lists the formats that Import reads.
func ImportFormats() []string { return append(intake.Formats(), FormatExport) }

// ImportRequest brings many memories at once.
type ImportRequest struct {
	Format    string // one of ImportFormats
	Reader    io.Reader
	Name      string // of the file, for errors
	Namespace string // for rows that name none
	RequestID string // a retry with the same id is answered, not repeated
	DryRun    bool   // validate everything, write nothing
	Progress  func(done, total int)
}

// Import makes a memory of every row: all of a namespace's rows or none, and nothing at all when any row of any
// namespace is refused. The format membrain restores whole namespaces with their history into names that are free.
// Errors: *Error; a refused row names its line.
func (s *Store) Import(ctx context.Context, r ImportRequest) (ImportReply, error) {
	caller := s.caller
	caller.Door, caller.Handle = model.SourceImport, r.Name
	if r.Format == FormatExport {
		return s.importExport(ctx, r)
	}
	if r.Namespace == "" {
		r.Namespace = "default"
	}
	batch, err := intake.Parse(r.Format, r.Name, bufio.NewReader(r.Reader), r.Namespace)
	if err != nil {
		return ImportReply{}, err
	}
	out := ImportReply{Format: r.Format, DryRun: r.DryRun, Read: len(batch.Rows) + batch.Skipped, Skipped: batch.Skipped, Namespaces: map[string]int{}}
	parts := partition(batch, r)
	dry := out
	dry.Namespaces = map[string]int{}
	for _, rows := range parts {
		created, err := s.engine.Check(caller, rows)
		if err != nil {
			return ImportReply{}, err
		}
		dry.Namespaces[rows.Namespace] = created
		dry.Created += created
		dry.Skipped += len(rows.Requests) - created
	}
	if r.DryRun {
		return dry, nil
	}
	return s.importParts(ctx, caller, parts, out)
}

// partition groups rows by namespace, in the order of their first row.
func partition(batch intake.Batch, r ImportRequest) []brain.Rows {
	at := map[string]int{}
	var parts []brain.Rows
	for _, row := range batch.Rows {
		i, ok := at[row.Namespace]
		if !ok {
			i = len(parts)
			at[row.Namespace] = i
			parts = append(parts, brain.Rows{Namespace: row.Namespace, RequestID: r.RequestID, Progress: r.Progress})
		}
		parts[i].Requests = append(parts[i].Requests, row.Request)
		parts[i].Places = append(parts[i].Places, row.Where())
	}
	return parts
}

// importParts imports namespace by namespace. When one fails, those before it stay: the error says how many.
func (s *Store) importParts(ctx context.Context, caller Caller, parts []brain.Rows, out ImportReply) (ImportReply, error) {
	for i, rows := range parts {
		got, err := s.engine.Import(ctx, caller, rows)
		if err != nil {
			return out, partial(err, i, len(parts), "retry with the same request id; what is there is not repeated")
		}
		out.Namespaces[rows.Namespace] = got.Created
		out.Created += got.Created
		out.Skipped += got.Skipped
		out.Tick, out.Seq = got.Tick, got.Seq
	}
	return out, nil
}

func partial(err error, done, all int, hint string) error {
	var e *model.Error
	if done > 0 && errors.As(err, &e) {
		return model.Failure(e.Code, err, "%d of %d namespaces were imported, the next one was not", done, all).
			WithHint(hint)
	}
	return err
}
