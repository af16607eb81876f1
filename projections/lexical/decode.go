package lexical

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/membrain-db/membrain/text"
)

// termBytesMax bounds a stored word. The analyser cuts at 128 bytes.
const termBytesMax = 1 << 10

// Load reads an index that Save wrote. What it allocates is in proportion to the bytes of r, never
// to a count that they claim. Errors: [ErrRebuild] when the bytes are damaged, foreign, newer, or made by
// another analyser; else those of r. The caller compares Header with what it expects.
func Load(r io.Reader) (*Index, Header, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, Header{}, fmt.Errorf("read lexical index: %w", err)
	}
	return decode(data)
}

func decode(data []byte) (*Index, Header, error) {
	d := decoder{rest: data}
	h := d.header()
	x := New()
	d.documents(x)
	counts := d.dictionary(x)
	d.postings(x, counts)
	if d.err == nil && len(d.rest) > 0 {
		d.fail("%d bytes follow the end", len(d.rest))
	}
	if d.err != nil {
		return nil, Header{}, d.err
	}
	return x, h, nil
}

// decoder reads from rest until the first fault; after it every read gives zero.
type decoder struct {
	rest     []byte
	err      error
	terms    uint32
	postingN uint64
	sizes    [3]uint64
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{ErrRebuild}, args...)...)
	}
	d.rest = nil
}

// take returns the next n bytes, or nil.
func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.fail("cut short: %d bytes wanted, %d left", n, len(d.rest))
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) u16() uint16 {
	if b := d.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.fail("no number where one is due")
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// verify reads the checksum that follows section.
func (d *decoder) verify(name string, section []byte) {
	got := d.u32()
	if want := checksum(section); d.err == nil && got != want {
		d.fail("checksum of %s is %08x, want %08x", name, got, want)
	}
}

func (d *decoder) header() (h Header) {
	start := d.rest
	if m := d.take(uint64(len(magic))); string(m) != magic {
		d.fail("not a lexical index")
		return h
	}
	if v := d.u16(); d.err == nil && v != formatVersion {
		d.fail("format version %d, want %d", v, formatVersion)
	}
	var analyser string
	if n := d.take(1); n != nil {
		analyser = string(d.take(uint64(n[0])))
	}
	if d.err == nil && analyser != text.AnalyserVersion {
		d.fail("analyser %q, want %q", analyser, text.AnalyserVersion)
	}
	h.Namespace, h.Seq = d.u32(), d.u64()
	d.terms, d.postingN = d.u32(), d.u64()
	for i := range d.sizes {
		d.sizes[i] = d.u64()
	}
	d.verify("header", start[:len(start)-len(d.rest)])
	return h
}

// section returns a section's bytes after checking them, as a decoder of their own.
func (d *decoder) section(name string, size uint64) decoder {
	b := d.take(size)
	d.verify(name, b)
	if d.err != nil {
		b = nil
	}
	return decoder{rest: b, err: d.err}
}

// finish hands a section's fault to the file's decoder.
func (d *decoder) finish(name string, s *decoder) {
	if s.err == nil && len(s.rest) > 0 {
		s.fail("%d bytes too many in %s", len(s.rest), name)
	}
	if d.err == nil && s.err != nil {
		d.err = s.err
	}
}

func (d *decoder) documents(x *Index) {
	s := d.section("documents", d.sizes[0])
	if len(s.rest) == 0 {
		d.finish("documents", &s)
		return
	}
	x.reach(uint32(len(s.rest) - 1))
	for ordinal, b := range s.rest {
		bucket := b &^ liveBit
		switch {
		case bucket >= buckets || b == liveBit:
			s.fail("ordinal %d has length code %d", ordinal, b)
		case b&liveBit != 0:
			x.live.set(uint32(ordinal))
			x.n++
			x.sumLen += int64(x.lengths[bucket])
		}
		if s.err != nil {
			break
		}
		x.lens[ordinal] = bucket
	}
	s.rest = nil
	d.finish("documents", &s)
}

// dictionary reads the words and returns how many postings each has.
func (d *decoder) dictionary(x *Index) []uint32 {
	s := d.section("terms", d.sizes[1])
	if s.err == nil && uint64(d.terms) > uint64(len(s.rest))/3 { // two lengths and a count at least
		s.fail("%d terms in %d bytes", d.terms, len(s.rest))
	}
	if s.err != nil {
		d.finish("terms", &s)
		return nil
	}
	counts := make([]uint32, 0, d.terms)
	x.terms = make([]posting, 0, d.terms)
	x.dict = make(map[string]uint32, d.terms)
	before := ""
	for id := range d.terms {
		term := s.term(before)
		count := s.uvarint()
		if s.err == nil && (count == 0 || count > uint64(len(x.lens))) {
			s.fail("a term of %d postings", count)
		}
		if s.err != nil {
			break
		}
		x.dict[term] = id
		x.terms = append(x.terms, posting{term: term})
		counts = append(counts, uint32(count))
		before = term
	}
	d.finish("terms", &s)
	return counts
}

// term reads a word that must stand after the one before.
func (d *decoder) term(before string) string {
	shared, more := d.uvarint(), d.uvarint()
	if d.err == nil && (shared > uint64(len(before)) || more == 0 || more > termBytesMax || shared+more > termBytesMax) {
		d.fail("a term shares %d bytes of %d and adds %d", shared, len(before), more)
	}
	rest := d.take(more)
	if d.err != nil {
		return ""
	}
	term := before[:shared] + string(rest)
	if term <= before {
		d.fail("terms are out of order")
	}
	return term
}

// postings decodes all lists into two arenas. A list's capacity is its length, so that the first
// append to it copies it and no other.
func (d *decoder) postings(x *Index, counts []uint32) {
	s := d.section("postings", d.sizes[2])
	total := uint64(0)
	for _, count := range counts {
		total += uint64(count)
	}
	if s.err == nil && (total != d.postingN || total > uint64(len(s.rest))) { // a byte each at least
		s.fail("%d postings in %d bytes, want %d", total, len(s.rest), d.postingN)
	}
	if s.err == nil {
		docs, codes := make([]uint32, total), make([]uint8, total)
		at := 0
		for id, count := range counts {
			end := at + int(count)
			s.list(x, &x.terms[id], docs[at:end:end], codes[at:end:end])
			at = end
		}
	}
	d.finish("postings", &s)
}

func (d *decoder) list(x *Index, p *posting, docs []uint32, codes []uint8) {
	before := int64(-1)
	for i := range docs {
		v := d.uvarint()
		distance := v >> 1
		if d.err == nil && (distance == 0 || distance > uint64(len(x.lens)) || before+int64(distance) >= int64(len(x.lens))) {
			d.fail("a posting %d after ordinal %d of %d", distance, before, len(x.lens))
		}
		if d.err != nil {
			return
		}
		before += int64(distance)
		bucket := x.lens[before]
		code := codeOf(1, bucket)
		if v&1 == 1 {
			if b := d.take(1); b != nil {
				code = b[0]
			}
		}
		if d.err == nil && (bucket == 0 || code&63 != bucket) {
			d.fail("posting code %d of a document of length code %d", code, bucket)
		}
		docs[i], codes[i] = uint32(before), code
		p.note(code)
		if x.live.has(uint32(before)) {
			p.df++
		}
	}
	p.docs, p.codes = docs, codes
}
