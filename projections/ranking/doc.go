// Package ranking turns the features of a pool of candidates into scores with named parts. Pure: it knows
// numbers, nothing of stores.
//
// A score is relevance plus small soft parts. Relevance is the z-scored lexical arm plus the weighed z-scored
// vector arm; each candidate then gains from its neighbours in the session, from an entity that the query names,
// and from the best of its session. Relevance is divided by the largest in the pool, so it lies in [0,1]; the
// soft parts (strength, salience, confidence, utility, recency, context) and the penalties (difficulty, open
// conflict, duplicate) are bounded by their weights.
//
// The types to know: Candidate, Scored.
//
// Source of the relevance recipe: docs/benchmarks.md, "LoCoMo"; temporal neighbours follow the contiguity effect
// of Howard and Kahana, "A distributed representation of temporal context" (2002).
package ranking
