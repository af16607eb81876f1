package eventlog

import (
	"context"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"
)

// Sweep implements Contents.
func (c *boltContents) Sweep(ns Ordinal, contentHigh, symbolHigh uint64) (removed int, err error) {
	// Most sweeps find nothing; those cost no write transaction and no sync.
	contents, err := c.numbersAbove(contentsBucket, ns, contentHigh)
	if err != nil {
		return 0, err
	}
	symbols, err := c.numbersAbove(symbolsBucket, ns, symbolHigh)
	if err != nil {
		return 0, err
	}
	if len(contents)+len(symbols) > 0 {
		err = c.file.update(func(tx *bbolt.Tx) error {
			if err := deleteCells(tx, contentsBucket, ns, contents); err != nil {
				return err
			}
			return deleteCells(tx, symbolsBucket, ns, symbols)
		})
		if err != nil {
			return 0, fmt.Errorf("sweep namespace %d: %w", ns, err)
		}
	}
	blobs := slices.Clone(contents) // C2; most are no blobs, and removing what is not there is cheap
	for _, number := range c.blobs.atOpen[ns] {
		if number > contentHigh {
			blobs = append(blobs, number)
		}
	}
	if err := c.blobs.remove(ns, blobs); err != nil {
		return 0, err
	}
	return len(contents) + len(symbols), nil
}

func (c *boltContents) numbersAbove(bucket []byte, ns Ordinal, high uint64) (numbers []uint64, err error) {
	if high == ^uint64(0) {
		return nil, nil
	}
	for found, err := range c.cells(context.Background(), bucket, ns, high+1, true) {
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, found.number)
	}
	return numbers, nil
}

// deleteCells removes cells and keeps the bucket's count (C1).
func deleteCells(tx *bbolt.Tx, name []byte, ns Ordinal, numbers []uint64) error {
	bucket, err := bucketOf(tx, name)
	if err != nil {
		return err
	}
	var deleted uint64
	for _, number := range numbers {
		key := cellKey(ns, number)
		if stored, err := getCell(bucket, key); err != nil {
			return err
		} else if stored == nil {
			continue
		}
		if err := bucket.Delete(key); err != nil {
			return err
		}
		deleted++
	}
	if count := bucket.Sequence(); count < deleted {
		return damaged("count of "+string(name), fmt.Sprintf("at least %d", deleted), fmt.Sprint(count))
	}
	return bucket.SetSequence(bucket.Sequence() - deleted)
}

// Erase implements Eraser.
func (c *boltContents) Erase(ctx context.Context, e Erasure) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tombstone := cell{kind: cellErased, erasedMillis: e.TimeMillis, erasedReason: e.Reason}
	err := c.file.update(func(tx *bbolt.Tx) error {
		contents, symbols, err := cellBuckets(tx)
		if err != nil {
			return err
		}
		if err := eraseCells(contents, e.Namespace, e.Contents, tombstone); err != nil {
			return err
		}
		return eraseCells(symbols, e.Namespace, e.Symbols, tombstone)
	})
	if err != nil {
		return fmt.Errorf("erase in namespace %d: %w", e.Namespace, err)
	}
	return c.blobs.remove(e.Namespace, e.Contents) // C2
}

func eraseCells(bucket *bbolt.Bucket, ns Ordinal, numbers []uint64, tombstone cell) error {
	for _, number := range numbers {
		key := cellKey(ns, number)
		stored, err := getCell(bucket, key)
		if err != nil {
			return err
		}
		if len(stored) == 0 || stored[0] == cellErased {
			continue
		}
		if err := bucket.Put(key, encodeCell(key, tombstone)); err != nil {
			return err
		}
	}
	return nil
}
