package vectors

import (
	"errors"
	"fmt"

	"github.com/membrain-db/membrain/vectors/internal/hot"
)

// Defaults of Options.
const (
	DefaultTarget  = 0.99
	DefaultFlatMax = 10_000
)

// Options say how an Auto index serves. The zero value is sane.
type Options struct {
	// Target is the part of the true ten nearest that a search through the graph is to find, calibrated on samples:
	// above 0, at most 1. 1 asks for exactness: no graph is ever made. 0 means DefaultTarget.
	Target float64
	// FlatMax is the largest number of vectors that are compared one by one, exactly. 0 means DefaultFlatMax.
	FlatMax int
	// Seed chooses the levels of the graph's nodes. The same seed and order of vectors give the same graph.
	Seed uint64
	// Costs replace those that are measured; tests set them. Only their ratios matter.
	Costs Costs
}

// Costs are what the planner of filtered searches weighs, in nanoseconds. The zero value has them measured.
type Costs struct {
	Row   float64 // to compare one vector in a scan of all
	Key   float64 // to look up and compare one key of a filter
	Visit float64 // to compare one vector in a walk through the graph
}

// Validate returns every fault of the options together; nil for the zero value.
func (o Options) Validate() error {
	var faults []error
	if !(o.Target >= 0 && o.Target <= 1) {
		faults = append(faults, fmt.Errorf("vectors: target recall %v, allowed are 0 (the default) to 1", o.Target))
	}
	if o.FlatMax < 0 {
		faults = append(faults, fmt.Errorf("vectors: flat up to %d vectors, allowed are 0 (the default) and more", o.FlatMax))
	}
	if c := o.Costs; c != (Costs{}) && !(c.Row > 0 && c.Key > 0 && c.Visit > 0) {
		faults = append(faults, fmt.Errorf("vectors: costs %+v, allowed are all zero or all positive", c))
	}
	return errors.Join(faults...)
}

func (o Options) withDefaults() Options {
	if o.Target == 0 {
		o.Target = DefaultTarget
	}
	if o.FlatMax == 0 {
		o.FlatMax = DefaultFlatMax
	}
	return o
}

func (o Options) exact() bool { return o.Target == 1 }

func (o Options) graph(dim int, form Form) hot.Config {
	return hot.Config{Dim: dim, Float: form == FormFloat32, Seed: o.Seed, Costs: hot.Costs(o.Costs)}
}
