package eventlog

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

const (
	// branchPagesAtOpenMax bounds the walk at open: about 10 GiB of commits. Check walks all.
	branchPagesAtOpenMax = 16 << 10
	// leafPagesAtOpenMax: a store of up to 8 MiB is walked whole at open.
	leafPagesAtOpenMax = 2 << 10
	// treeDepthMax is far above what 2^50 pages need; a tree that is deeper goes in a circle.
	treeDepthMax     = 32
	elementBytes     = 16
	elementIsBucket  = 0x01
	freelistCountBig = 0xFFFF // the count then stands in front of the list
)

// pageWalk follows the pages of a bbolt file by plain reads. bbolt trusts them: a branch that leads back to itself
// would recurse until the process dies, which no guard can catch; a separator that is off would hide keys; and a
// free list that names a page in use would have the next commit overwrite it.
//
// P1: every page that a branch names is in use, and no page is named twice.
// P2: no page is both in the tree and in the free list.
// P3: the keys of a page rise, and lie between the separators that lead to it.
// P4: the elements of a page fill its head: the first key starts right behind them.
type pageWalk struct {
	file     io.ReaderAt
	meta     metaPage
	seen     []uint64 // a bit for each page
	branches int      // branch pages that may still be read
	leaves   int      // leaf pages that may still be read; others are only marked
}

// pageLimits bounds a walk.
type pageLimits struct{ branches, leaves int }

func limitsAtOpen() pageLimits { return pageLimits{branchPagesAtOpenMax, leafPagesAtOpenMax} }
func noLimits() pageLimits     { return pageLimits{math.MaxInt, math.MaxInt} }

// span is the range of keys that a page may hold: from low, below high. nil is no bound.
type span struct{ low, high []byte }

// checkPages walks the tree and the free list. Errors: ErrCorrupt without a file; ErrUnavailable.
func checkPages(file io.ReaderAt, meta metaPage, limits pageLimits) error {
	w := &pageWalk{file: file, meta: meta, seen: make([]uint64, meta.highWater/64+1), branches: limits.branches, leaves: limits.leaves}
	if err := w.tree(meta.root, 0, true, span{}); err != nil {
		return err
	}
	if meta.freelist == noFreelist {
		return nil
	}
	return w.freelist()
}

// page reads a whole page and what overflows from it.
func (w *pageWalk) page(id uint64) (flags, count uint16, page []byte, err error) {
	header := make([]byte, pageHeaderBytes)
	size := int64(w.meta.pageBytes)
	if _, err := w.file.ReadAt(header, int64(id)*size); err != nil {
		return 0, 0, nil, unavailable(err)
	}
	order := binary.NativeEndian
	if got := order.Uint64(header); got != id {
		return 0, 0, nil, damaged(fmt.Sprintf("page %d", id), "its own number", fmt.Sprint(got))
	}
	flags, count = order.Uint16(header[8:]), order.Uint16(header[10:])
	overflow := uint64(order.Uint32(header[12:]))
	if id+overflow >= w.meta.highWater {
		return 0, 0, nil, damaged(fmt.Sprintf("page %d", id), fmt.Sprintf("an end below page %d", w.meta.highWater), fmt.Sprint(id+overflow))
	}
	page = make([]byte, (int64(overflow)+1)*size)
	if _, err := w.file.ReadAt(page, int64(id)*size); err != nil {
		return 0, 0, nil, unavailable(err)
	}
	return flags, count, page, nil
}

// visit marks a page as part of the tree (P1).
func (w *pageWalk) visit(id uint64) error {
	if id < 2 || id >= w.meta.highWater {
		return damaged("link between pages", fmt.Sprintf("2 to %d", w.meta.highWater-1), fmt.Sprint(id))
	}
	if w.has(id) {
		return damaged("link between pages", "each page once", fmt.Sprintf("page %d twice", id))
	}
	w.seen[id/64] |= 1 << (id % 64)
	return nil
}

func (w *pageWalk) has(id uint64) bool { return w.seen[id/64]&(1<<(id%64)) != 0 }

// tree walks from a page. buckets says that its leaves hold the list of buckets.
func (w *pageWalk) tree(id uint64, depth int, buckets bool, within span) error {
	if depth > treeDepthMax {
		return damaged("tree of pages", fmt.Sprintf("at most %d levels", treeDepthMax), "more")
	}
	if err := w.visit(id); err != nil {
		return err
	}
	flags, count, page, err := w.page(id)
	if err != nil {
		return err
	}
	switch flags {
	case pageIsBranch:
		return w.branch(page, int(count), depth, buckets, within)
	case pageIsLeaf:
		return w.leaf(page, int(count), depth, buckets, within)
	}
	return damaged(fmt.Sprintf("page %d", id), "a branch or a leaf", fmt.Sprintf("flags %#x", flags))
}

// branch follows the children of a branch page. All of them are of one sort, so the first tells.
func (w *pageWalk) branch(page []byte, count, depth int, buckets bool, within span) error {
	w.branches--
	keys, err := keysOf(page, count, branchKeyAt, within)
	if err != nil {
		return err
	}
	if count == 0 {
		return damaged("branch page", "children", "none")
	}
	leaves := false
	for i, key := range keys {
		child := binary.NativeEndian.Uint64(page[pageHeaderBytes+i*elementBytes+8:])
		inner := span{low: key, high: within.high}
		if i+1 < count {
			inner.high = keys[i+1]
		}
		switch {
		case i == 0:
			before := w.branches
			err = w.tree(child, depth+1, buckets, inner)
			leaves = w.branches == before
		case leaves && w.leaves <= 0 && !buckets:
			err = w.visit(child)
		case leaves || w.branches > 0:
			err = w.tree(child, depth+1, buckets, inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaf checks the keys of a leaf page, and walks into the buckets that it lists.
func (w *pageWalk) leaf(page []byte, count, depth int, buckets bool, within span) error {
	w.leaves--
	if _, err := keysOf(page, count, leafKeyAt, within); err != nil {
		return err
	}
	order := binary.NativeEndian
	for i := range count {
		at := pageHeaderBytes + i*elementBytes
		flags := order.Uint32(page[at:])
		value := uint64(at) + uint64(order.Uint32(page[at+4:])) + uint64(order.Uint32(page[at+8:]))
		size := uint64(order.Uint32(page[at+12:]))
		if isBucket := flags == elementIsBucket; isBucket != buckets || flags > elementIsBucket {
			return damaged("leaf page", fmt.Sprintf("bucket: %v", buckets), fmt.Sprintf("flags %#x", flags))
		}
		if value+size > uint64(len(page)) || (buckets && size < elementBytes) {
			return damaged("leaf page", "values within the page", fmt.Sprintf("%d bytes at %d", size, value))
		}
		if !buckets {
			continue
		}
		root := order.Uint64(page[value:])
		if root == 0 {
			continue // a small bucket that lies in the value itself
		}
		if err := w.tree(root, depth+1, false, span{}); err != nil {
			return err
		}
	}
	return nil
}

// A keyAt reads from an element of a page where its key lies, counted from the element, and how long it is.
type keyAt func(element []byte) (pos, size uint32)

func branchKeyAt(e []byte) (pos, size uint32) {
	return binary.NativeEndian.Uint32(e), binary.NativeEndian.Uint32(e[4:])
}

func leafKeyAt(e []byte) (pos, size uint32) {
	return binary.NativeEndian.Uint32(e[4:]), binary.NativeEndian.Uint32(e[8:])
}

// keysOf returns the keys of a page and checks them (P3, P4).
func keysOf(page []byte, count int, at keyAt, within span) ([][]byte, error) {
	if pageHeaderBytes+count*elementBytes > len(page) {
		return nil, damaged("page", "elements within it", fmt.Sprint(count))
	}
	keys := make([][]byte, count)
	for i := range keys {
		start := pageHeaderBytes + i*elementBytes
		pos, size := at(page[start:])
		if i == 0 && int64(pos) != int64(count*elementBytes) {
			return nil, damaged("page", fmt.Sprintf("%d elements in front of the first key", count), fmt.Sprintf("key at %d", pos))
		}
		low := uint64(start) + uint64(pos)
		if low+uint64(size) > uint64(len(page)) {
			return nil, damaged("page", "keys within it", fmt.Sprintf("%d bytes at %d", size, low))
		}
		keys[i] = page[low : low+uint64(size)]
		before := within.low
		if i > 0 {
			before = keys[i-1]
		}
		if order := bytes.Compare(before, keys[i]); order > 0 || (order == 0 && i > 0) {
			return nil, damaged("order of keys", fmt.Sprintf("after %x", before), fmt.Sprintf("%x", keys[i]))
		}
		if within.high != nil && bytes.Compare(keys[i], within.high) >= 0 {
			return nil, damaged("order of keys", fmt.Sprintf("below %x", within.high), fmt.Sprintf("%x", keys[i]))
		}
	}
	return keys, nil
}

// freelist checks the list of free pages (P2).
func (w *pageWalk) freelist() error {
	if err := w.visit(w.meta.freelist); err != nil {
		return err
	}
	flags, count, page, err := w.page(w.meta.freelist)
	if err != nil {
		return err
	}
	if flags != pageIsFreelist {
		return damaged("free list", fmt.Sprintf("flags %#x", pageIsFreelist), fmt.Sprintf("%#x", flags))
	}
	order, list, free := binary.NativeEndian, page[pageHeaderBytes:], uint64(count)
	if count == freelistCountBig {
		free, list = order.Uint64(list), list[8:]
	}
	if free > uint64(len(list))/8 {
		return damaged("free list", fmt.Sprintf("at most %d pages", len(list)/8), fmt.Sprint(free))
	}
	before := uint64(1)
	for i := range free {
		id := order.Uint64(list[i*8:])
		if id <= before || id >= w.meta.highWater || w.has(id) {
			return damaged("free list", fmt.Sprintf("a free page after %d and below %d", before, w.meta.highWater), fmt.Sprint(id))
		}
		before = id
	}
	return nil
}
