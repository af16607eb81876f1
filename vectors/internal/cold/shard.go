package cold

import (
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/mem"
)

// Shard is an open file of vectors. Safe for concurrent use; each search has its own Scratch. See Open.
type Shard struct {
	*header
	navigation *navigation
	entryIDs   []uint32
	keyOf      []uint32 // by node
	sums       []uint32 // by bucket
	fences     []uint32 // first key of each bucket of the key table
	keys       *roaring.Bitmap
	dense      bool // keys are few enough apart for a bit each

	closing sync.RWMutex // held for reading while the file is read
	file    *mem.File    // nil once closed

	searches atomic.Int64
	pages    atomic.Int64
	damage   atomic.Pointer[error]
}

// Stats describes a shard at one moment.
type Stats struct {
	Vectors       int
	Dim           int
	Form          Form
	NavBits       int // bits a component of the codes in memory
	Width         int // candidates that a search keeps
	Rescore       int // candidates of a scan that are compared by their blocks, on average
	Entries       int
	Recall        float64 // measured when the shard was sealed
	ResidentBytes int64   // of memory, all that the shard holds
	FileBytes     int64   // mapped
	Searches      int64   // since it was opened
	PagesTouched  int64   // by all of them, of 4 KiB each, in memory or not
}

// Len returns the number of vectors.
func (s *Shard) Len() int { return s.n }

// Dim returns the number of components of each.
func (s *Shard) Dim() int { return s.dim }

// Form returns the form of the vectors that were sealed.
func (s *Shard) Form() Form { return s.form }

// Meta returns what Options.Meta was; the caller does not change it.
func (s *Shard) Meta() []byte { return s.meta }

// Keys returns a new bitmap of the keys; the caller owns it.
func (s *Shard) Keys() *roaring.Bitmap { return s.keys.Clone() }

// Contains reports whether a vector has this key.
func (s *Shard) Contains(key uint32) bool { return s.keys.Contains(key) }

// Err returns the first damage that a search met, wrapping ErrRebuild, or nil.
func (s *Shard) Err() error {
	if err := s.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// Stats returns figures for people.
func (s *Shard) Stats() Stats {
	return Stats{
		Vectors: s.n, Dim: s.dim, Form: s.form, NavBits: s.navBits, Width: s.width, Rescore: s.rescore,
		Entries: s.entries, Recall: float64(s.recall), ResidentBytes: s.residentBytes(), FileBytes: s.fileBytes,
		Searches: s.searches.Load(), PagesTouched: s.pages.Load(),
	}
}

func (s *Shard) residentBytes() int64 {
	return s.layout.residentBytes() + int64(s.keys.GetSizeInBytes())
}

// Close lets go of the file and the memory, once running searches are done. Later searches get ErrClosed; a second Close
// does nothing.
func (s *Shard) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Close(), s.navigation.chunks.Free())
	s.file = nil
	return err
}

// guard runs what reads the file. Damage is remembered.
func (s *Shard) guard(read func() error) error {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.file == nil {
		return ErrClosed
	}
	err := s.file.Guard(read)
	if errors.Is(err, mem.ErrFault) {
		err = fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	if err != nil {
		s.remember(err)
	}
	return err
}

// remember keeps the first damage. (The copy of err that it lets escape is why it is a method.)
func (s *Shard) remember(err error) {
	if errors.Is(err, ErrRebuild) {
		s.damage.CompareAndSwap(nil, &err)
	}
}

// touch returns a row of a table.
func (s *Shard) touch(c *Scratch, t *table, row uint32) ([]byte, error) {
	bytes, err := s.bucket(c, t, row)
	if err != nil {
		return nil, err
	}
	return bytes[t.within(row):][:t.rowBytes], nil
}

// bucket returns the bucket of a row. Its first touch in a search compares it with its checksum, so that no answer comes
// from a damaged page, however long ago the shard was opened.
func (s *Shard) bucket(c *Scratch, t *table, row uint32) ([]byte, error) {
	bucket := t.bucketOf(row)
	bytes := s.file.Bytes()[t.bucketOffset(bucket):][:t.bucketBytes]
	if c.buckets[bucket] == c.epoch {
		return bytes, nil
	}
	if got, want := crc32.Checksum(bytes, castagnoli), s.sums[bucket]; got != want {
		return nil, fmt.Errorf("%w: bytes from %d: checksum %08x, want %08x", ErrRebuild, t.bucketOffset(bucket), got, want)
	}
	c.buckets[bucket] = c.epoch
	c.pages += t.bucketBytes / pageBytes
	return bytes, nil
}

// soon starts to read a row that touch will want.
func (s *Shard) soon(c *Scratch, t *table, row uint32) {
	if bucket := t.bucketOf(row); c.buckets[bucket] != c.epoch {
		s.file.AdviseWillNeed(int(t.bucketOffset(bucket)), t.bucketBytes)
	}
}

func codesOf(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}
