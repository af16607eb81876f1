package eventlog

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	// branchPagesAtOpenMax bounds the walk at open: about 10 GiB of commits. Check walks all.
	branchPagesAtOpenMax = 16 << 10
	// treeDepthMax is far above what 2^50 pages need; a tree that is deeper goes in a circle.
	treeDepthMax     = 32
	elementBytes     = 16
	elementIsBucket  = 0x01
	freelistCountBig = 0xFFFF // the count then stands in front of the list
)

// pageWalk follows the branches of a bbolt file by plain reads. bbolt trusts them: a branch that leads back to
// itself would recurse until the process dies, which no guard can catch, and a free list that names a page in use
// would have the next commit overwrite it.
//
// P1: every page that a branch names is in use, and no page is named twice.
// P2: no page is both in the tree and in the free list.
type pageWalk struct {
	file     io.ReaderAt
	meta     metaPage
	seen     []uint64 // a bit for each page
	branches int
	max      int // branches to read; 0 means all
}

// checkPages walks the tree and the free list. max bounds the branch pages read, 0 reads all. Errors: ErrCorrupt
// without a file; ErrUnavailable.
func checkPages(file io.ReaderAt, meta metaPage, max int) error {
	w := &pageWalk{file: file, meta: meta, seen: make([]uint64, meta.highWater/64+1), max: max}
	if err := w.tree(meta.root, 0, true); err != nil {
		return err
	}
	if meta.freelist == noFreelist {
		return nil
	}
	return w.freelist()
}

func (w *pageWalk) all() bool { return w.max == 0 || w.branches < w.max }

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

// tree walks from a page. Leaves are read only where they hold buckets; elsewhere they are marked.
func (w *pageWalk) tree(id uint64, depth int, buckets bool) error {
	if depth > treeDepthMax {
		return damaged("tree of pages", fmt.Sprintf("at most %d levels", treeDepthMax), "more")
	}
	if err := w.visit(id); err != nil {
		return err
	}
	flags, count, page, err := w.page(id)
	switch {
	case err != nil:
		return err
	case flags&pageIsBranch != 0:
		return w.branch(page, count, depth, buckets)
	case flags&pageIsLeaf == 0:
		return damaged(fmt.Sprintf("page %d", id), "a branch or a leaf", fmt.Sprintf("flags %#x", flags))
	case buckets:
		return w.bucketLeaf(page, count, depth)
	}
	return nil
}

// branch follows the children of a branch page. All of them are of one sort, so the first tells.
func (w *pageWalk) branch(page []byte, count uint16, depth int, buckets bool) error {
	w.branches++
	if count == 0 || pageHeaderBytes+int(count)*elementBytes > len(page) {
		return damaged("branch page", "children within the page", fmt.Sprint(count))
	}
	leaves := false
	for i := range int(count) {
		at := pageHeaderBytes + i*elementBytes
		child := binary.NativeEndian.Uint64(page[at+8:])
		var err error
		switch {
		case i == 0 && !buckets:
			before := w.branches
			err = w.tree(child, depth+1, buckets)
			leaves = w.branches == before
		case leaves:
			err = w.visit(child)
		case w.all():
			err = w.tree(child, depth+1, buckets)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucketLeaf walks into the buckets that a leaf of the root lists.
func (w *pageWalk) bucketLeaf(page []byte, count uint16, depth int) error {
	order := binary.NativeEndian
	for i := range int(count) {
		at := pageHeaderBytes + i*elementBytes
		if at+elementBytes > len(page) {
			return damaged("leaf page", "elements within the page", fmt.Sprint(count))
		}
		value := uint64(at) + uint64(order.Uint32(page[at+4:])) + uint64(order.Uint32(page[at+8:]))
		if order.Uint32(page[at:])&elementIsBucket == 0 {
			return damaged("leaf page of buckets", "a bucket", fmt.Sprintf("flags %#x", order.Uint32(page[at:])))
		}
		if value+elementBytes > uint64(len(page)) {
			return damaged("leaf page", "values within the page", fmt.Sprint(value))
		}
		root := order.Uint64(page[value:])
		if root == 0 {
			continue // a small bucket that lies in the value itself
		}
		if err := w.tree(root, depth+1, false); err != nil {
			return err
		}
	}
	return nil
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
