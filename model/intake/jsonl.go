package intake

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/membrain-db/membrain/model"
)

var byteOrderMark = []byte("\uFEFF")

// parseJSONL reads one request per line; blank lines and a byte order mark are passed over.
func parseJSONL(r io.Reader, faults *Faults, defaultNamespace string) (Batch, error) {
	batch := Batch{Rows: []Row{}}
	lines := bufio.NewReaderSize(r, 64<<10)
	for number, seen := 1, 0; ; number++ {
		line, err := readLine(lines)
		if number == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		line = bytes.TrimSpace(line)
		switch {
		case errors.Is(err, errLineTooLong):
			seen++
			faults.Add(where(number), model.Failure(model.CodeTooLarge, nil, "the line has more than %d bytes", LineBytesMax))
		case err != nil && !errors.Is(err, io.EOF):
			return Batch{}, err
		case len(line) > 0:
			seen++
			if seen == 1 && line[0] != '{' {
				faults.notJSONL(number, line)
				return batch, nil
			}
			batch.addLine(number, line, faults, defaultNamespace)
		}
		if errors.Is(err, io.EOF) {
			return batch, nil
		}
	}
}

func (b *Batch) addLine(number int, line []byte, faults *Faults, defaultNamespace string) {
	var req model.EncodeRequest
	err := decodeLine(line, &req)
	if err == nil {
		req.Namespace = cmp.Or(req.Namespace, defaultNamespace)
		req.Namespace, err = model.ParseNamespace(req.Namespace)
	}
	if err == nil {
		err = check(req)
	}
	if err != nil {
		faults.Add(where(number), err)
		return
	}
	if faults.total == 0 { // a file with a fault is refused: no need to hold the rest
		b.Rows = append(b.Rows, Row{Line: number, Namespace: req.Namespace, Request: req})
	}
}

// notJSONL tells of a first line that starts no object: the file is of another kind, and its other lines would
// only repeat that.
func (f *Faults) notJSONL(number int, line []byte) {
	switch {
	case line[0] == '[':
		f.hint = "a LoCoMo file is imported with --format " + FormatLocomo + "; turn another JSON array into one object per line"
		f.Add(where(number), misshapen("starts a JSON array, not an object"))
	case !utf8.Valid(line):
		f.Add(where(number), misshapen("is not text in UTF-8"))
	default:
		f.Add(where(number), misshapen("is no JSON object"))
	}
}

var errLineTooLong = errors.New("line is too long")

// readLine returns the next line with its end; io.EOF comes with the last one. A line over LineBytesMax is passed
// over to its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > LineBytesMax; !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errors.Join(errLineTooLong, err)
		default:
			return line, err
		}
	}
}

func where(line int) string { return "line " + strconv.Itoa(line) }
