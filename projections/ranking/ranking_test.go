package ranking_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/projections/ranking"
)

func params() model.RankingParams { return model.DefaultParams().Ranking }

func id(n byte) model.MemoryID { return model.MemoryID{15: n} }

func alone(n byte) ranking.Candidate {
	return ranking.Candidate{Ordinal: uint32(n), ID: id(n), Effective: 0.5}
}

func found(n byte, lexical, vector float64) ranking.Candidate {
	c := alone(n)
	c.Lexical, c.InLexical, c.Vector, c.InVector = lexical, true, vector, true
	return c
}

func order(r ranking.Result) (ids []byte) {
	for _, s := range r.Ranked {
		ids = append(ids, s.ID[15])
	}
	return ids
}

func part(r ranking.Result, s ranking.Scored, name model.PartName) float64 {
	for _, p := range r.Parts(&s) {
		if p.Name == name {
			return p.Value
		}
	}
	return 0
}

func TestRank_AnEmptyPoolGivesNothing(t *testing.T) {
	require.Empty(t, ranking.Rank(nil, nil, params()).Ranked)
}

func TestRank_PartsSumToTheScoreAndRelevanceLiesInOne(t *testing.T) {
	const seed = 7
	random := rand.New(rand.NewPCG(seed, seed))
	pool := make([]ranking.Candidate, 200)
	var edges []ranking.Edge
	for i := range pool {
		pool[i] = found(byte(i), random.Float64()*10, random.Float64())
		pool[i].InLexical, pool[i].InVector = random.IntN(2) == 0, random.IntN(2) == 0
		pool[i].Session, pool[i].Named = uint64(random.IntN(4)), random.IntN(5) == 0
		edges = append(edges, ranking.Edge{From: int32(random.IntN(len(pool))), To: int32(i), Step: int32(random.IntN(3) - 3)})
		pool[i].Family, pool[i].Conflict = id(byte(random.IntN(50))), random.IntN(9) == 0
		pool[i].Effective, pool[i].Salience, pool[i].Difficult = random.Float64(), random.Float64(), random.Float64()/2
	}
	r := ranking.Rank(pool, edges, params())
	for _, s := range r.Ranked {
		total, relevance := 0.0, 0.0
		for _, p := range r.Parts(&s) {
			total += p.Value
			if p.Name <= model.PartEpisode {
				relevance += p.Value
				require.GreaterOrEqual(t, p.Value, 0.0, "seed %d", seed)
			}
		}
		require.InDelta(t, s.Score, total, 1e-12, "seed %d", seed)
		require.LessOrEqual(t, relevance, 1+1e-12)
	}
}

func TestRank_WhatAnArmDidNotReturnCountsAsItsWorst(t *testing.T) {
	missing := alone(3)
	missing.Lexical, missing.InLexical = 1, true
	r := ranking.Rank([]ranking.Candidate{found(1, 9, 0.9), found(2, 1, 0.2), missing}, nil, params())
	require.Equal(t, []byte{1, 2, 3}, order(r), "ties are broken by id")
	require.Equal(t, r.Ranked[1].Score, r.Ranked[2].Score)
}

func TestRank_ANeighbourGainsFromWhatStandsAroundIt(t *testing.T) {
	before, best, after, far := alone(1), found(2, 9, 0.9), alone(3), alone(4)
	edges := []ranking.Edge{{From: 1, To: 0, Step: -1}, {From: 1, To: 2, Step: 1}, {From: 1, To: 3, Step: 4}}
	r := ranking.Rank([]ranking.Candidate{before, best, after, far, found(5, 1, 0.1)}, edges, params())
	require.Equal(t, []byte{2, 3, 1}, order(r)[:3])
	p := params()
	top := part(r, r.Ranked[0], model.PartLexical) + part(r, r.Ranked[0], model.PartVector)
	require.InDelta(t, p.BeforeWeights[0]*top, part(r, r.Ranked[1], model.PartNeighbours), 1e-12)
	require.InDelta(t, p.AfterWeights[0]*top, part(r, r.Ranked[2], model.PartNeighbours), 1e-12)
	require.Equal(t, model.LaneNeighbour, r.Ranked[1].Lane)
}

func TestRank_ANamedEntityAndASessionsBestAddTheirShare(t *testing.T) {
	named, plain, mate := found(1, 5, 0.5), found(2, 9, 0.9), found(3, 1, 0.1)
	named.Named = true
	plain.Session, mate.Session = 8, 8
	r := ranking.Rank([]ranking.Candidate{named, plain, mate}, nil, params())
	p := params()
	byID := map[byte]ranking.Scored{}
	for _, s := range r.Ranked {
		byID[s.ID[15]] = s
	}
	raw := part(r, byID[2], model.PartLexical) + part(r, byID[2], model.PartVector)
	require.InDelta(t, p.EntityWeight*raw, part(r, byID[1], model.PartEntity), 1e-12)
	require.Zero(t, part(r, byID[2], model.PartEntity))
	require.InDelta(t, p.EpisodeWeight*raw, part(r, byID[3], model.PartEpisode), 1e-12)
	require.Zero(t, part(r, byID[1], model.PartEpisode), "no session, no episode")
}

// UTL-1: salience, confidence and utility are three parts of their own; UTL-5: utility is in the score.
func TestRank_UTL_1_EachStandingIsAPartOfItsOwn(t *testing.T) {
	c := found(1, 5, 0.5)
	c.Salience, c.Confident, c.Utility, c.Recency, c.Context, c.Difficult, c.Conflict = 0.5, 0.6, 0.7, 0.8, 0.9, 0.4, true
	r := ranking.Rank([]ranking.Candidate{c, found(2, 1, 0.1)}, nil, params())
	s := r.Ranked
	at := 0
	if s[1].ID == id(1) {
		at = 1
	}
	p := params()
	for name, want := range map[model.PartName]float64{
		model.PartSalience: p.Salience * 0.5, model.PartConfidence: p.Confidence * 0.6, model.PartUtility: p.Utility * 0.7,
		model.PartRecency: p.Recency * 0.8, model.PartContext: p.Context * 0.9, model.PartDifficulty: -p.Difficulty * 0.4,
		model.PartConflict: -p.Conflict,
	} {
		require.InDelta(t, want, part(r, s[at], name), 1e-12, "%s", name)
	}
}

func TestRank_StrengthIsMeasuredFromTheMedianAndNeverGates(t *testing.T) {
	strong, weak, middle := found(1, 5, 0.5), found(2, 5, 0.5), found(3, 5, 0.5)
	strong.Effective, weak.Effective, middle.Effective = 1, 0, 0.5
	r := ranking.Rank([]ranking.Candidate{strong, weak, middle}, nil, params())
	require.Equal(t, []byte{1, 3, 2}, order(r))
	require.Zero(t, part(r, r.Ranked[1], model.PartStrength))
	require.Greater(t, r.Ranked[2].Score, 0.5, "a faded memory that answers still scores")
}

func TestRank_LaterMembersOfAFamilyPay(t *testing.T) {
	first, twin, other := found(1, 9, 0.9), found(2, 8.99, 0.9), found(3, 8.9, 0.9)
	twin.Family = first.ID
	r := ranking.Rank([]ranking.Candidate{first, twin, other, found(4, 1, 0.1)}, nil, params())
	require.Equal(t, []byte{1, 3, 2, 4}, order(r))
	require.InDelta(t, -params().Duplicate, part(r, r.Ranked[2], model.PartDuplicate), 1e-12)
}

func TestRank_IsTheSameInWhateverOrderThePoolComes(t *testing.T) {
	pool := []ranking.Candidate{found(3, 5, 0.5), found(1, 5, 0.5), found(2, 7, 0.1)}
	mirror := []ranking.Candidate{pool[2], pool[1], pool[0]}
	a, b := ranking.Rank(pool, nil, params()), ranking.Rank(mirror, nil, params())
	require.Equal(t, order(a), order(b))
	for i := range a.Ranked {
		require.False(t, math.IsNaN(a.Ranked[i].Score))
		require.InDelta(t, a.Ranked[i].Score, b.Ranked[i].Score, 1e-12)
	}
}

func BenchmarkRank(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	pool := make([]ranking.Candidate, 1000)
	var edges []ranking.Edge
	for i := range pool {
		pool[i] = found(byte(i), random.Float64(), random.Float64())
		edges = append(edges, ranking.Edge{From: int32(i), To: int32((i + 1) % 1000), Step: 1})
	}
	b.ReportAllocs()
	for b.Loop() {
		ranking.Rank(pool, edges, params())
	}
}
