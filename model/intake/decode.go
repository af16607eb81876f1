package intake

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/membrain-db/membrain/model"
)

// decodeLine reads one JSON object strictly: valid UTF-8, no lone surrogate, no unknown field, nothing after it.
func decodeLine(line []byte, into *model.EncodeRequest) error {
	switch {
	case !utf8.Valid(line):
		return misshapen("is not text in UTF-8")
	case line[0] != '{':
		return misshapen("is no JSON object")
	case loneSurrogate(line):
		return misshapen("holds half a surrogate pair, which is no character")
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return explainJSON(line, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return misshapen("holds more than one JSON object")
	}
	return nil
}

// explainJSON words a decoding error with the fields of ours and without the file's.
func explainJSON(line []byte, err error) error {
	var (
		refused *model.Error
		syntax  *json.SyntaxError
		kind    *json.UnmarshalTypeError
		clock   *time.ParseError
		base    base64.CorruptInputError
	)
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &syntax):
		return misshapen("is not valid JSON, at byte %d of it", syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return misshapen("is not valid JSON, it ends too early")
	case errors.As(err, &kind):
		return misshapen("%s needs %s", orValue(kind.Field), jsonName(kind.Type))
	case errors.As(err, &clock), strings.HasPrefix(err.Error(), "Time.UnmarshalJSON"):
		return misshapen("occurred_at needs a time such as 2026-05-01T12:00:00Z")
	case errors.As(err, &base):
		return misshapen("payload needs base64")
	case strings.HasPrefix(err.Error(), "json: unknown field"):
		return unknownField(line)
	}
	return misshapen("cannot be read") // the cause may quote the file
}

// unknownField points at the first key that a request does not have.
func unknownField(line []byte) error {
	known := fieldNames(reflect.TypeFor[model.EncodeRequest]())
	d := json.NewDecoder(bytes.NewReader(line))
	depth, key := 0, false // key: the next token at depth 1 is a key
	for {
		at := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return misshapen("holds an unknown field in observation or tool")
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
		case string:
			if depth == 1 && key && !known[strings.ToLower(t)] {
				return misshapen("has an unknown field, its name starts after byte %d; allowed: %s", at, allowedFields())
			}
			key = depth == 1 && !key
		default:
			key = depth == 1
		}
	}
}

func allowedFields() string {
	t := reflect.TypeFor[model.EncodeRequest]()
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		names = append(names, jsonTag(t.Field(i)))
	}
	return strings.Join(names, ", ")
}

func fieldNames(t reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range t.NumField() {
		names[jsonTag(t.Field(i))] = true
	}
	return names
}

func jsonTag(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func orValue(field string) string {
	if field == "" {
		return "a value"
	}
	return field
}

// jsonName says in JSON's words what a Go type wants.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String, reflect.Uint8, reflect.Array:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && t.Elem().NumMethod() == 0 {
			return "a string in base64"
		}
		return "an array"
	case reflect.Float64, reflect.Int, reflect.Int64, reflect.Uint64:
		return "a number"
	}
	return "an object"
}

// loneSurrogate finds \ud800 to \udfff escapes without their other half; the decoder would quietly replace them.
func loneSurrogate(line []byte) bool {
	high := false // the escape just before was a high half
	for i := 0; i < len(line); {
		unit, width := escapeAt(line, i)
		low := unit >= 0xDC00 && unit <= 0xDFFF
		if high != low {
			return true
		}
		high = unit >= 0xD800 && unit <= 0xDBFF
		i += width
	}
	return high
}

// escapeAt returns the UTF-16 unit of a \u escape at i, or 0, and how many bytes to go on.
func escapeAt(line []byte, i int) (unit uint64, width int) {
	if line[i] != '\\' || i+1 >= len(line) {
		return 0, 1
	}
	if line[i+1] != 'u' || i+6 > len(line) {
		return 0, 2
	}
	unit, err := strconv.ParseUint(string(line[i+2:i+6]), 16, 16)
	if err != nil {
		return 0, 2
	}
	return unit, 6
}
