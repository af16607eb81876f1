package vectors

import (
	"fmt"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
)

// Flat is an Index that compares the query with every vector that the filter lets through. Exact; safe for
// concurrent use. The zero value is not usable; see NewFlat.
type Flat struct {
	dim  int
	form Form

	mu     sync.RWMutex
	slots  map[uint32]uint32 // key -> slot; slots are dense, 0 to len-1
	chunks []*chunk          // slot s is row s%chunkRows of chunk s/chunkRows
}

var _ Index = (*Flat)(nil)

// NewFlat returns an empty index for vectors of one dimension (1 to EmbeddingDimMax) and form.
// It panics on another dimension or an unknown form: both come from the embedder's description, not from data.
func NewFlat(dim int, form Form) *Flat {
	if dim < 1 || dim > EmbeddingDimMax || (form != FormInt8 && form != FormFloat32) {
		panic(fmt.Sprintf("vectors: flat index of dimension %d and form %d", dim, form))
	}
	return &Flat{dim: dim, form: form, slots: map[uint32]uint32{}}
}

// Dim returns the number of components of every vector.
func (f *Flat) Dim() int { return f.dim }

// Form returns the form of every vector.
func (f *Flat) Form() Form { return f.form }

// Len returns the number of vectors.
func (f *Flat) Len() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.slots)
}

// Add implements Index.
func (f *Flat) Add(key uint32, e Embedding) error {
	if err := f.check(e); err != nil {
		return fmt.Errorf("add vector %d: %w", key, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(key, e)
	return nil
}

// check says whether the index may hold e or be asked for it.
func (f *Flat) check(e Embedding) error {
	if e.Form != f.form {
		return fmt.Errorf("%w: %v, the index holds %v", ErrForm, e.Form, f.form)
	}
	if e.Dim() != f.dim {
		return fmt.Errorf("%w: %d, the index holds %d", ErrDimension, e.Dim(), f.dim)
	}
	return e.Validate(f.dim)
}

// put stores a checked vector. The caller holds the lock.
func (f *Flat) put(key uint32, e Embedding) {
	slot, ok := f.slots[key]
	if !ok {
		slot = uint32(len(f.slots))
		f.slots[key] = slot
	}
	if int(slot) == len(f.chunks)*chunkRows {
		f.chunks = append(f.chunks, newChunk(f.dim, f.form))
	}
	f.chunks[slot/chunkRows].put(int(slot%chunkRows), key, e)
}

// Remove implements Index. The last vector moves into the hole, so that slots stay dense.
func (f *Flat) Remove(key uint32) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	slot, ok := f.slots[key]
	if !ok {
		return false
	}
	last := uint32(len(f.slots) - 1)
	from := f.chunks[last/chunkRows]
	if slot != last {
		moved := from.keys[last%chunkRows]
		f.chunks[slot/chunkRows].move(int(slot%chunkRows), from, int(last%chunkRows))
		f.slots[moved] = slot
	}
	delete(f.slots, key)
	from.truncate(int(last % chunkRows))
	if last%chunkRows == 0 {
		f.chunks[len(f.chunks)-1] = nil
		f.chunks = f.chunks[:len(f.chunks)-1]
	}
	return true
}

// Keys implements Index.
func (f *Flat) Keys() *roaring.Bitmap {
	f.mu.RLock()
	defer f.mu.RUnlock()
	keys := roaring.New()
	for _, c := range f.chunks {
		keys.AddMany(c.keys)
	}
	return keys
}

// Stats implements Index.
func (f *Flat) Stats() Stats {
	f.mu.RLock()
	defer f.mu.RUnlock()
	const slotBytes = 12 // of the key table: key and slot, at the map's mean load
	s := Stats{Vectors: len(f.slots), Dim: f.dim, Form: f.form, Kernel: kernel.Name()}
	s.MemoryBytes = int64(len(f.slots)) * slotBytes
	for _, c := range f.chunks {
		s.MemoryBytes += c.memoryBytes()
	}
	return s
}

// set stores a checked vector and reports whether it replaced one.
func (f *Flat) set(key uint32, e Embedding) (replaced bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, replaced = f.slots[key]
	f.put(key, e)
	return replaced
}

// copyOf returns a copy of the vector of a key.
func (f *Flat) copyOf(key uint32) (Embedding, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	slot, ok := f.slots[key]
	if !ok {
		return Embedding{}, false
	}
	e := f.blank()
	c, i := f.chunks[slot/chunkRows], int(slot%chunkRows)
	copy(e.Int8, row(c.codes, i, c.stride))
	copy(e.Float32, row(c.floats, i, c.stride))
	return e, true
}

// clone returns a copy that shares nothing.
func (f *Flat) clone() *Flat {
	f.mu.RLock()
	defer f.mu.RUnlock()
	out := NewFlat(f.dim, f.form)
	e := f.blank()
	for _, c := range f.chunks {
		for i, key := range c.keys {
			copy(e.Int8, row(c.codes, i, c.stride))
			copy(e.Float32, row(c.floats, i, c.stride))
			out.put(key, e)
		}
	}
	return out
}
