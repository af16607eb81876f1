package membrain

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"

	"github.com/google/uuid"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// ExportRequest asks for a namespace, or for all.
type ExportRequest struct {
	Namespace string // "" is every namespace, in the order in which they were made
	Writer    io.Writer
	Progress  func(done, total int) // commits
}

// exportVersion is the version of the export format; docs/formats/export.md draws it.
const exportVersion = 1

// The lines of an export, one JSON object each, in this order: header, symbols, contents, commits, end. Every key
// names the kind of its line.
type exportLine struct {
	Header  *exportHeader  `json:"header,omitempty"`
	Symbol  *exportSymbol  `json:"symbol,omitempty"`
	Content *exportContent `json:"content,omitempty"`
	Commit  *exportCommit  `json:"commit,omitempty"`
	End     *exportEnd     `json:"end,omitempty"`
}

type exportHeader struct {
	Version    int    `json:"membrain_export"`
	Namespace  string `json:"namespace"`
	ExportedAt string `json:"exported_at"` // the only value that two exports of one state differ in
}

type exportSymbol struct {
	Number uint64 `json:"number"`
	Text   string `json:"text"` // "" when erased
}

// exportContent holds the stored bytes; Text repeats what they say, for readers, and is not read back.
type exportContent struct {
	Number uint64 `json:"number"`
	Body   []byte `json:"body"`
	Text   string `json:"text,omitempty"`
}

type exportCommit struct {
	Tick        uint64       `json:"tick"`
	At          string       `json:"at"`
	Millis      int64        `json:"millis"`
	Request     string       `json:"request"` // keyed digest, hex
	Agent       uint64       `json:"agent"`   // symbol
	Door        string       `json:"door"`
	Verb        string       `json:"verb"`
	ContentHigh uint64       `json:"content_high"`
	SymbolHigh  uint64       `json:"symbol_high"`
	Facts       []exportFact `json:"facts"`
}

// exportFact holds the stored bytes; Changes repeats what they say, for readers, and is not read back.
type exportFact struct {
	Family  uint8          `json:"family"`
	ID      string         `json:"id"`
	Version uint64         `json:"version"`
	Type    string         `json:"type"`
	Schema  uint32         `json:"schema"`
	Body    []byte         `json:"body"`
	Changes map[string]any `json:"changes"`
}

type exportEnd struct {
	Symbols  int    `json:"symbols"`
	Contents int    `json:"contents"`
	Commits  int    `json:"commits"`
	SHA256   string `json:"sha256,omitempty"` // of the lines between header and end, hex; "" when it is not to be checked
}

// Export writes namespaces with their whole history as JSON lines. Import with FormatExport gives the same
// namespace: ids, versions, times, ticks, strengths, history; exporting that gives the same bytes but for
// exported_at. Only the operator may. Errors: *Error.
func (s *Store) Export(ctx context.Context, r ExportRequest) error {
	if err := s.operatorOnly("export"); err != nil {
		return err
	}
	w := bufio.NewWriterSize(r.Writer, 1<<20)
	for _, ns := range s.projections.Namespaces() {
		if r.Namespace != "" && ns.Name != r.Namespace {
			continue
		}
		x := exporter{s: s, ns: ns.Ordinal, w: w, sum: sha256.New(), progress: r.Progress}
		x.out = encoder(io.MultiWriter(w, x.sum))
		if err := x.run(ctx, ns.Name); err != nil {
			return failure(err, "export "+ns.Name)
		}
		if r.Namespace != "" {
			return failure(w.Flush(), "export")
		}
	}
	if r.Namespace != "" {
		return model.NotFound("namespace", r.Namespace)
	}
	return failure(w.Flush(), "export")
}

func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

type exporter struct {
	s        *Store
	ns       eventlog.Ordinal
	w        io.Writer     // header and end
	out      *json.Encoder // what lies between, which is summed
	sum      hash.Hash
	progress func(done, total int)
	end      exportEnd
}

// run exports the namespace as of the head at the call: later contents and symbols are above its high-water marks.
func (x *exporter) run(ctx context.Context, name string) error {
	head := x.s.bolt.Log().Head().Seq
	last, texts, err := x.survey(ctx, head)
	if err != nil {
		return err
	}
	header := exportHeader{exportVersion, name, model.Timestamp(model.Millis(x.s.o.Clock().UnixMilli()))}
	if err := encoder(x.w).Encode(exportLine{Header: &header}); err != nil {
		return err
	}
	if err := x.symbols(ctx, last.SymbolHigh); err != nil {
		return err
	}
	if err := x.contents(ctx, last.ContentHigh, texts); err != nil {
		return err
	}
	if err := x.commits(ctx, head); err != nil {
		return err
	}
	x.end.SHA256 = hex.EncodeToString(x.sum.Sum(nil))
	return encoder(x.w).Encode(exportLine{End: &x.end})
}

// survey finds the last commit of the namespace and which contents hold texts.
func (x *exporter) survey(ctx context.Context, head eventlog.Seq) (last eventlog.Record, texts map[uint64]bool, err error) {
	texts = map[uint64]bool{}
	for record, err := range x.s.bolt.Log().Scan(ctx, 1) {
		if err != nil {
			return last, nil, err
		}
		if record.Seq > head {
			break
		}
		if record.Namespace != x.ns {
			continue
		}
		last = record
		for _, f := range record.Facts {
			if n, ok, err := textIn(f); err != nil {
				return last, nil, err
			} else if ok {
				texts[n] = true
			}
		}
	}
	return last, texts, nil
}

// textIn returns the number of the text that a fact brings.
func textIn(f eventlog.Fact) (uint64, bool, error) {
	if f.Stream.Family != eventlog.FamilyMemory {
		return 0, false, nil
	}
	fact, err := codec.DecodeFact(f.Type, f.Schema, f.Body)
	switch fact := fact.(type) {
	case model.MemoryEncoded:
		return uint64(fact.Memory.Content.Number), true, err
	case model.MemoryRevised:
		if fact.Content != nil {
			return uint64(fact.Content.Content.Number), true, err
		}
	}
	return 0, false, err
}

func (x *exporter) symbols(ctx context.Context, high uint64) error {
	for symbol, err := range x.s.bolt.Contents().Symbols(ctx, x.ns) {
		if err != nil {
			return err
		}
		if symbol.Number > high {
			break
		}
		x.end.Symbols++
		if err := x.out.Encode(exportLine{Symbol: &exportSymbol{symbol.Number, symbol.Text}}); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) contents(ctx context.Context, high uint64, texts map[uint64]bool) error {
	for content, err := range x.s.bolt.Contents().Scan(ctx, x.ns, 1) {
		if err != nil {
			return err
		}
		if content.Number > high {
			break
		}
		line := exportContent{Number: content.Number, Body: content.Body}
		if texts[content.Number] {
			record, err := codec.DecodeRecord(content.Body)
			if err != nil {
				return err
			}
			line.Text = record.Text
		}
		x.end.Contents++
		if err := x.out.Encode(exportLine{Content: &line}); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) commits(ctx context.Context, head eventlog.Seq) error {
	space, _ := x.s.projections.Space(x.ns)
	for record, err := range x.s.bolt.Log().Scan(ctx, 1) {
		if err != nil {
			return err
		}
		if record.Seq > head {
			break
		}
		if x.progress != nil {
			x.progress(int(record.Seq), int(head))
		}
		if record.Namespace != x.ns {
			continue
		}
		line, err := exportedCommit(record, space.Text)
		if err != nil {
			return err
		}
		x.end.Commits++
		if err := x.out.Encode(exportLine{Commit: &line}); err != nil {
			return err
		}
	}
	return nil
}

func exportedCommit(r eventlog.Record, resolve model.Resolver) (exportCommit, error) {
	out := exportCommit{
		Tick: r.Tick, At: model.Timestamp(model.Millis(r.TimeMillis)), Millis: r.TimeMillis,
		Request: hex.EncodeToString(r.RequestDigest[:]), Agent: r.Agent, Door: r.Door, Verb: r.Verb,
		ContentHigh: r.ContentHigh, SymbolHigh: r.SymbolHigh, Facts: []exportFact{},
	}
	for _, f := range r.Facts {
		fact, err := codec.DecodeFact(f.Type, f.Schema, f.Body)
		if err != nil {
			return out, err
		}
		out.Facts = append(out.Facts, exportFact{
			Family: uint8(f.Stream.Family), ID: uuid.UUID(f.Stream.ID).String(), Version: f.Version,
			Type: f.Type, Schema: f.Schema, Body: f.Body, Changes: model.Changes(fact, resolve),
		})
	}
	return out, nil
}
