package embed_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/text"
	"github.com/membrain-db/membrain/vectors"
	"github.com/membrain-db/membrain/vectors/embed"
)

// TestStatic_RecallOnLoCoMo embeds the turns of five dialogues and asks their questions (categories 1 to 4) with the
// vectors alone: the mean share of a question's evidence turns among the ten nearest turns. The data is not ours to
// ship; without it the test is skipped. Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of
// LLM Agents", ACL 2024.
func TestStatic_RecallOnLoCoMo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dialogues := locomo(t)
	plain, weighed := recall(t, dialogues, false), recall(t, dialogues, true)
	t.Logf("recall@10: %.1f %% without idf, %.1f %% with idf", plain, weighed)
	require.Greater(t, plain, 49.5)
	require.Greater(t, weighed, 60.0)
}

type dialogue struct {
	ids, turns []string
	questions  []question
}

type question struct {
	text     string
	evidence []string
}

func recall(t *testing.T, dialogues []dialogue, weighed bool) float64 {
	e := static(t)
	var shares, n float64
	for _, d := range dialogues {
		docs, err := e.EmbedDocuments(context.Background(), d.turns)
		require.NoError(t, err)
		var idf embed.IDF
		if weighed {
			idf = statistics(len(d.turns), frequencies(d.turns))
		}
		for _, q := range d.questions {
			shares += share(d, nearest(docs, query(t, e, q.text, idf)), q.evidence)
			n++
		}
	}
	require.Greater(t, n, 700.0)
	return 100 * shares / n
}

func frequencies(docs []string) map[string]uint32 {
	df := map[string]uint32{}
	a := text.NewAnalyser()
	for _, d := range docs {
		seen := map[string]bool{}
		for _, tok := range a.Document(nil, d) {
			if !seen[tok.Stem] {
				seen[tok.Stem] = true
				df[tok.Stem]++
			}
		}
	}
	return df
}

func nearest(docs []vectors.Embedding, q vectors.Embedding) []int {
	scores, order := make([]float32, len(docs)), make([]int, len(docs))
	for i, d := range docs {
		scores[i], order[i] = vectors.Cosine(q, d), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	return order[:10]
}

func share(d dialogue, found []int, evidence []string) float64 {
	hits := 0.0
	for _, i := range found {
		if slices.Contains(evidence, d.ids[i]) {
			hits++
		}
	}
	return hits / float64(len(evidence))
}

// locomo reads the dialogues from the folder that MEMBRAIN_DATASETS names, or from a folder beside the project.
func locomo(t *testing.T) (out []dialogue) {
	var raw []struct {
		Conversation map[string]json.RawMessage
		QA           []struct {
			Question string
			Category int
			Evidence []string
		}
	}
	b, err := os.ReadFile(dataset(t, "locomo-dev.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &raw))
	for _, r := range raw {
		d := readTurns(t, r.Conversation)
		for _, qa := range r.QA {
			if evidence := evidenceIDs(d, qa.Evidence); qa.Category != 5 && len(evidence) > 0 {
				d.questions = append(d.questions, question{qa.Question, evidence})
			}
		}
		out = append(out, d)
	}
	return out
}

func dataset(t *testing.T, name string) string {
	if dir := os.Getenv("MEMBRAIN_DATASETS"); dir != "" {
		return filepath.Join(dir, name)
	}
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "shared", "data", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("no " + name + ": set MEMBRAIN_DATASETS to its folder")
	return ""
}

func readTurns(t *testing.T, conversation map[string]json.RawMessage) (d dialogue) {
	for session := 1; session <= len(conversation); session++ {
		raw, ok := conversation[fmt.Sprintf("session_%d", session)]
		if !ok {
			continue
		}
		var turns []struct {
			Speaker, Text string
			ID            string `json:"dia_id"`
			Caption       string `json:"blip_caption"`
		}
		require.NoError(t, json.Unmarshal(raw, &turns))
		for _, turn := range turns {
			said := turn.Speaker + ": " + turn.Text
			if turn.Caption != "" {
				said += " [image: " + turn.Caption + "]"
			}
			d.ids, d.turns = append(d.ids, turn.ID), append(d.turns, said)
		}
	}
	return d
}

var evidenceShape = regexp.MustCompile(`D:?(\d+):0*(\d+)`)

// evidenceIDs reads what the data has: "D8:6; D9:17", "D9:1 D4:4", "D30:05". Ids that are no turn are dropped.
func evidenceIDs(d dialogue, evidence []string) (out []string) {
	for _, s := range evidence {
		for _, m := range evidenceShape.FindAllStringSubmatch(s, -1) {
			if id := "D" + m[1] + ":" + m[2]; slices.Contains(d.ids, id) && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}
