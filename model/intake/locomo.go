package intake

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/membrain-db/membrain/model"
)

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
		at := placed(s.line, fmt.Sprintf("[%d]", i))
		namespace, err := model.ParseNamespace(s.id)
		switch {
		case s.id == "":
			faults.Add(at+".sample_id", misshapen("is missing"))
		case err != nil:
			faults.Add(at+".sample_id", err)
		case seen[namespace]:
			faults.Add(at+".sample_id", misshapen("stands twice in the file"))
		case !s.talks:
			faults.Add(at+".conversation", misshapen("is missing"))
		default:
			seen[namespace] = true
			batch.addConversation(fmt.Sprintf("[%d].conversation", i), namespace, s.sessions, faults)
		}
	}
	return batch, nil
}

func (b *Batch) addConversation(path, namespace string, sessions map[int]locomoSession, faults *Faults) {
	for _, n := range slices.Sorted(maps.Keys(sessions)) {
		s, key := sessions[n], fmt.Sprintf("session_%d", n)
		if len(s.turns) == 0 { // the set has dates without a session
			continue
		}
		if s.dated == 0 {
			faults.Add(placed(s.line, path+"."+key+"_date_time"), misshapen("is missing"))
			continue
		}
		began, err := sessionDate(s.date)
		if err != nil {
			faults.Add(placed(s.dated, path+"."+key+"_date_time"), err)
			continue
		}
		for i, t := range s.turns {
			occurred := began.Add(time.Duration(i) * time.Second) // keeps the order of turns
			b.addTurn(fmt.Sprintf("%s.%s[%d]", path, key, i), namespace, key, occurred, t, faults)
		}
	}
}

func (b *Batch) addTurn(path, namespace, session string, occurred time.Time, t locomoTurn, faults *Faults) {
	switch {
	case strings.TrimSpace(t.Speaker) == "":
		faults.Add(placed(t.line, path+".speaker"), misshapen("is missing"))
		return
	case t.DiaID == "":
		faults.Add(placed(t.line, path+".dia_id"), misshapen("is missing"))
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
		faults.Add(placed(t.line, path), err)
		return
	}
	if faults.total == 0 {
		b.Rows = append(b.Rows, Row{Line: t.line, Path: path, Namespace: namespace, Request: req})
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

// sessionDate reads "1:56 pm on 8 May, 2023" as UTC; the dialogues name no zone.
func sessionDate(s string) (time.Time, error) {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	at, err := time.Parse("3:04 pm on 2 January, 2006", s)
	if err != nil {
		return time.Time{}, misshapen("needs a date such as \"1:56 pm on 8 May, 2023\"")
	}
	return at, nil
}
