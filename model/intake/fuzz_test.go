package intake_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/model/intake"
)

// FuzzParse: no input panics; what is accepted is valid everywhere; what is refused is refused with a code.
func FuzzParse(f *testing.F) {
	two, err := os.ReadFile("testdata/two.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(true, two)
	f.Add(false, []byte("{\"text\":\"one\",\"tags\":[\"a\"],\"occurred_at\":\"2026-05-01T12:00:00Z\"}\n\n{\"text\":\"\\ud83d\\ude00\"}"))
	f.Add(false, []byte(`{"text":"a","tool":{"tool":"go","outcome":"success"},"x":1}`))
	f.Add(false, []byte("\x89PNG"))
	f.Add(true, []byte(`{"sample_id":"a","conversation":{"session_1":null,"session_":[]},"qa":[{}]}`))
	f.Fuzz(func(t *testing.T, dialogue bool, data []byte) {
		format := intake.FormatJSONL
		if dialogue {
			format = intake.FormatLocomo
			_, _ = intake.LocomoQuestions(bytes.NewReader(data)) // must not panic
		}
		got, err := intake.Parse(format, "f", bytes.NewReader(data), "team")
		if err != nil {
			if c := model.CodeOf(err); c != model.CodeValidation && c != model.CodeTooLarge {
				t.Fatalf("Parse: code %q of %v", c, err)
			}
			return
		}
		for _, r := range got.Rows {
			c := model.Caller{Agent: r.Request.AgentID, Door: model.SourceImport, Handle: "x"}
			if _, err := model.Normalise(r.Request, c, model.DefaultParams()); err != nil || r.Namespace != r.Request.Namespace {
				t.Fatalf("Parse accepted %s, refused later: %v", r.Where(), err)
			}
		}
	})
}
