package vectors

// Read is LoadFile without a file.
var Read = read

// Residue returns what the memory of f holds beyond its rows.
func (f *Flat) Residue() (codes []int8, floats []float32) {
	for _, c := range f.chunks {
		codes = append(codes, c.codes[len(c.codes):cap(c.codes)]...)
		floats = append(floats, c.floats[len(c.floats):cap(c.floats)]...)
	}
	return codes, floats
}
