package brain

import (
	"context"
	"math"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections"
	"github.com/membrain-db/membrain/projections/ranking"
	"github.com/membrain-db/membrain/vectors"
	"github.com/membrain-db/membrain/vectors/embed"
)

// Recall answers a query with what is remembered, best first, and strengthens what it returns. A namespace that
// nobody wrote to answers with nothing and is not made. Errors: *model.Error.
func (e *Engine) Recall(ctx context.Context, c model.Caller, req model.RecallRequest) (model.RecallReply, error) {
	leave, err := e.enter()
	if err != nil {
		return model.RecallReply{}, err
	}
	defer leave()
	if err := req.Validate(); err != nil {
		return model.RecallReply{}, err
	}
	id, err := e.requestID(req.RequestID)
	if err != nil {
		return model.RecallReply{}, err
	}
	req.RequestID = ""
	space, ok := e.space(req.Namespace)
	if !ok {
		return emptyRecall(req, id), nil
	}
	p := &recallPlan{e: e, space: space, caller: c, req: req}
	if req.NoReinforce {
		return e.recallOnly(ctx, p, id)
	}
	out, err := e.run(ctx, req.Namespace, request{verb: model.VerbRecall, caller: c, id: id, body: req, advances: true, existing: true}, p)
	if err != nil {
		return model.RecallReply{}, err
	}
	if out.repeated != 0 {
		return e.repeatedRecall(p, id, out)
	}
	return p.reply(id, out), nil
}

func emptyRecall(req model.RecallRequest, id string) model.RecallReply {
	return model.RecallReply{
		RequestID: id, Namespace: req.Namespace, Abstained: true,
		Results: []model.RecallResult{}, Omitted: map[string]int{}, Nearest: []model.RecallResult{}, Notes: []string{},
	}
}

// recallOnly answers without a commit: no tick, no strengthening.
func (e *Engine) recallOnly(ctx context.Context, p *recallPlan, id string) (model.RecallReply, error) {
	done, err := e.work(ctx)
	if err != nil {
		return model.RecallReply{}, err
	}
	defer done()
	if err := p.prepare(ctx, nil); err != nil {
		return model.RecallReply{}, err
	}
	return p.reply(id, outcome{seq: p.seq, at: model.Moment{Tick: p.tick}}), nil
}

// recallPlan finds, ranks, packs, and reinforces what it returns.
type recallPlan struct {
	e      *Engine
	space  *projections.Space
	caller model.Caller
	req    model.RecallRequest
	params model.Params

	seq     eventlog.Seq
	tick    model.Tick
	vector  vectors.Embedding // zero when the vector arm stays silent
	blind   bool              // neither arm can read the query
	poor    bool              // no word of it was found, and nothing is near
	silent  string            // why the vector arm is
	unread  int               // memories that the filter lets through and whose texts are damaged
	ranked  ranking.Result
	packed  packed
	trace   model.RecallTrace
	offered []offer // packed results that are asked to be reinforced, in order
}

// offer is a result on its way through admission.
type offer struct {
	*result
	slot int // among the job's asks; -1 when it is shown without being strengthened
}

func (p *recallPlan) prepare(ctx context.Context, _ *job) error {
	p.params = p.e.paramsOf(p.req.Namespace)
	if err := p.embedQuery(ctx); err != nil {
		return err
	}
	return p.search()
}

// embedQuery makes the query's vector by the namespace's word statistics. The vector arm stays silent when the
// namespace has another embedder, or when the query has no word that tells anything.
func (p *recallPlan) embedQuery(ctx context.Context) error {
	var terms []embed.WeighedToken
	var n int
	p.space.Read(func(v *projections.View) { terms, n = weigh(v, p.req.Query) })
	p.trace.Query = model.QueryTrace{Terms: []model.TermTrace{}, Entities: []string{}, Embedder: embedderOf(p.space)}
	for _, t := range terms {
		term := model.TermTrace{Term: t.Stem, DF: t.DF, Query: t.Count}
		if !p.caller.Operator {
			term.DF = 0 // it counts what policy hides, too (GOV-2)
		}
		p.trace.Query.Terms = append(p.trace.Query.Terms, term)
	}
	if err := p.e.checkEmbedder(p.space); err != nil {
		p.silent = "answered from words alone: " + err.Error()
		p.trace.Query.Note = p.silent
		return nil
	}
	if len(terms) == 0 {
		p.trace.Query.Note = "the query has no word that tells anything apart (stop words only)"
		p.blind = embed.IsWordBound(p.e.o.Embedder)
	}
	idf := func(string) ([]embed.WeighedToken, int) { return terms, n }
	v, err := p.e.o.Embedder.EmbedQuery(ctx, p.req.Query, idf)
	if err != nil {
		return failure(err, "embed the query")
	}
	p.vector = v
	return nil
}

func weigh(v *projections.View, query string) ([]embed.WeighedToken, int) {
	terms, n := v.Weigh(query)
	out := make([]embed.WeighedToken, len(terms))
	for i, t := range terms {
		out[i] = embed.WeighedToken{Surface: t.Token.Surface, Stem: t.Token.Stem, Count: t.Count, DF: t.DF}
	}
	return out, n
}

// search runs the whole of the reading on one view: filter, candidates, features, ranking, packing.
func (p *recallPlan) search() (err error) {
	compiled := p.e.compile(p.space, p.caller, p.req.Filter)
	pool := p.e.pools.Get().(*pool)
	pool.reset()
	p.space.Read(func(v *projections.View) {
		p.seq, p.tick = v.Seq, v.Tick
		allowed := v.Match(compiled)
		p.stage("filter", p.visible(v), int(allowed.GetCardinality()), 0)
		p.unread = v.Unreadable(allowed)
		p.candidates(v, pool, allowed)
	})
	p.ranked = ranking.Rank(pool.list, pool.edges, p.params.Ranking)
	p.stage("ranking", len(pool.list), len(p.ranked.Ranked), 0)
	p.packed, err = p.pack()
	if !p.req.Explain { // a trace goes on reading the pool
		p.ranked = ranking.Result{}
		p.e.pools.Put(pool)
	}
	if err == nil && (p.blind || p.poor) {
		p.packed.abstain()
	}
	return err
}

// visible counts the memories that the caller may see; only a trace wants to know.
func (p *recallPlan) visible(v *projections.View) int {
	if !p.req.Explain {
		return 0
	}
	all := p.e.compile(p.space, p.caller, model.Filter{Include: []model.Lifecycle{model.Archived, model.Superseded}})
	return int(v.Match(all).GetCardinality())
}

func (p *recallPlan) stage(name string, in, out, bound int) {
	p.trace.Stages = append(p.trace.Stages, model.StageTrace{Name: name, In: in, Out: out, Bound: bound})
}

// candidates gathers what the arms find, and the neighbours of that in its sessions.
func (p *recallPlan) candidates(v *projections.View, pool *pool, allowed *roaring.Bitmap) {
	k := int(p.params.Ranking.ArmCandidatesMax)
	leads := max(leadsMin, p.req.Limit)
	for rank, h := range v.Lexical(p.req.Query, k, allowed) {
		c := pool.at(h.Ordinal)
		c.Lexical, c.InLexical = float64(h.Score), true
		c.Lead = rank < leads
	}
	p.stage("lexical", int(allowed.GetCardinality()), len(pool.list), k)
	found := len(pool.list)
	if p.vector.Form != 0 {
		for rank, h := range v.Vector(p.vector, k, allowed) {
			c := pool.at(h.Key)
			c.Vector, c.InVector = float64(h.Similarity), true
			c.Lead = c.Lead || rank < leads
		}
	}
	p.stage("vector", int(allowed.GetCardinality()), len(pool.list)-found, k)
	p.poor = poor(pool.list, p.params.Ranking.AbstainBelow)
	p.complete(v, pool)
	p.spread(v, pool, allowed, leads)
	p.named(v, pool, allowed)
	for i := range pool.list {
		p.features(v, &pool.list[i])
	}
}

// poor reports whether nothing found is good enough to be an answer: no word of the query, and no vector near it.
func poor(found []ranking.Candidate, below float64) bool {
	for i := range found {
		if found[i].InLexical || found[i].Vector >= below {
			return false
		}
	}
	return true
}

// complete gives what only one arm found its similarity in the other, so that neither counts as nothing.
func (p *recallPlan) complete(v *projections.View, pool *pool) {
	if p.vector.Form == 0 {
		return
	}
	var missing []uint32
	for i := range pool.list {
		if !pool.list[i].InVector {
			missing = append(missing, pool.list[i].Ordinal)
		}
	}
	for i, s := range v.Similarities(p.vector, missing) {
		if !math.IsNaN(float64(s)) {
			c := pool.at(missing[i])
			c.Vector, c.InVector = float64(s), true
		}
	}
}

// leadsMin is how many of the best of each arm bring their neighbours into the pool, or the limit when that is more.
// What ranks below gains its neighbours nothing that would be seen.
const leadsMin = 50

// spread links what was found to its neighbours in its sessions, which join the pool when it is among the best.
func (p *recallPlan) spread(v *projections.View, pool *pool, allowed *roaring.Bitmap, leads int) {
	found := len(pool.list)
	reach := len(p.params.Ranking.BeforeWeights)
	before, after := make([]uint32, 0, reach), make([]uint32, 0, reach)
	for i := range found {
		before, after = v.Neighbours(pool.list[i].Ordinal, reach, allowed, before[:0], after[:0])
		for k, o := range before {
			pool.link(i, o, -(k + 1))
		}
		for k, o := range after {
			pool.link(i, o, k+1)
		}
	}
	p.stage("neighbours", found, len(pool.list), found+4*reach*leads)
}

// named marks what carries an entity that the query names.
func (p *recallPlan) named(v *projections.View, pool *pool, allowed *roaring.Bitmap) {
	for _, m := range v.Mentioned(p.req.Query) {
		if !m.Ordinals.Intersects(allowed) {
			continue // also what policy hides mentions entities (GOV-2)
		}
		if text, ok := p.space.Text(m.Symbol); ok {
			p.trace.Query.Entities = append(p.trace.Query.Entities, text)
		}
		for i := range pool.list {
			if m.Ordinals.Contains(pool.list[i].Ordinal) {
				pool.list[i].Named = true
			}
		}
	}
}

// features fills in what the score needs of a memory's state.
func (p *recallPlan) features(v *projections.View, c *ranking.Candidate) {
	h := v.Hot(c.Ordinal)
	c.ID, c.Family, c.Session = h.ID, h.Family, uint64(h.Session)
	c.Effective = h.EffectiveAt(p.tick)
	c.Salience, c.Confident, c.Utility, c.Difficult = h.Salience, h.Confidence, h.Utility, h.Difficulty
	c.Conflict = h.Conflict == model.ConflictOpen
	c.Recency = recency(p.tick.Since(max(h.EncodedTick, h.Decay.LastAccessedTick)), p.params.Ranking.RecencyHalf)
	c.Context = p.contextMatch(h)
}

func recency(ticks uint64, half float64) float64 {
	if half <= 0 {
		return 0
	}
	return math.Exp2(-float64(ticks) / half)
}

// contextMatch is the share of the caller's context ids that the memory has.
func (p *recallPlan) contextMatch(h *projections.Hot) float64 {
	bound := []struct {
		text string
		has  model.Symbol
	}{{p.caller.Session, h.Session}, {p.caller.Task, h.Task}, {p.caller.Workspace, h.Workspace}}
	var given, match float64
	for _, b := range bound {
		if b.text == "" {
			continue
		}
		given++
		if s, ok := p.space.Lookup(b.text); ok && s == b.has {
			match++
		}
	}
	if given == 0 {
		return 0
	}
	return match / given
}

func (p *recallPlan) admit(b *brain, j *job) error {
	task, _ := lookup(p.space, p.caller.Task)
	viewer := p.e.viewer(p.space, p.caller)
	for i := range p.packed.results {
		r := &p.packed.results[i]
		o := offer{result: r, slot: -1}
		m := r.memory
		if t := b.touched[m.ID]; t != nil {
			m = t.head
		}
		if !viewer.CanSee(m) {
			continue
		}
		if reinforced(r.memory.LifecycleAt(p.tick)) {
			o.slot = len(j.asks)
			j.asks = append(j.asks, ask{id: m.ID, command: model.Reinforce{
				Cause: model.CauseRecall, TaskMatch: task != 0 && task == m.Task.Symbol,
			}})
		}
		p.offered = append(p.offered, o)
	}
	return nil
}

// reinforced reports whether a result in that state is strengthened: what is shown only because archived or
// superseded memories were asked for is not (RCL-6).
func reinforced(l model.Lifecycle) bool { return l != model.Archived && l != model.Superseded }

func (p *recallPlan) receipt(j *job) (model.RequestAccepted, error) {
	r := &model.RecallReceipt{}
	accepted := model.RequestAccepted{ReadSeq: uint64(p.seq), Recall: r}
	for _, o := range p.offered {
		if o.slot >= 0 && j.got[o.slot].Err != nil {
			p.packed.omit(model.OmittedChangedMeanwhile, 1)
			continue
		}
		accepted.Memories = append(accepted.Memories, o.memory.ID)
		item := model.RecallReceiptItem{
			Memory: o.memory.ID, Content: o.memory.Content.Number, Score: o.score, Lane: o.lane, Version: o.memory.Version,
		}
		for _, part := range o.parts {
			item.Parts = append(item.Parts, model.ScorePart{Name: part.Name, Value: part.Value})
		}
		r.Items = append(r.Items, item)
	}
	r.Omitted, r.Abstained = p.packed.omittedList(), len(r.Items) == 0
	return accepted, nil
}
