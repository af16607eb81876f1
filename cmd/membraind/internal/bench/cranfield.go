package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

const (
	cranfieldSpace = "cranfield"
	cranfieldWorst = 4 // grades go from 1, the best, to this
)

// cranfield is the collection: plain documents without sessions or speakers.
// Source: Cleverdon, "The Cranfield tests on index language devices", Aslib Proceedings 19 (1967).
type cranfield struct {
	documents []cranfieldDocument
	queries   []cranfieldQuery
	grades    map[string]map[string]float64 // by query, by document; what is not listed is of no use
}

type cranfieldDocument struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
}

type cranfieldQuery struct {
	Number int    `json:"query number"`
	Query  string `json:"query"`
}

type cranfieldJudgement struct {
	Query    string `json:"query_num"`
	Document string `json:"id"`
	Grade    int    `json:"position"`
}

// runCranfield makes a memory of every abstract and asks every query under every variant of the ranking.
func runCranfield(ctx context.Context, r *runner) error {
	set, err := readCranfield(r.o.DataDir)
	if err != nil {
		return err
	}
	return r.with(ctx, r.fresh(), func(s *membrain.Store) error {
		rows := make([]membrain.EncodeRequest, 0, len(set.documents))
		for _, d := range set.documents {
			if strings.TrimSpace(d.Body) != "" {
				rows = append(rows, membrain.EncodeRequest{Type: membrain.Fact, Text: d.Body, SourceKind: model.SourceImport, SourceRef: strconv.Itoa(d.ID)})
			}
		}
		started := time.Now()
		if err := importRows(ctx, s, cranfieldSpace, rows); err != nil {
			return err
		}
		r.add("cranfield.import_s", time.Since(started).Seconds(), "s", len(rows))
		return r.askCranfield(ctx, s, set)
	})
}

func readCranfield(dir string) (set cranfield, err error) {
	var judgements []cranfieldJudgement
	for file, into := range map[string]any{
		"cran_docs.json": &set.documents, "cran_queries.json": &set.queries, "cran_qrels.json": &judgements,
	} {
		path, err := FindData(dir, file)
		if err != nil {
			return set, err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return set, fmt.Errorf("read %s: %w", file, err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			return set, model.Failure(model.CodeValidation, err, "%s is not what it should be", file)
		}
	}
	set.grades = map[string]map[string]float64{}
	for _, j := range judgements {
		of := set.grades[j.Query]
		if of == nil {
			of = map[string]float64{}
			set.grades[j.Query] = of
		}
		of[j.Document] = float64(cranfieldWorst + 1 - j.Grade)
	}
	return set, nil
}

func (r *runner) askCranfield(ctx context.Context, s *membrain.Store, set cranfield) error {
	scores := map[string]relevance{}
	var took latencies
	for _, v := range variants() {
		r.say("cranfield, ranking: %s", orDefault(v.name))
		if err := r.setRanking(ctx, s, v, []string{cranfieldSpace}); err != nil {
			return err
		}
		got, calls, err := judgeCranfield(ctx, s, set)
		if err != nil {
			return err
		}
		scores[v.name] = got
		if v.name == "" {
			took = calls
		}
	}
	full, bm25 := scores[""], scores["bm25"]
	r.compare("cranfield.ndcg_at_10", full.mean(full.ndcg10), "of 1", full.n, "bm25", bm25.mean(bm25.ndcg10))
	r.retrieval("cranfield", full, bm25)
	for _, v := range variants()[1:] {
		got := scores[v.name]
		r.compare(v.under("cranfield", "ndcg_at_10"), got.mean(got.ndcg10), "of 1", got.n, "cranfield.ndcg_at_10", full.mean(full.ndcg10))
	}
	r.latency("cranfield.recall", took)
	return nil
}

func judgeCranfield(ctx context.Context, s *membrain.Store, set cranfield) (out relevance, took latencies, err error) {
	for _, q := range set.queries {
		grades := set.grades[strconv.Itoa(q.Number)]
		if len(grades) == 0 {
			continue
		}
		started := time.Now()
		reply, err := s.Recall(ctx, membrain.RecallRequest{Namespace: cranfieldSpace, Query: q.Query, Limit: 20, NoReinforce: true})
		if err != nil {
			return out, took, err
		}
		took = append(took, time.Since(started))
		out.judge(sourceRefs(reply), grades)
	}
	return out, took, nil
}
