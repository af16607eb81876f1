package vectors

import (
	"github.com/membrain-db/membrain/vectors/internal/cold"
)

// ColdSource returns a copy of the index as it is now, for SealCold, which builds the graph.
func (f *Flat) ColdSource() ColdSource {
	f.mu.RLock()
	defer f.mu.RUnlock()
	s := &flatSource{dim: f.dim, form: f.form}
	for _, c := range f.chunks {
		s.keys = append(s.keys, c.keys...)
		for i := range c.rows() {
			if f.form == FormInt8 {
				s.codes = append(s.codes, row(c.codes, i, c.stride)[:f.dim]...)
			} else {
				s.floats = append(s.floats, row(c.floats, i, c.stride)...)
			}
		}
	}
	return s
}

// flatSource is a copy of a flat index.
type flatSource struct {
	dim    int
	form   Form
	keys   []uint32
	codes  []int8
	floats []float32
}

func (s *flatSource) Len() int           { return len(s.keys) }
func (s *flatSource) Dim() int           { return s.dim }
func (s *flatSource) Form() cold.Form    { return cold.Form(s.form) }
func (s *flatSource) Key(i int) uint32   { return s.keys[i] }
func (s *flatSource) Links(int) []uint32 { return nil }
func (s *flatSource) Row(i int) cold.Row {
	return cold.Row{Int8: row(s.codes, i, s.dim), Float32: row(s.floats, i, s.dim)}
}
