package bench

import (
	"cmp"
	"math"
	"slices"
)

// relevance sums up how well ranked answers hold what was looked for. Means are over questions; all but mrr and
// ndcg are in percent.
type relevance struct {
	n                    int
	recall5, recall10    float64
	recall20, hit10, mrr float64
	ndcg10               float64
}

// judge adds one answer. found is best first and without repetition; grades says how good each that was looked for
// is, above 0.
func (s *relevance) judge(found []string, grades map[string]float64) {
	s.n++
	s.recall5 += share(found, grades, 5)
	s.recall10 += share(found, grades, 10)
	s.recall20 += share(found, grades, 20)
	s.mrr += reciprocal(found, grades)
	s.ndcg10 += ndcg(found, grades, 10)
	if share(found, grades, 10) > 0 {
		s.hit10++
	}
}

func (s *relevance) percent(sum float64) float64 { return 100 * s.mean(sum) }

func (s *relevance) mean(sum float64) float64 {
	if s.n == 0 {
		return 0
	}
	return sum / float64(s.n)
}

// share is the part of what was looked for that stands among the first k.
func share(found []string, grades map[string]float64, k int) float64 {
	hits := 0
	for _, f := range found[:min(k, len(found))] {
		if grades[f] > 0 {
			hits++
		}
	}
	return float64(hits) / float64(len(grades))
}

// reciprocal is 1 / the rank of the first that was looked for, 0 when there is none.
func reciprocal(found []string, grades map[string]float64) float64 {
	for i, f := range found {
		if grades[f] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// ndcg is the normalised discounted cumulative gain at k, with linear gains.
// Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", ACM TOIS 20 (2002), in the
// form of trec_eval: gain / log2(rank+1).
func ndcg(found []string, grades map[string]float64, k int) float64 {
	var gains, ideal []float64
	for _, f := range found {
		gains = append(gains, grades[f])
	}
	for _, g := range grades {
		ideal = append(ideal, g)
	}
	slices.SortFunc(ideal, func(a, b float64) int { return cmp.Compare(b, a) })
	return discounted(gains, k) / discounted(ideal, k)
}

func discounted(gains []float64, k int) float64 {
	sum := 0.0
	for i, g := range gains[:min(k, len(gains))] {
		sum += g / math.Log2(float64(i)+2)
	}
	return sum
}
