package bench

import "github.com/membrain-db/membrain/model"

// variant is a way to rank: the default with something switched off.
type variant struct {
	name  string // "" is the default
	apply func(*model.RankingParams)
}

// variants are the default first, then one for every feature of the ranking, so that each shows what it is worth.
func variants() []variant {
	return []variant{
		{"", func(*model.RankingParams) {}},
		{"bm25", func(p *model.RankingParams) { armsOnly(p); p.VectorWeight = 0 }},
		{"vectors", func(p *model.RankingParams) { armsOnly(p); p.LexicalWeight = 0 }},
		{"fused", armsOnly},
		{"relevance_only", noSoftParts},
		{"no_lexical", func(p *model.RankingParams) { p.LexicalWeight = 0 }},
		{"no_vectors", func(p *model.RankingParams) { p.VectorWeight = 0 }},
		{"no_neighbours", noNeighbours},
		{"no_entity", func(p *model.RankingParams) { p.EntityWeight = 0 }},
		{"no_episode", func(p *model.RankingParams) { p.EpisodeWeight = 0 }},
	}
}

// armsOnly leaves the lexical and the vector arm.
func armsOnly(p *model.RankingParams) {
	noSoftParts(p)
	noNeighbours(p)
	p.EntityWeight, p.EpisodeWeight = 0, 0
}

func noNeighbours(p *model.RankingParams) {
	p.BeforeWeights, p.AfterWeights = [3]float64{}, [3]float64{}
}

// noSoftParts leaves relevance alone.
func noSoftParts(p *model.RankingParams) {
	p.Strength, p.Salience, p.Confidence, p.Utility, p.Recency, p.Context = 0, 0, 0, 0, 0, 0
	p.Difficulty, p.Conflict, p.Duplicate = 0, 0, 0
}

// under is the name of a metric of a benchmark under a variant.
func (v variant) under(bench, metric string) string {
	if v.name == "" {
		return bench + "." + metric
	}
	return bench + "." + v.name + "." + metric
}
