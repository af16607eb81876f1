package eventlog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/bbolt"
)

var (
	contentsBucket = []byte("contents")
	symbolsBucket  = []byte("symbols")
)

var (
	_ Contents = (*boltContents)(nil)
	_ Eraser   = (*boltContents)(nil)
)

// boltContents is contents.db and blobs/.
//
// C1: the sequence of either bucket is the number of its cells, so that a lost page is noticed by Check.
// C2: a blob is durable before the cell that names it, and removed after the cell is gone.
type boltContents struct {
	file   *boltFile
	blobs  *blobs
	secret [32]byte
}

func openBoltContents(dir string, o Options) (*boltContents, Identity, error) {
	file, err := openBoltFile(dir, contentsName, o)
	if err != nil {
		return nil, Identity{}, err
	}
	id, err := file.readHeader(contentsMagic)
	c := &boltContents{file: file, secret: id.Secret}
	if err == nil {
		c.blobs, err = openBlobs(dir)
	}
	if err != nil {
		return nil, Identity{}, errors.Join(fmt.Errorf("open contents: %w", err), file.close())
	}
	return c, id, nil
}

// Secret implements Contents.
func (c *boltContents) Secret() [32]byte { return c.secret }

// Close implements Contents.
func (c *boltContents) Close() error { return c.file.close() }

// Put implements Contents.
func (c *boltContents) Put(ctx context.Context, batch []ContentBatch) error {
	if err := errors.Join(ctx.Err(), checkSizes(batch), c.file.usable()); err != nil {
		return err
	}
	if err := c.putBlobs(batch); err != nil {
		return err
	}
	unnamed := map[Ordinal][]uint64{} // blobs whose number now has an inline body
	err := c.file.update(func(tx *bbolt.Tx) error {
		contents, symbols, err := cellBuckets(tx)
		if err != nil {
			return err
		}
		for _, b := range batch {
			for _, content := range b.Contents {
				replaced, err := putCell(contents, cellKey(b.Namespace, content.Number), contentCell(content))
				if err != nil {
					return err
				}
				if replaced == cellBlob && len(content.Body) < BlobBytesMin {
					unnamed[b.Namespace] = append(unnamed[b.Namespace], content.Number)
				}
			}
			for _, symbol := range b.Symbols {
				inline := cell{kind: cellInline, body: []byte(symbol.Text)}
				if _, err := putCell(symbols, cellKey(b.Namespace, symbol.Number), inline); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("put contents: %w", err)
	}
	for ns, numbers := range unnamed { // order reaches nothing
		if err := c.blobs.remove(ns, numbers); err != nil {
			return err
		}
	}
	return nil
}

func contentCell(content Content) cell {
	if len(content.Body) >= BlobBytesMin {
		return cell{kind: cellBlob, blobSize: uint64(len(content.Body)), blobCRC: crc32c(content.Body)}
	}
	return cell{kind: cellInline, body: content.Body}
}

func (c *boltContents) putBlobs(batch []ContentBatch) error {
	written := false
	for _, b := range batch {
		for _, content := range b.Contents {
			if len(content.Body) < BlobBytesMin {
				continue
			}
			if err := c.blobs.write(b.Namespace, content.Number, content.Body); err != nil {
				return err
			}
			written = true
		}
	}
	if !written {
		return nil
	}
	return c.blobs.sync()
}

func cellBuckets(tx *bbolt.Tx) (contents, symbols *bbolt.Bucket, err error) {
	if contents, err = bucketOf(tx, contentsBucket); err != nil {
		return nil, nil, err
	}
	symbols, err = bucketOf(tx, symbolsBucket)
	return contents, symbols, err
}

// putCell writes a cell, keeps the bucket's count (C1), and returns the kind of the cell it replaced or 0.
func putCell(bucket *bbolt.Bucket, key []byte, value cell) (replaced byte, err error) {
	bucket.FillPercent = 1 // numbers of a namespace only ever come at the end
	before, err := getCell(bucket, key)
	if err != nil {
		return 0, err
	}
	if len(before) > 0 {
		replaced = before[0]
	} else if err := bucket.SetSequence(bucket.Sequence() + 1); err != nil {
		return 0, err
	}
	return replaced, bucket.Put(key, encodeCell(key, value))
}

// getCell returns the bytes of a cell, nil when there is none.
func getCell(bucket *bbolt.Bucket, key []byte) ([]byte, error) {
	at, err := seekCell(bucket, bucket.Cursor(), key)
	if err != nil || !bytes.Equal(at.key, key) {
		return nil, err
	}
	return at.stored, nil
}

// place is where a key is or should be: the first cell at or after it, and the last one before it, which is
// looked up only when the key is not there. nil keys stand for either end of the bucket.
type place struct {
	key, stored             []byte
	beforeKey, storedBefore []byte
}

// seekCell places cursor on the first cell at or after key. bbolt finds its way by separators that nothing checks:
// a damaged one would make cells invisible, and put new ones out of order. So when key is not there, the cells on
// both sides of the place where it should be must be on their sides.
func seekCell(bucket *bbolt.Bucket, cursor *bbolt.Cursor, key []byte) (at place, err error) {
	at.key, at.stored = cursor.Seek(key)
	if bytes.Equal(at.key, key) {
		return at, nil
	}
	back := bucket.Cursor()
	if at.key == nil {
		at.beforeKey, at.storedBefore = back.Last()
	} else {
		back.Seek(key)
		at.beforeKey, at.storedBefore = back.Prev()
	}
	misplaced := at.key != nil && bytes.Compare(at.key, key) < 0 || at.beforeKey != nil && bytes.Compare(at.beforeKey, key) >= 0
	if misplaced {
		return at, damaged("order of keys", "around "+cellName(key), cellName(at.beforeKey)+" and "+cellName(at.key))
	}
	return at, nil
}

// whole checks the cells beside a key that is not there: a damaged key may be the one. Readers ask for it, writers
// do not, so that one damaged cell does not keep new ones out.
func (at place) whole() error {
	for _, each := range [][2][]byte{{at.key, at.stored}, {at.beforeKey, at.storedBefore}} {
		if each[0] == nil {
			continue
		}
		if _, err := decodeCell(each[0], each[1]); err != nil {
			return err
		}
	}
	return nil
}

// Get implements Contents.
func (c *boltContents) Get(ns Ordinal, number uint64) ([]byte, error) {
	var found cell
	err := c.file.view(func(tx *bbolt.Tx) error {
		bucket, err := bucketOf(tx, contentsBucket)
		if err != nil {
			return err
		}
		key := cellKey(ns, number)
		at, err := seekCell(bucket, bucket.Cursor(), key)
		if err != nil {
			return err
		}
		if !bytes.Equal(at.key, key) {
			return cmp.Or(at.whole(), notThere(ns, number))
		}
		found, err = decodeCell(key, at.stored)
		found.body = bytes.Clone(found.body)
		return err
	})
	if err != nil {
		return nil, inFile(err, contentsName, 0)
	}
	return c.bodyOf(ns, number, found)
}

func (c *boltContents) bodyOf(ns Ordinal, number uint64, found cell) ([]byte, error) {
	switch found.kind {
	case cellErased:
		return nil, erasedError(ns, number, found)
	case cellBlob:
		return c.blobs.read(ns, number, found)
	}
	return found.body, nil
}

// Scan implements Contents. Erased contents are left out.
func (c *boltContents) Scan(ctx context.Context, ns Ordinal, from uint64) iter.Seq2[Content, error] {
	return func(yield func(Content, error) bool) {
		for found, err := range c.cells(ctx, contentsBucket, ns, from, false) {
			var body []byte
			if err == nil {
				body, err = c.bodyOf(ns, found.number, found.cell)
			}
			switch {
			case errors.Is(err, ErrErased):
				continue
			case found.kind == cellBlob && errors.Is(err, ErrCorrupt) && c.goneMeanwhile(ns, found.number):
				continue
			case err != nil:
				yield(Content{}, err)
				return
			case !yield(Content{Number: found.number, Body: body}, nil):
				return
			}
		}
	}
}

// goneMeanwhile reports whether a content that a scan saw has since been erased or swept.
func (c *boltContents) goneMeanwhile(ns Ordinal, number uint64) bool {
	_, err := c.Get(ns, number)
	return errors.Is(err, ErrErased) || errors.Is(err, ErrNotFound)
}

// Symbols implements Contents.
func (c *boltContents) Symbols(ctx context.Context, ns Ordinal) iter.Seq2[Symbol, error] {
	return func(yield func(Symbol, error) bool) {
		for found, err := range c.cells(ctx, symbolsBucket, ns, 0, false) {
			if err != nil {
				yield(Symbol{}, err)
				return
			}
			if !yield(Symbol{Number: found.number, Text: string(found.body)}, nil) {
				return
			}
		}
	}
}

// numberedCell is a cell of a scan; its body is the consumer's to keep.
type numberedCell struct {
	cell
	number uint64
}

// cells yields the cells of a namespace from a number on, read in bounded chunks. keysOnly leaves the cells empty
// and unchecked.
func (c *boltContents) cells(ctx context.Context, bucket []byte, ns Ordinal, from uint64, keysOnly bool) iter.Seq2[numberedCell, error] {
	return func(yield func(numberedCell, error) bool) {
		next, done := from, false
		for !done {
			var found []numberedCell
			var err error
			if found, done, err = c.readCells(ctx, bucket, ns, next, keysOnly); err != nil {
				yield(numberedCell{}, inFile(err, contentsName, 0))
				return
			}
			for _, each := range found {
				if !yield(each, nil) {
					return
				}
				next = each.number + 1
			}
		}
	}
}

func (c *boltContents) readCells(ctx context.Context, name []byte, ns Ordinal, from uint64, keysOnly bool) (found []numberedCell, done bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, true, err
	}
	err = c.file.view(func(tx *bbolt.Tx) error {
		bucket, err := bucketOf(tx, name)
		if err != nil {
			return err
		}
		started, size := time.Now(), 0
		cursor, prev := bucket.Cursor(), []byte(nil)
		start, err := seekCell(bucket, cursor, cellKey(ns, from))
		if err == nil && !keysOnly {
			err = start.whole()
		}
		if err != nil {
			return err
		}
		for key, stored := start.key, start.stored; key != nil; key, stored = cursor.Next() {
			at, number, err := splitCellKey(key)
			if err != nil {
				return err
			}
			if bytes.Compare(prev, key) >= 0 {
				return damaged("order of keys", "after "+cellName(prev), cellName(key))
			}
			var value cell
			if !keysOnly { // also of another namespace: its key may be the damage
				if value, err = decodeCell(key, stored); err != nil {
					return err
				}
			}
			if at != ns {
				break
			}
			value.body = bytes.Clone(value.body)
			found = append(found, numberedCell{cell: value, number: number})
			size += len(stored)
			if len(found) >= chunkCommitsMax || size >= chunkBytesMax || time.Since(started) > chunkTimeMax {
				return nil
			}
			prev = key
		}
		done = true
		return nil
	})
	return found, done, err
}

func (c *boltContents) empty() (empty bool, err error) {
	err = c.file.view(func(tx *bbolt.Tx) error {
		contents, symbols, err := cellBuckets(tx)
		if err != nil {
			return err
		}
		empty = contents.Sequence() == 0 && symbols.Sequence() == 0
		return nil
	})
	return empty, err
}
