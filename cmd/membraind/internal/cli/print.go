package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// print writes a result: the document with --json, else what table draws.
func (s *session) print(doc any, table func(w io.Writer)) error {
	if s.json {
		return s.printJSON(doc)
	}
	var b bytes.Buffer
	table(&b)
	_, err := s.env.Stdout.Write(b.Bytes())
	return err
}

// printJSON writes one document: on one line for programs, indented on a terminal.
func (s *session) printJSON(doc any) error {
	e := json.NewEncoder(s.env.Stdout)
	e.SetEscapeHTML(false)
	if terminal(s.env.Stdout) {
		e.SetIndent("", "  ")
	}
	return e.Encode(doc)
}

// note tells something beside the result; never with --quiet.
func (s *session) note(format string, args ...any) {
	if !s.quiet {
		fmt.Fprintf(s.env.Stderr, format+"\n", args...)
	}
}

// table writes rows under a header, in columns. Cells must be clean.
func table(w io.Writer, header []string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(header, "\t"))
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	_ = t.Flush() // w is a buffer
}

// room returns the columns left for a last column of text beside others of the given width; 0 when stdout is no
// terminal, and then nothing is cut.
func (s *session) room(others int) int {
	columns := width(s.env.Stdout)
	if columns == 0 {
		return 0
	}
	return max(columns-others, 20)
}
