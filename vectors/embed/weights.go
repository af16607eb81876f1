package embed

import (
	"math"
	"math/bits"
)

// sifA is the parameter a of SIF; the paper finds 1e-3 to 1e-4 alike. Source: Arora et al., section 3.
const sifA = 1e-3

// zipfShift is q of the Zipf-Mandelbrot law p(rank) = 1/(rank+q), which stands in for word counts: the source ships none.
const zipfShift = 2.7

// sifWeights returns round(4095 a/(a+p)) for n words, most frequent first. Each step is one IEEE operation that no
// processor fuses with its neighbour, so that the weights are the same everywhere.
func sifWeights(n int) []uint16 {
	total := 0.0
	for rank := range n {
		total += 1 / (float64(rank) + zipfShift)
	}
	weights := make([]uint16, n)
	for rank := range weights {
		p := float64(1/(float64(rank)+zipfShift)) / total
		weights[rank] = uint16(math.Round(float64(4095 * float64(sifA/(sifA+p)))))
	}
	return weights
}

// idfBits is the fraction of an idf: weights count in units of 1/1024.
const idfBits = 10

// idfWeight returns log2(1 + n/(1+df)) in units of 1/1024, at least 1; n > 0. The base does not matter, because each
// part of a vector is normalised. Integers, because the last bits of math.Log differ between processors.
func idfWeight(n int, df uint32) int64 {
	rest := uint64(df) + 1
	return max(1, log2(rest+uint64(n))-log2(rest))
}

// log2 returns the binary logarithm of x >= 1 in units of 1/1024, rounded down. The whole part is the position of
// the top bit; each further bit comes from squaring the mantissa and seeing whether it passes 2.
func log2(x uint64) int64 {
	const one = 1 << 31
	whole := bits.Len64(x) - 1
	mantissa := x << (63 - whole) >> 32 // in [1, 2) with 31 bits of fraction
	log := int64(whole)
	for range idfBits {
		mantissa = mantissa * mantissa >> 31
		log <<= 1
		if mantissa >= 2*one {
			mantissa >>= 1
			log++
		}
	}
	return log
}
