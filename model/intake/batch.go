package intake

import (
	"io"
	"slices"
	"strings"

	"github.com/membrain-db/membrain/model"
)

// Formats of files, as --format takes them.
const (
	FormatJSONL  = "jsonl"
	FormatLocomo = "locomo"
)

// Bounds of a file.
const (
	LineBytesMax = 32 << 20 // one line of jsonl
	FileBytesMax = 1 << 30  // a whole file: rows are held in memory until all have been checked
)

// Batch is everything that one file holds.
type Batch struct {
	Format  string
	Rows    []Row // in the order of the file
	Skipped int   // entries with nothing to remember, such as a turn without a text
}

// Row is one memory to be.
type Row struct {
	Line      int    // on which it begins, from 1
	Path      string // in a locomo file: [0].conversation.session_1[2]; "" in a jsonl file
	Namespace string // in NFC; also in Request
	Request   model.EncodeRequest
}

// Where says where the row stands in its file, for people: "line 3", with its path where there is one.
func (r Row) Where() string { return placed(r.Line, r.Path) }

// Namespaces returns the namespaces of the batch, sorted.
func (b Batch) Namespaces() []string {
	var names []string
	seen := map[string]bool{}
	for _, r := range b.Rows {
		if !seen[r.Namespace] {
			seen[r.Namespace] = true
			names = append(names, r.Namespace)
		}
	}
	slices.Sort(names)
	return names
}

// Formats returns the formats that Parse reads.
func Formats() []string { return []string{FormatJSONL, FormatLocomo} }

// Parse reads the whole of r. name is the file's name as errors show it. Rows without a namespace of their own get
// defaultNamespace; LoCoMo conversations always have their own. At most FileBytesMax bytes, LineBytesMax per line,
// model.ImportRowsMax rows per namespace.
//
// Whether the caller may write under a row's agent_id is left to the store: only it knows the caller.
//
// Errors: *model.Error, validation with the first FaultsMax faults in its message, or too_large; unavailable when r
// itself fails.
func Parse(format, name string, r io.Reader, defaultNamespace string) (Batch, error) {
	f := strings.ToLower(format)
	if !slices.Contains(Formats(), f) {
		return Batch{}, model.Invalid("format", format, strings.Join(Formats(), ", "))
	}
	bounded := &boundedReader{r: r, left: FileBytesMax}
	faults := &Faults{Format: f, Name: name}
	var batch Batch
	var err error
	if f == FormatJSONL {
		batch, err = parseJSONL(bounded, faults, defaultNamespace)
	} else {
		batch, err = parseLocomo(bounded, faults)
	}
	if err != nil {
		return Batch{}, readFailure(name, err)
	}
	faults.tooMany(batch)
	if err := faults.Err(); err != nil {
		return Batch{}, err
	}
	batch.Format = f
	return batch, nil
}

// check normalises a row as a store will, for its faults alone.
func check(req model.EncodeRequest) error {
	_, err := model.Normalise(req, model.Caller{Agent: req.AgentID, Door: model.SourceImport, Handle: "import"}, model.DefaultParams())
	return err
}

// tooMany refuses namespaces with more rows than one import may hold.
func (f *Faults) tooMany(b Batch) {
	count := map[string]int{}
	for _, r := range b.Rows {
		count[r.Namespace]++
		if count[r.Namespace] == model.ImportRowsMax+1 {
			f.Add(r.Where(), model.Failure(model.CodeTooLarge, nil,
				"the namespace has more than %d rows; split the file", model.ImportRowsMax))
		}
	}
}
