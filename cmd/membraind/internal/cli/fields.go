package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// fields writes a document as lines of name and value, in the order of its JSON: nested objects as a.b, null as "-",
// lists of plain values with commas, other lists an entry a line.
func fields(w io.Writer, doc any) {
	raw, err := json.Marshal(doc)
	if err != nil { // replies always marshal: their types are ours
		panic(err)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	writeField(t, d, "")
	_ = t.Flush() // w is a buffer
}

// writeField reads the next value and writes it under name. d holds what json.Marshal wrote, so tokens cannot fail.
func writeField(w io.Writer, d *json.Decoder, name string) {
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			writeObject(w, d, name)
		} else {
			writeList(w, d, name)
		}
	case nil:
		fmt.Fprintf(w, "%s\t-\n", name)
	default:
		fmt.Fprintf(w, "%s\t%s\n", name, orDash(clean(fmt.Sprint(v))))
	}
}

func writeObject(w io.Writer, d *json.Decoder, name string) {
	empty := true
	for d.More() {
		key, err := d.Token()
		if err != nil {
			panic(err)
		}
		empty = false
		writeField(w, d, dotted(name, clean(key.(string))))
	}
	_, _ = d.Token() // the closing brace
	if empty && name != "" {
		fmt.Fprintf(w, "%s\t-\n", name)
	}
}

func writeList(w io.Writer, d *json.Decoder, name string) {
	var plain []string
	nested := 0
	for d.More() {
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			panic(err)
		}
		if v[0] == '{' || v[0] == '[' {
			inner := json.NewDecoder(bytes.NewReader(v))
			inner.UseNumber()
			writeField(w, inner, fmt.Sprintf("%s[%d]", name, nested))
			nested++
			continue
		}
		var s any
		if json.Unmarshal(v, &s) == nil {
			plain = append(plain, clean(fmt.Sprint(s)))
		}
	}
	_, _ = d.Token() // the closing bracket
	if nested == 0 {
		fmt.Fprintf(w, "%s\t%s\n", name, orDash(strings.Join(plain, ", ")))
	}
}

func dotted(outer, inner string) string {
	if outer == "" {
		return inner
	}
	return outer + "." + inner
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func valueOrDash(s *string) string {
	if s == nil {
		return "-"
	}
	return orDash(clean(*s))
}
