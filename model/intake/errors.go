package intake

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/membrain-db/membrain/model"
)

// FaultsMax is how many faults of one file are told; the rest is counted.
const FaultsMax = 20

var errFileTooLarge = errors.New("file is too large")

// Faults gathers what is wrong with one file. The zero value with Format and Name set is ready; not for concurrent
// use.
type Faults struct {
	Format string
	Name   string

	texts []string
	total int
	hint  string
}

// Add notes that the entry at where is refused because of err. Values that err quotes are left out.
func (f *Faults) Add(where string, err error) {
	f.total++
	if len(f.texts) < FaultsMax {
		f.texts = append(f.texts, where+": "+quiet(err))
	}
}

// Full reports whether more faults would only be counted.
func (f *Faults) Full() bool { return f.total >= FaultsMax }

// Err returns nil without faults, else one *model.Error (validation) that tells the first FaultsMax, a line each.
func (f *Faults) Err() error {
	if f.total == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s is refused as %s, nothing was written", f.Name, f.Format)
	for _, t := range f.texts {
		b.WriteString("\n  " + t)
	}
	if more := f.total - len(f.texts); more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return &model.Error{Code: model.CodeValidation, Field: "file", Value: f.Name, Allowed: allowedShape(f.Format), Message: b.String(), Hint: f.hint}
}

func allowedShape(format string) string {
	if format == FormatLocomo {
		return "a LoCoMo file: a JSON array of conversations with sample_id and conversation"
	}
	return "one JSON object per line with at least a text"
}

// quiet tells a fault without the value that caused it.
func quiet(err error) string {
	var e *model.Error
	if !errors.As(err, &e) {
		return "cannot be read"
	}
	if e.Field == "" || e.Allowed == "" || e.Code == model.CodeTooLarge {
		return e.Message // built from sizes and names of ours only
	}
	return fmt.Sprintf("%s is refused; allowed: %s", e.Field, e.Allowed)
}

// misshapen is a fault of form, worded by this package.
func misshapen(format string, args ...any) error {
	return model.Failure(model.CodeValidation, nil, format, args...)
}

func readFailure(name string, err error) error {
	if errors.Is(err, errFileTooLarge) {
		return &model.Error{Code: model.CodeTooLarge, Field: "file", Value: name, Allowed: fmt.Sprintf("at most %d bytes", FileBytesMax),
			Message: fmt.Sprintf("%s has more than %d bytes", name, FileBytesMax), Hint: "split the file"}
	}
	return model.Failure(model.CodeUnavailable, err, "read %s", name)
}

// boundedReader fails, rather than ends, past its bound: a cut file would be read as a whole one.
type boundedReader struct {
	r    io.Reader
	left int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errFileTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}
