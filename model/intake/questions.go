package intake

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Question is one question of LoCoMo with the turns that answer it.
type Question struct {
	Namespace string // the conversation's sample_id
	Text      string
	Category  int      // 1 multi-hop, 2 temporal, 3 open domain, 4 single hop, 5 adversarial
	Evidence  []string // turn ids in the form D8:6, without repetition; may be empty
}

// LocomoQuestions reads the questions of a LoCoMo file, in its order. Evidence is read leniently, for the set has
// entries such as "D8:6; D9:17", "D9:1 D4:4", "D30:05" and "D:11:26"; what names no turn is passed over.
//
// Errors: as Parse.
func LocomoQuestions(r io.Reader) ([]Question, error) {
	const name = "the LoCoMo file"
	faults := &Faults{Format: FormatLocomo, Name: name}
	samples, err := readLocomo(&boundedReader{r: r, left: FileBytesMax}, faults)
	if err != nil {
		return nil, readFailure(name, err)
	}
	questions := []Question{}
	for i, s := range samples {
		if s.id == "" {
			faults.Add(placed(s.line, fmt.Sprintf("[%d].sample_id", i)), misshapen("is missing"))
		}
		for j, q := range s.questions {
			if strings.TrimSpace(q.Question) == "" {
				faults.Add(placed(q.line, fmt.Sprintf("[%d].qa[%d].question", i, j)), misshapen("is missing"))
			}
			questions = append(questions, Question{Namespace: s.id, Text: q.Question, Category: q.Category, Evidence: turnIDs(q.Evidence)})
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return questions, nil
}

var turnID = regexp.MustCompile(`D:?0*(\d+):0*(\d+)`)

// turnIDs finds the turn ids in the evidence of a question.
func turnIDs(evidence []json.RawMessage) []string {
	found := []string{}
	for _, raw := range evidence {
		var s string
		if json.Unmarshal(raw, &s) != nil { // not a string: names no turn
			continue
		}
		for _, m := range turnID.FindAllStringSubmatch(s, -1) {
			if id := "D" + m[1] + ":" + m[2]; !slices.Contains(found, id) {
				found = append(found, id)
			}
		}
	}
	return found
}
