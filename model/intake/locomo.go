package intake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/membrain-db/membrain/model"
)

// locomoSample is one conversation; fields that an import does not use are passed over.
type locomoSample struct {
	SampleID     string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []locomoQuestion           `json:"qa"`
}

// locomoTurn is what one speaker said, perhaps beside a picture.
type locomoTurn struct {
	Speaker string `json:"speaker"`
	DiaID   string `json:"dia_id"` // D<session>:<turn>
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

// parseLocomo turns every turn into an event of the namespace named like its conversation.
// Source: https://github.com/snap-research/locomo (Maharana et al., ACL 2024).
func parseLocomo(r io.Reader, faults *Faults) (Batch, error) {
	samples, err := readLocomo(r, faults)
	if err != nil {
		return Batch{}, err
	}
	batch := Batch{Rows: []Row{}}
	seen := map[string]bool{}
	for i, s := range samples {
		at := fmt.Sprintf("[%d]", i)
		namespace, err := model.ParseNamespace(s.SampleID)
		switch {
		case s.SampleID == "":
			faults.Add(at+".sample_id", misshapen("is missing"))
		case err != nil:
			faults.Add(at+".sample_id", err)
		case seen[namespace]:
			faults.Add(at+".sample_id", misshapen("stands twice in the file"))
		case len(s.Conversation) == 0:
			faults.Add(at+".conversation", misshapen("is missing"))
		default:
			seen[namespace] = true
			batch.addConversation(at+".conversation", namespace, s.Conversation, faults)
		}
	}
	return batch, nil
}

// readLocomo decodes the file: an array of conversations, or one alone.
func readLocomo(r io.Reader, faults *Faults) ([]locomoSample, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, byteOrderMark))
	switch {
	case !utf8.Valid(raw):
		faults.Add("the file", misshapen("is not text in UTF-8"))
		return nil, nil
	case len(raw) == 0 || raw[0] != '[' && raw[0] != '{':
		faults.Add("line 1", misshapen("is no JSON array of conversations"))
		return nil, nil
	case raw[0] == '{':
		raw = append(append([]byte{'['}, raw...), ']')
	}
	var samples []locomoSample
	if err := json.Unmarshal(raw, &samples); err != nil {
		faults.Add(locomoFault(raw, err))
		return nil, nil
	}
	if len(samples) == 0 {
		faults.Add("the file", misshapen("holds no conversation"))
	}
	return samples, nil
}

// locomoFault says where a file is not what it should be.
func locomoFault(raw []byte, err error) (string, error) {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return where(lineOf(raw, syntax.Offset)), misshapen("is not valid JSON")
	case errors.As(err, &kind):
		return where(lineOf(raw, kind.Offset)), misshapen("%s needs %s", orValue(kind.Field), jsonName(kind.Type))
	}
	return "the file", misshapen("cannot be read")
}

func lineOf(raw []byte, offset int64) int {
	offset = min(max(offset, 0), int64(len(raw)))
	return 1 + bytes.Count(raw[:offset], []byte{'\n'})
}

func (b *Batch) addConversation(at, namespace string, conversation map[string]json.RawMessage, faults *Faults) {
	for _, n := range sessionNumbers(conversation) {
		key := "session_" + strconv.Itoa(n)
		var turns []locomoTurn
		if err := json.Unmarshal(conversation[key], &turns); err != nil {
			faults.Add(at+"."+key, misshapen("needs an array of turns with speaker, dia_id and text"))
			continue
		}
		if len(turns) == 0 {
			continue
		}
		began, err := sessionDate(conversation[key+"_date_time"])
		if err != nil {
			faults.Add(at+"."+key+"_date_time", err)
			continue
		}
		for i, t := range turns {
			occurred := began.Add(time.Duration(i) * time.Second) // keeps the order of turns
			b.addTurn(fmt.Sprintf("%s.%s[%d]", at, key, i), namespace, key, occurred, t, faults)
		}
	}
}

func (b *Batch) addTurn(at, namespace, session string, occurred time.Time, t locomoTurn, faults *Faults) {
	switch {
	case strings.TrimSpace(t.Speaker) == "":
		faults.Add(at+".speaker", misshapen("is missing"))
		return
	case t.DiaID == "":
		faults.Add(at+".dia_id", misshapen("is missing"))
		return
	case strings.TrimSpace(t.Text) == "" && strings.TrimSpace(t.Caption) == "":
		b.Skipped++
		return
	}
	req := model.EncodeRequest{
		Namespace: namespace, Type: model.TypeEvent, Text: turnText(t), SessionID: session, OccurredAt: &occurred,
		Entities: []string{strings.TrimSpace(t.Speaker)}, SourceKind: model.SourceImport, SourceRef: t.DiaID,
	}
	if err := check(req); err != nil {
		faults.Add(at, err)
		return
	}
	if faults.total == 0 {
		b.Rows = append(b.Rows, Row{Path: at, Namespace: namespace, Request: req})
	}
}

// turnText is "Speaker: text [image: caption]".
func turnText(t locomoTurn) string {
	parts := []string{strings.TrimSpace(t.Speaker) + ":"}
	if text := strings.TrimSpace(t.Text); text != "" {
		parts = append(parts, text)
	}
	if caption := strings.TrimSpace(t.Caption); caption != "" {
		parts = append(parts, "[image: "+caption+"]")
	}
	return strings.Join(parts, " ")
}

// sessionNumbers returns the N of every session_N, ascending.
func sessionNumbers(conversation map[string]json.RawMessage) []int {
	var numbers []int
	for key := range conversation {
		digits, is := strings.CutPrefix(key, "session_")
		if n, err := strconv.Atoi(digits); is && err == nil && n >= 0 && strconv.Itoa(n) == digits {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// sessionDate reads "1:56 pm on 8 May, 2023" as UTC; the dialogues name no zone.
func sessionDate(raw json.RawMessage) (time.Time, error) {
	if len(raw) == 0 {
		return time.Time{}, misshapen("is missing")
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return time.Time{}, misshapen("needs a string")
	}
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	at, err := time.Parse("3:04 pm on 2 January, 2006", s)
	if err != nil {
		return time.Time{}, misshapen("needs a date such as \"1:56 pm on 8 May, 2023\"")
	}
	return at, nil
}
