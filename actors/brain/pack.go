package brain

import (
	"encoding/json"
	"errors"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/projections/ranking"
)

// result is a ranked memory that made it into the answer, with its state in the view and its text.
type result struct {
	score  float64
	lane   model.Lane
	parts  []ranking.Part
	memory *model.Memory
	record model.Record
	erased bool
}

// packed is the answer under its limits, with what was left out.
type packed struct {
	results []result
	nearest []result // what an abstention shows instead of results; never strengthened
	omitted [16]int  // by model.OmitReason
	dropped []model.DropTrace
	tokens  int
}

// abstain takes back the results: nothing is good enough to be returned.
func (p *packed) abstain() { p.nearest, p.results = p.results, nil }

func (p *packed) omit(reason model.OmitReason, n int) { p.omitted[reason] += n }

func (p *packed) omittedList() []model.OmittedCount {
	var out []model.OmittedCount
	for reason, n := range p.omitted {
		if n > 0 {
			out = append(out, model.OmittedCount{Reason: model.OmitReason(reason), Count: uint32(n)})
		}
	}
	return out
}

func (p *packed) omittedMap() map[string]int {
	out := map[string]int{}
	for _, o := range p.omittedList() {
		out[o.Reason.String()] = int(o.Count)
	}
	return out
}

// tokenBytes is the number of bytes of a rendered result that count as one token of the budget.
const tokenBytes = 4

// pack takes the best results under limit and token budget. Of each duplicate family only the best is shown.
func (p *recallPlan) pack() (packed, error) {
	var out packed
	families := map[model.MemoryID]bool{}
	for rank, s := range p.ranked.Ranked {
		reason, r, err := p.fits(&out, families, s)
		if err != nil {
			return packed{}, err
		}
		if reason != 0 {
			out.omit(reason, 1)
			p.drop(&out, s, rank+1, reason)
			continue
		}
		families[familyOf(s.ID, s.Family)] = true
		out.results = append(out.results, r)
	}
	p.stage("packing", len(p.ranked.Ranked), len(out.results), p.req.Limit)
	return out, nil
}

// dropsMax bounds the dropped candidates that a trace names.
const dropsMax = 1000

func (p *recallPlan) drop(out *packed, s ranking.Scored, rank int, reason model.OmitReason) {
	if !p.req.Explain || len(out.dropped) >= dropsMax {
		return
	}
	parts := p.ranked.Parts(&s)
	out.dropped = append(out.dropped, model.DropTrace{
		ID: s.ID, Stage: model.DropPacking, Reason: reason.String(), Rank: rank, Score: s.Score, Parts: partsOf(parts),
	})
}

// fits decides about the next candidate: a reason to leave it out, or the result.
func (p *recallPlan) fits(out *packed, families map[model.MemoryID]bool, s ranking.Scored) (model.OmitReason, result, error) {
	switch {
	case len(out.results) >= p.req.Limit:
		return model.OmittedLimit, result{}, nil
	case families[familyOf(s.ID, s.Family)]:
		return model.OmittedDuplicate, result{}, nil
	}
	r, err := p.load(s.ID)
	if errors.Is(err, projections.ErrQuarantined) {
		return model.OmittedQuarantined, result{}, nil
	}
	if err != nil {
		return 0, result{}, failure(err, "read a result")
	}
	tokens := p.tokensOf(r)
	if p.req.TokenBudget > 0 && out.tokens+tokens > p.req.TokenBudget {
		return model.OmittedTokenBudget, result{}, nil
	}
	out.tokens += tokens
	r.score, r.lane, r.parts = s.Score, s.Lane, p.ranked.Parts(&s)
	return 0, r, nil
}

// load reads a result's state and text. The state may be newer than the view; recall then drops what changed
// so that it no longer belongs, at admission.
func (p *recallPlan) load(id model.MemoryID) (result, error) {
	state, err := p.space.Memory(id)
	if err != nil {
		return result{}, err
	}
	r := result{memory: state.Memory}
	r.record, err = p.space.Record(state.Memory.Content.Number)
	if errors.Is(err, eventlog.ErrErased) {
		r.erased, err = true, nil
	}
	return r, err
}

// tokensOf measures a result in the form in which it is rendered.
func (p *recallPlan) tokensOf(r result) int {
	if p.req.TokenBudget <= 0 {
		return 0
	}
	text := model.CompactText(r.record.Text)
	if p.req.Detail == model.DetailFull {
		text = r.record.Text
	}
	b, _ := json.Marshal(text) // a string always has a JSON form
	return (len(b)+renderedOverhead(p.req.Detail))/tokenBytes + 1
}

// renderedOverhead is about what a result takes beside its text: id, type and score when brief, the whole
// envelope otherwise. Measured on rendered results.
func renderedOverhead(d model.Detail) int {
	if d == model.DetailBrief {
		return 120
	}
	return 1200
}

func partsOf(list []ranking.Part) map[string]float64 {
	parts := make(map[string]float64, len(list))
	for _, part := range list {
		parts[part.Name.String()] = part.Value
	}
	return parts
}
