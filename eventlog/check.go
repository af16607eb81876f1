package eventlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

var (
	_ Checker = (*boltLog)(nil)
	_ Checker = (*boltContents)(nil)
)

// checkPages checks the whole structure of the file. It holds a read transaction, so that no page changes
// meanwhile: the file grows a little more than usual, and nobody waits.
func (f *boltFile) checkPages(report func(Problem)) error {
	err := f.view(func(tx *bbolt.Tx) error {
		meta, err := preflight(f.file, f.name, false)
		if err != nil {
			return err
		}
		if meta.txid != uint64(tx.ID()) {
			return errMoved
		}
		return checkPages(f.file, meta, noLimits())
	})
	return asProblem(inFile(err, f.name, 0), report)
}

// errMoved: a commit came between reading the meta page and pinning it.
var errMoved = errors.New("file has moved on")

// asProblem reports damage and passes on any other error.
func asProblem(err error, report func(Problem)) error {
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) {
		return err
	}
	report(Problem{Seq: corrupt.Seq, Kind: ProblemDamage, Want: corrupt.File + " " + corrupt.What + " " + corrupt.Want, Got: corrupt.Got})
	return nil
}

// checkAttemptsMax bounds how often a check starts again because the writer was quicker.
const checkAttemptsMax = 16

func (f *boltFile) check(ctx context.Context, report func(Problem)) error {
	for range checkAttemptsMax {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.checkPages(report); !errors.Is(err, errMoved) {
			return err
		}
	}
	return nil // a file that is written this busily has been walked at open
}

// Check implements Checker.
func (l *boltLog) Check(ctx context.Context, report func(Problem)) error {
	return l.file.check(ctx, report)
}

// Check implements Checker: pages, every cell and blob, and the count of either bucket (C1).
func (c *boltContents) Check(ctx context.Context, report func(Problem)) error {
	if err := c.file.check(ctx, report); err != nil {
		return err
	}
	for _, bucket := range [][]byte{contentsBucket, symbolsBucket} {
		if err := asProblem(c.checkCells(ctx, bucket, report), report); err != nil {
			return err
		}
	}
	return nil
}

// cellCheck is the state of a check of one bucket, which is read in chunks.
type cellCheck struct {
	bucket []byte
	report func(Problem)

	next        []byte // key from which to read on
	done        bool
	blobs       map[string]cell // of this chunk, by key
	cells       uint64          // read so far
	count       uint64          // what the bucket says
	first, last int             // transactions of the first and the last chunk
}

// checkCells reads a bucket. Its count is compared only when nothing was written meanwhile.
func (c *boltContents) checkCells(ctx context.Context, bucket []byte, report func(Problem)) error {
	check := &cellCheck{bucket: bucket, report: report}
	for !check.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		check.blobs = map[string]cell{}
		if err := c.file.view(check.chunk); err != nil {
			return inFile(err, contentsName, 0)
		}
		c.checkBlobs(check.blobs, report)
	}
	if check.first == check.last && check.cells != check.count {
		report(Problem{Kind: ProblemContent, Want: fmt.Sprintf("%d cells in %s", check.count, bucket), Got: fmt.Sprint(check.cells)})
	}
	return nil
}

func (k *cellCheck) chunk(tx *bbolt.Tx) error {
	bucket, err := bucketOf(tx, k.bucket)
	if err != nil {
		return err
	}
	if k.last = tx.ID(); k.first == 0 {
		k.first = k.last
	}
	k.count = bucket.Sequence()
	read, size := 0, 0
	cursor := bucket.Cursor()
	start, err := seekCell(bucket, cursor, k.next)
	if err != nil {
		return err
	}
	for key, stored := start.key, start.stored; key != nil; key, stored = cursor.Next() {
		if bytes.Compare(key, k.next) < 0 {
			return damaged("order of keys", "after "+cellName(k.next), cellName(key))
		}
		if read == chunkCommitsMax || size >= chunkBytesMax {
			return nil
		}
		value, err := decodeCell(key, stored)
		if err != nil {
			k.report(cellProblem(err))
		} else if value.kind == cellBlob {
			k.blobs[string(key)] = value
		}
		k.cells, read, size = k.cells+1, read+1, size+len(stored)
		k.next = append(bytes.Clone(key), 0)
	}
	k.done = true
	return nil
}

func (c *boltContents) checkBlobs(found map[string]cell, report func(Problem)) {
	for _, key := range slices.Sorted(maps.Keys(found)) {
		value := found[key]
		ns, number, err := splitCellKey([]byte(key))
		if err != nil {
			report(cellProblem(err))
			continue
		}
		if _, err := c.blobs.read(ns, number, value); err != nil && !c.goneMeanwhile(ns, number) {
			report(cellProblem(err))
		}
	}
}

func cellProblem(err error) Problem {
	var corrupt *CorruptError
	if !errors.As(err, &corrupt) {
		return Problem{Kind: ProblemContent, Want: "readable", Got: err.Error()}
	}
	return Problem{Kind: ProblemContent, Want: corrupt.What + " " + corrupt.Want, Got: corrupt.Got}
}
