package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

func (s *session) importFile() *cobra.Command {
	r := membrain.ImportRequest{}
	c := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Bring in the memories of a file",
		Long: `Bring in the memories of a file, or of stdin with -. Of each namespace all rows are imported or none, and nothing at all
when a row is refused; the refusal names the lines.

  jsonl     one request per line: {"text": "...", "memory_type": "fact", "tags": ["infra"], "occurred_at": "..."}
  locomo    conversations of the LoCoMo set: a namespace each, a memory for every turn
  membrain  what export wrote: whole namespaces with their history`,
		Example: `  membraind import notes.jsonl
  membraind import --dry-run --namespace team notes.jsonl
  membraind import --format locomo locomo10.json
  membraind import --format membrain backup.jsonl`,
		Args: words(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains(membrain.ImportFormats(), r.Format) {
				return model.Invalid("format", r.Format, strings.Join(membrain.ImportFormats(), ", "))
			}
			r.Name, r.Reader, r.Namespace = "stdin", s.env.Stdin, s.space()
			if r.Format == membrain.FormatExport {
				r.Namespace = s.namedSpace() // an export has names of its own
			}
			if args[0] != "-" {
				f, err := openFile("file", args[0])
				if err != nil {
					return err
				}
				defer f.Close()
				r.Name, r.Reader = filepath.Base(args[0]), f
			}
			return s.importFrom(c, r)
		},
	}
	f := c.Flags()
	f.StringVar(&r.Format, "format", membrain.ImportFormats()[0], "`FORMAT`: "+strings.Join(membrain.ImportFormats(), ", "))
	f.BoolVar(&r.DryRun, "dry-run", false, "check everything, write nothing")
	requestID(f, &r.RequestID)
	return c
}

func (s *session) importFrom(c *cobra.Command, r membrain.ImportRequest) error {
	bars := s.bars()
	r.Progress = func(done, total int) { bars.show("import", uint64(done), uint64(total)) }
	return s.useAs(c.Context(), opening{stays: true}, func(store *membrain.Store) error {
		got, err := store.Import(c.Context(), r)
		bars.clear()
		if err != nil {
			return err
		}
		return s.print(got, func(w io.Writer) { drawImport(w, got) })
	})
}

func drawImport(w io.Writer, got model.ImportReply) {
	var rows [][]string
	for name, n := range got.Namespaces {
		rows = append(rows, []string{clean(name), fmt.Sprint(n)})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	table(w, []string{"NAMESPACE", "MEMORIES"}, rows)
	verb := "imported"
	if got.DryRun {
		verb = "would be imported, nothing was written"
	}
	fmt.Fprintf(w, "\n%d of %d %s, %d skipped\n", got.Created, got.Read, verb, got.Skipped)
}
