package main

import (
	"math"
	"math/rand/v2"
)

// Of the generated set. membraind bench vectors draws the same vectors: tests of both compare them with one checksum.
const (
	clusterDim     = 384
	clusterCentres = 500
	clusterSpread  = 1 // length of what a vector adds to its centre, of the centre's
	clusterSeed    = 1
)

// clusters draws unit vectors around centres, as embeddings of texts lie.
type clusters struct {
	random  *rand.Rand
	centres [][]float32
}

func newClusters() *clusters {
	c := &clusters{random: rand.New(rand.NewPCG(clusterSeed, clusterSeed))}
	for range clusterCentres {
		c.centres = append(c.centres, unit(c.noise()))
	}
	return c
}

func (c *clusters) draw() []float32 {
	v, centre := c.noise(), c.centres[c.random.IntN(clusterCentres)]
	for i := range v {
		v[i] = centre[i] + float32(v[i]*float32(clusterSpread/math.Sqrt(clusterDim)))
	}
	return unit(v)
}

func (c *clusters) noise() []float32 {
	v := make([]float32, clusterDim)
	for i := range v {
		v[i] = float32(c.random.NormFloat64())
	}
	return v
}

// unit scales v to length 1 and returns it.
func unit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}
