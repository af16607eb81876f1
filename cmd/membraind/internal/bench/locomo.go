package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/model/intake"
)

const (
	locomoFile     = "locomo-dev.json"
	locomoLimit    = 20 // results asked for
	locomoCategory = 4  // the last that counts: 5 has questions that nothing answers
)

// runLocomo imports the dialogues, a namespace each, and asks their questions of the categories 1 to 4 under every
// variant of the ranking. Source: Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents",
// ACL 2024.
func runLocomo(ctx context.Context, r *runner) error {
	path, err := FindData(r.o.DataDir, locomoFile)
	if err != nil {
		return err
	}
	return r.with(ctx, r.fresh(), func(s *membrain.Store) error {
		created, err := r.importLocomo(ctx, s, path)
		if err != nil {
			return err
		}
		questions, err := locomoQuestions(path)
		if err != nil {
			return err
		}
		r.say("%d turns, %d questions", created, len(questions))
		return r.askLocomo(ctx, s, questions)
	})
}

func (r *runner) importLocomo(ctx context.Context, s *membrain.Store, path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open the dialogues: %w", err)
	}
	defer file.Close()
	started := time.Now()
	reply, err := s.Import(ctx, membrain.ImportRequest{Format: intake.FormatLocomo, Reader: file, Name: locomoFile})
	if err != nil {
		return 0, err
	}
	r.add("locomo.import_s", time.Since(started).Seconds(), "s", reply.Created)
	return reply.Created, nil
}

// asked is a question with the turns that answer it.
type asked struct {
	intake.Question
	evidence map[string]float64
}

// locomoQuestions reads the questions that count. Evidence that names no turn with a text is passed over, and a
// question without any is left out.
func locomoQuestions(path string) ([]asked, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the questions: %w", err)
	}
	defer file.Close()
	all, err := intake.LocomoQuestions(file)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the turns: %w", err)
	}
	batch, err := intake.Parse(intake.FormatLocomo, locomoFile, file, "default")
	if err != nil {
		return nil, err
	}
	turns := map[string]bool{}
	for _, row := range batch.Rows {
		turns[row.Namespace+"/"+row.Request.SourceRef] = true
	}
	var out []asked
	for _, q := range all {
		evidence := map[string]float64{}
		for _, id := range q.Evidence {
			if turns[q.Namespace+"/"+id] {
				evidence[id] = 1
			}
		}
		if q.Category <= locomoCategory && len(evidence) > 0 {
			out = append(out, asked{q, evidence})
		}
	}
	return out, nil
}

// locomoScores is what one variant reached: in all, and by category from 1.
type locomoScores struct {
	all      relevance
	category [locomoCategory + 1]relevance
	took     latencies
}

func (r *runner) askLocomo(ctx context.Context, s *membrain.Store, questions []asked) error {
	scores := map[string]locomoScores{}
	for _, v := range variants() {
		r.say("locomo, ranking: %s", orDefault(v.name))
		if err := r.setRanking(ctx, s, v, locomoNamespaces(questions)); err != nil {
			return err
		}
		got, err := judgeLocomo(ctx, s, questions)
		if err != nil {
			return err
		}
		scores[v.name] = got
	}
	r.reportLocomo(scores)
	return nil
}

func orDefault(name string) string {
	if name == "" {
		return "default"
	}
	return name
}

func locomoNamespaces(questions []asked) []string {
	var names []string
	for _, q := range questions {
		names = append(names, q.Namespace)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// setRanking ranks the namespaces by a variant from now on.
func (r *runner) setRanking(ctx context.Context, s *membrain.Store, v variant, namespaces []string) error {
	for _, ns := range namespaces {
		p := model.DefaultParams()
		v.apply(&p.Ranking)
		if err := s.SetParams(ctx, ns, p); err != nil {
			return err
		}
	}
	return nil
}

func judgeLocomo(ctx context.Context, s *membrain.Store, questions []asked) (out locomoScores, err error) {
	for _, q := range questions {
		started := time.Now()
		reply, err := s.Recall(ctx, membrain.RecallRequest{Namespace: q.Namespace, Query: q.Text, Limit: locomoLimit, NoReinforce: true})
		if err != nil {
			return out, err
		}
		out.took = append(out.took, time.Since(started))
		found := sourceRefs(reply)
		out.all.judge(found, q.evidence)
		out.category[q.Category].judge(found, q.evidence)
	}
	return out, nil
}

// sourceRefs lists where the results came from, best first.
func sourceRefs(reply membrain.RecallReply) []string {
	var refs []string
	for _, result := range reply.Results {
		if ref := result.Provenance.SourceRef; ref != nil {
			refs = append(refs, *ref)
		}
	}
	return refs
}

// reportLocomo compares the default with BM25 alone, and every other variant with the default.
func (r *runner) reportLocomo(scores map[string]locomoScores) {
	full, bm25 := scores[""], scores["bm25"]
	r.retrieval("locomo", full.all, bm25.all)
	for c := 1; c <= locomoCategory; c++ {
		r.retrieval(fmt.Sprintf("locomo.cat%d", c), full.category[c], bm25.category[c])
	}
	for _, v := range variants()[1:] {
		got := scores[v.name].all
		r.compare(v.under("locomo", "recall_at_10"), got.percent(got.recall10), "%", got.n,
			"locomo.recall_at_10", full.all.percent(full.all.recall10))
	}
	r.latency("locomo.recall", full.took)
}

// retrieval notes the measures of a set of questions beside those of BM25 alone.
func (r *runner) retrieval(prefix string, got, bm25 relevance) {
	percent := func(metric string, value, than float64) {
		r.compare(prefix+"."+metric, got.percent(value), "%", got.n, "bm25", bm25.percent(than))
	}
	percent("recall_at_5", got.recall5, bm25.recall5)
	percent("recall_at_10", got.recall10, bm25.recall10)
	percent("recall_at_20", got.recall20, bm25.recall20)
	percent("hit_at_10", got.hit10, bm25.hit10)
	r.compare(prefix+".mrr", got.mean(got.mrr), "of 1", got.n, "bm25", bm25.mean(bm25.mrr))
}
