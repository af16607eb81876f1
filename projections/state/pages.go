package state

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// bbolt trusts its pages: on damaged ones it panics, reads past the end of the file, runs in circles or allocates
// without bound, and not all of that can be recovered from. So a file is walked by plain reads before bbolt sees it:
// every page that its tree uses, once, within bounds, in order, and a free list that names none of them.
// The layout. Source: go.etcd.io/bbolt, internal/common (page.go, meta.go, inode.go, bucket.go). Integers are in the machine's own order.
const (
	pageHeaderBytes  = 16 // id u64, flags u16, count u16, overflow u32
	elementBytes     = 16 // branch: pos u32, ksize u32, page u64; leaf: flags u32, pos u32, ksize u32, vsize u32
	bucketBytes      = 16 // root page u64, sequence u64
	pageIsBranch     = 0x01
	pageIsLeaf       = 0x02
	pageIsFreelist   = 0x10
	leafIsBucket     = 0x01
	metaBytes        = 64
	metaMagic        = 0xED0CDAED
	metaVersion      = 2
	pageBytesMin     = 512
	pageBytesMax     = 64 << 10
	manyFree         = 0xFFFF // a count that says: see the first element
	depthMax         = 32
	overflowBytesMax = 64 << 20 // a row is far smaller
)

var order = binary.NativeEndian

// walker reads the pages of one file.
type walker struct {
	in        io.ReaderAt
	pageBytes int
	highWater uint64 // pages from here on are not in use
	used      []bool // by page
	visit     func(bucket, key, value []byte) error
}

// walkFile verifies the file in, of size bytes, and shows every key and value of its top buckets to visit. They are valid
// during the call only. Any error means that the file is of no use.
func walkFile(in io.ReaderAt, size int64, visit func(bucket, key, value []byte) error) error {
	first, err := metaAt(in, 0)
	if err != nil {
		return fmt.Errorf("meta page 0: %w", err)
	}
	second, err := metaAt(in, int64(first.pageBytes))
	if err != nil {
		return fmt.Errorf("meta page 1: %w", err)
	}
	meta := first
	if second.txid > first.txid {
		meta = second
	}
	if first.pageBytes != second.pageBytes || meta.highWater > 1<<40 || size < int64(meta.highWater)*int64(meta.pageBytes) {
		return fmt.Errorf("%d bytes, want %d pages of %d", size, meta.highWater, meta.pageBytes)
	}
	w := &walker{in: in, pageBytes: meta.pageBytes, highWater: meta.highWater, used: make([]bool, meta.highWater), visit: visit}
	w.used[0], w.used[1] = true, true
	if err := w.topBuckets(meta.root); err != nil {
		return err
	}
	return w.freelist(meta.freelist)
}

type metaPage struct {
	pageBytes                       int
	root, freelist, highWater, txid uint64
}

func metaAt(in io.ReaderAt, at int64) (metaPage, error) {
	var page [pageHeaderBytes + metaBytes]byte
	if _, err := in.ReadAt(page[:], at); err != nil {
		return metaPage{}, err
	}
	b := page[pageHeaderBytes:]
	sum := fnv.New64a()
	sum.Write(b[:56])
	if order.Uint64(b[56:]) != sum.Sum64() || order.Uint32(b) != metaMagic || order.Uint32(b[4:]) != metaVersion {
		return metaPage{}, errors.New("checksum, magic or version is wrong")
	}
	m := metaPage{
		pageBytes: int(order.Uint32(b[8:])), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		highWater: order.Uint64(b[40:]), txid: order.Uint64(b[48:]),
	}
	if m.pageBytes < pageBytesMin || m.pageBytes > pageBytesMax || m.highWater < 2 {
		return metaPage{}, fmt.Errorf("pages of %d bytes, %d of them", m.pageBytes, m.highWater)
	}
	return m, nil
}

// page reads a page with its overflow and marks it as used. It is an error to use a page twice.
func (w *walker) page(id uint64) ([]byte, error) {
	if id < 2 || id >= w.highWater {
		return nil, fmt.Errorf("page %d of %d", id, w.highWater)
	}
	b := make([]byte, w.pageBytes)
	if _, err := w.in.ReadAt(b, int64(id)*int64(w.pageBytes)); err != nil {
		return nil, err
	}
	more := uint64(order.Uint32(b[12:]))
	if order.Uint64(b) != id || id+more >= w.highWater || more*uint64(w.pageBytes) > overflowBytesMax {
		return nil, fmt.Errorf("page %d calls itself %d, and has %d more of %d", id, order.Uint64(b), more, w.highWater)
	}
	for i := id; i <= id+more; i++ {
		if w.used[i] {
			return nil, fmt.Errorf("page %d is used twice", i)
		}
		w.used[i] = true
	}
	if more == 0 {
		return b, nil
	}
	whole := make([]byte, (1+int(more))*w.pageBytes)
	copy(whole, b)
	_, err := w.in.ReadAt(whole[len(b):], int64(id+1)*int64(w.pageBytes))
	return whole, err
}

// topBuckets walks the tree whose values are the buckets.
func (w *walker) topBuckets(root uint64) error {
	return w.tree(root, 0, &lastKey{}, func(flags uint32, name, value []byte) error {
		if flags != leafIsBucket || len(value) < bucketBytes {
			return fmt.Errorf("%q is no bucket", name)
		}
		bucket := bytes.Clone(name)
		leaf := func(flags uint32, key, value []byte) error {
			if flags != 0 {
				return fmt.Errorf("flags %x under %x in %q", flags, key, bucket)
			}
			return w.visit(bucket, key, value)
		}
		if root := order.Uint64(value); root != 0 {
			return w.tree(root, 0, &lastKey{}, leaf)
		}
		inline := value[bucketBytes:]
		if len(inline) < pageHeaderBytes || order.Uint16(inline[8:]) != pageIsLeaf {
			return fmt.Errorf("bucket %q has no page", bucket)
		}
		return w.leaf(inline, &lastKey{}, leaf)
	})
}

// lastKey checks that keys rise over a whole tree.
type lastKey struct {
	key []byte
	any bool
}

func (l *lastKey) next(key []byte) error {
	if l.any && bytes.Compare(key, l.key) <= 0 {
		return fmt.Errorf("key %x after %x", key, l.key)
	}
	l.key, l.any = append(l.key[:0], key...), true
	return nil
}

type leafFunc func(flags uint32, key, value []byte) error

func (w *walker) tree(id uint64, depth int, last *lastKey, fn leafFunc) error {
	if depth > depthMax {
		return fmt.Errorf("page %d lies %d levels deep", id, depth)
	}
	page, err := w.page(id)
	if err != nil {
		return err
	}
	switch flags := order.Uint16(page[8:]); flags {
	case pageIsLeaf:
		return w.leaf(page, last, fn)
	case pageIsBranch:
		return w.branch(id, page, depth, last, fn)
	default:
		return fmt.Errorf("page %d has flags %x", id, flags)
	}
}

// branch checks that each child begins at or after the key that leads to it, and ends before the next.
func (w *walker) branch(id uint64, page []byte, depth int, last *lastKey, fn leafFunc) error {
	count := int(order.Uint16(page[10:]))
	if count == 0 || pageHeaderBytes+count*elementBytes > len(page) {
		return fmt.Errorf("branch %d of %d elements", id, count)
	}
	for i := range count {
		at := pageHeaderBytes + i*elementBytes
		key, err := within(page, at, order.Uint32(page[at:]), 0, order.Uint32(page[at+4:]))
		if err != nil {
			return err
		}
		if last.any && bytes.Compare(key, last.key) <= 0 {
			return fmt.Errorf("branch %d leads to %x after %x", id, key, last.key)
		}
		first := func(flags uint32, leaf, value []byte) error {
			if bytes.Compare(leaf, key) < 0 {
				return fmt.Errorf("key %x under the branch of %x", leaf, key)
			}
			return fn(flags, leaf, value)
		}
		if err := w.tree(order.Uint64(page[at+8:]), depth+1, last, first); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) leaf(page []byte, last *lastKey, fn leafFunc) error {
	count := int(order.Uint16(page[10:]))
	if pageHeaderBytes+count*elementBytes > len(page) {
		return fmt.Errorf("leaf of %d elements in %d bytes", count, len(page))
	}
	for i := range count {
		at := pageHeaderBytes + i*elementBytes
		pos, keySize, valueSize := order.Uint32(page[at+4:]), order.Uint32(page[at+8:]), order.Uint32(page[at+12:])
		key, err := within(page, at, pos, 0, keySize)
		if err != nil {
			return err
		}
		value, err := within(page, at, pos, keySize, valueSize)
		if err != nil {
			return err
		}
		if err := last.next(key); err != nil {
			return err
		}
		if err := fn(order.Uint32(page[at:]), key, value); err != nil {
			return err
		}
	}
	return nil
}

// within returns size bytes that begin skip bytes after position pos, which counts from the element at at.
func within(page []byte, at int, pos, skip, size uint32) ([]byte, error) {
	from := uint64(at) + uint64(pos) + uint64(skip)
	if from+uint64(size) > uint64(len(page)) {
		return nil, fmt.Errorf("element at %d reaches %d bytes past its page", at, from+uint64(size)-uint64(len(page)))
	}
	return page[from : from+uint64(size)], nil
}

// freelist checks that every page is either in use or free, as the list says.
func (w *walker) freelist(id uint64) error {
	page, err := w.page(id)
	if err != nil {
		return fmt.Errorf("free list: %w", err)
	}
	if flags := order.Uint16(page[8:]); flags != pageIsFreelist {
		return fmt.Errorf("free list has flags %x", flags)
	}
	count, at := uint64(order.Uint16(page[10:])), pageHeaderBytes
	if count == manyFree {
		count, at = order.Uint64(page[at:]), at+8
	}
	if count > uint64(len(page)-at)/8 {
		return fmt.Errorf("free list of %d pages in %d bytes", count, len(page))
	}
	for i := range int(count) {
		free := order.Uint64(page[at+8*i:])
		if free < 2 || free >= w.highWater || w.used[free] {
			return fmt.Errorf("page %d is free and in use", free)
		}
		w.used[free] = true
	}
	return nil
}
