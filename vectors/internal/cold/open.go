package cold

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/membrain-db/membrain/vectors/internal/kernel"
	"github.com/membrain-db/membrain/vectors/internal/mem"
)

// Open maps a file that Seal wrote. It reads and checks what is kept in memory, about half of the vectors' codes, and no more.
// The shard holds the file open: replacing or deleting it changes nothing for searches.
// Errors: ErrRebuild, which also wraps fs.ErrNotExist when there is no file.
func Open(path string) (*Shard, error) {
	s, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w: %w", path, ErrRebuild, err)
	}
	return s, nil
}

func open(path string) (*Shard, error) {
	size, err := headerSize(path)
	if err != nil {
		return nil, err
	}
	file, err := mem.OpenFile(path, size)
	if err != nil {
		return nil, err
	}
	s := &Shard{file: file}
	if err := file.Guard(s.load); err != nil {
		if s.navigation != nil {
			err = errors.Join(err, s.navigation.chunks.Free())
		}
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// headerSize returns the size that the file should have, and refuses what is not a shard before anything is mapped.
func headerSize(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close() // read only: nothing to lose
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	page := make([]byte, pageBytes)
	if _, err := io.ReadFull(file, page); err != nil {
		return 0, fmt.Errorf("header: %w", err)
	}
	h, err := parseHeader(page, info.Size())
	if err != nil {
		return 0, err
	}
	return h.fileBytes, nil
}

// load reads what stays in memory.
func (s *Shard) load() (err error) {
	b := s.file.Bytes()
	if s.header, err = parseHeader(b, int64(len(b))); err != nil {
		return err
	}
	paged := int(s.blocks.offset)
	s.file.AdviseWillNeed(0, paged)
	if err := s.loadNavigation(b); err != nil {
		return err
	}
	for i, section := range []struct {
		of string
		to *[]uint32
		at section
	}{{"entries", &s.entryIDs, s.header.entryIDs}, {"keys", &s.keyOf, s.header.keys}, {"checksums", &s.sums, s.header.layout.sums}} {
		bytes := b[section.at.offset:section.at.end()]
		if err := requireSum(section.of, crc32.Checksum(bytes, castagnoli), s.header.sums[[]int{0, 2, 3}[i]]); err != nil {
			return err
		}
		*section.to = numbers(bytes)
	}
	for _, entry := range s.entryIDs {
		if int(entry) >= s.n {
			return fmt.Errorf("entry %d of %d vectors", entry, s.n)
		}
	}
	if err := s.loadKeys(); err != nil {
		return err
	}
	s.file.AdviseRandom(paged, len(b)-paged)
	s.file.AdviseDontNeed(0, paged)
	return nil
}

func requireSum(of string, got, want uint32) error {
	if got != want {
		return fmt.Errorf("%s: checksum %08x, want %08x", of, got, want)
	}
	return nil
}

func numbers(b []byte) []uint32 {
	out := make([]uint32, len(b)/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

// loadNavigation copies the codes to memory, a chunk at a time, and compares what has been copied with the checksum.
func (s *Shard) loadNavigation(b []byte) (err error) {
	if s.navigation, err = newNavigation(s.dim, s.navBits, s.n); err != nil {
		return err
	}
	stride, sum := s.navBytes, uint32(0)
	for from := 0; from < s.n; from += mem.ChunkRows {
		rows := min(mem.ChunkRows, s.n-from)
		chunk := s.navigation.chunk(uint32(from), rows)
		at := s.nav.offset + int64(from)*int64(stride)
		copy(chunk, b[at:])
		sum = crc32.Update(sum, castagnoli, chunk)
		s.file.AdviseDontNeed(int(at), len(chunk)) // or the process would hold all of it twice
	}
	return requireSum("navigation", sum, s.header.sums[1])
}

// chunk returns the bytes of rows that lie in one chunk.
func (v *navigation) chunk(from uint32, rows int) []byte {
	return bytesAt(v.chunks.Row(from), rows*v.chunks.Stride())
}

// loadKeys makes the bitmap of keys and the fences of the key table: every first key of a bucket.
func (s *Shard) loadKeys() error {
	sorted := slices.Clone(s.keyOf)
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("key %d stands twice", sorted[i])
		}
	}
	for i := 0; i < len(sorted); i += s.pairs.perBucket {
		s.fences = append(s.fences, sorted[i])
	}
	s.keys = roaring.New()
	s.keys.AddMany(sorted)
	s.keys.RunOptimize()
	s.dense = s.n > 0 && int(sorted[len(sorted)-1])/64 < s.n
	return nil
}

// prepare sets the scratch up for a query of codes that have a direction.
func (s *Shard) prepare(c *Scratch, codes []int8) {
	c.begin(s.n, s.buckets())
	copy(c.room(s.dim), codes)
	c.ready(s)
}

// ready computes what follows from the codes in the scratch.
func (c *Scratch) ready(s *Shard) {
	c.inverse = inverseOf(uint32(kernel.SquareSum(c.codes)))
	s.navigation.prepare(&c.query, c.codes)
}
