package eventlog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
)

var commitsBucket = []byte("commits")

var _ Log = (*boltLog)(nil)

// boltLog is events.db.
//
// L1: the keys of the bucket are 1, 2, ... without a gap, and each record carries its own number.
// L2: the bucket's sequence is the number of the last commit, so that a tail cut off by damage is noticed.
// L3: after an append of unknown outcome nothing is appended until Reload has read the head from disk.
type boltLog struct {
	file *boltFile
	id   Identity

	appending sync.Mutex // held by Append and Reload
	unknown   bool       // L3; guarded by appending
	head      atomic.Pointer[Head]
}

func openBoltLog(dir string, o Options) (*boltLog, error) {
	file, err := openBoltFile(dir, eventsName, o)
	if err != nil {
		return nil, err
	}
	l := &boltLog{file: file}
	if l.id, err = file.readHeader(eventsMagic); err == nil {
		err = l.verifyEnds()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open log: %w", err), file.close())
	}
	return l, nil
}

// verifyEnds loads the head and checks the first and the last commit.
func (l *boltLog) verifyEnds() error {
	head, err := l.Reload()
	if err != nil || head.Seq == 0 {
		return err
	}
	first, err := l.At(1)
	if err != nil {
		return err
	}
	if first.PrevHash != [32]byte{} {
		return &CorruptError{File: eventsName, Seq: 1, What: "chain", Want: "no previous hash", Got: hexOf(first.PrevHash[:])}
	}
	return nil
}

func (l *boltLog) StoreID() [16]byte { return l.id.StoreID }
func (l *boltLog) Epoch() uint64     { return l.id.Epoch }
func (l *boltLog) Head() Head        { return *l.head.Load() }
func (l *boltLog) Close() error      { return l.file.close() }

// Append implements Log.
func (l *boltLog) Append(ctx context.Context, expected Seq, commits []*Commit) (Head, error) {
	l.appending.Lock()
	defer l.appending.Unlock()
	head := l.Head()
	if err := mayAppend(ctx, l.unknown, head, expected); err != nil {
		return head, err
	}
	if len(commits) == 0 {
		return head, nil
	}
	batch, err := encodeBatch(head, commits)
	if err != nil {
		return head, err
	}
	err = l.file.update(batch.put)
	if err != nil {
		l.unknown = !errors.Is(err, ErrClosed)
		return head, fmt.Errorf("append commits %d to %d: %w", head.Seq+1, batch.head.Seq, err)
	}
	batch.assign(commits)
	l.head.Store(&batch.head)
	return batch.head, nil
}

// mayAppend checks what every Log must check before an append. Errors: the context's; ErrUnavailable; ErrStaleHead.
func mayAppend(ctx context.Context, unknown bool, head Head, expected Seq) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case unknown:
		return fmt.Errorf("the last append had an unknown outcome, reload the head first: %w", ErrUnavailable)
	case expected != head.Seq:
		return fmt.Errorf("append after %d, head is %d: %w", expected, head.Seq, ErrStaleHead)
	}
	return nil
}

// encodedBatch is commits as they will be stored.
type encodedBatch struct {
	first  Seq
	prevs  [][32]byte
	stored [][]byte
	head   Head
}

func encodeBatch(head Head, commits []*Commit) (encodedBatch, error) {
	b := encodedBatch{first: head.Seq + 1, head: head}
	for _, commit := range commits {
		stored, hash, err := EncodeRecord(commit, b.head.Seq+1, b.head.Hash)
		if err != nil {
			return b, err
		}
		b.prevs = append(b.prevs, b.head.Hash)
		b.stored = append(b.stored, stored)
		b.head = Head{Seq: b.head.Seq + 1, Hash: hash}
	}
	return b, nil
}

func (b *encodedBatch) put(tx *bbolt.Tx) error {
	bucket, err := bucketOf(tx, commitsBucket)
	if err != nil {
		return err
	}
	// Keys only ever come at the end; a damaged separator between pages would put them elsewhere.
	if key, _ := bucket.Cursor().Seek(seqKey(b.first)); key != nil {
		return damaged("order of keys", fmt.Sprintf("none from %d on", b.first), hexOf(key))
	}
	bucket.FillPercent = 1
	for i, stored := range b.stored {
		if err := bucket.Put(seqKey(b.first+Seq(i)), stored); err != nil {
			return err
		}
	}
	return bucket.SetSequence(uint64(b.head.Seq)) // L2
}

// assign tells the callers' commits where they went.
func (b *encodedBatch) assign(commits []*Commit) {
	for i, commit := range commits {
		assign(commit, b.first+Seq(i), b.prevs[i])
	}
}

func assign(commit *Commit, seq Seq, prev [32]byte) {
	commit.Seq, commit.PrevHash = seq, prev
	for i := range commit.Facts {
		if commit.Facts[i].Prev == SameCommit {
			commit.Facts[i].Prev = seq
		}
	}
}

// Reload implements Log.
func (l *boltLog) Reload() (Head, error) {
	l.appending.Lock()
	defer l.appending.Unlock()
	var head Head
	err := l.file.view(func(tx *bbolt.Tx) error {
		bucket, err := bucketOf(tx, commitsBucket)
		if err != nil {
			return err
		}
		key, stored := bucket.Cursor().Last()
		head.Seq = Seq(bucket.Sequence())
		if key == nil && head.Seq == 0 {
			return nil
		}
		record, err := recordOf(key, stored, head.Seq)
		head.Hash = record.Hash
		return err
	})
	if err != nil {
		return Head{}, inFile(err, eventsName, head.Seq)
	}
	l.unknown = false
	l.head.Store(&head)
	return head, nil
}

// At implements Log.
func (l *boltLog) At(seq Seq) (record Record, err error) {
	if head := l.Head(); seq == 0 || seq > head.Seq {
		return Record{}, fmt.Errorf("commit %d, head is %d: %w", seq, head.Seq, ErrNotFound)
	}
	err = l.file.view(func(tx *bbolt.Tx) error {
		bucket, err := bucketOf(tx, commitsBucket)
		if err != nil {
			return err
		}
		key, stored := bucket.Cursor().Seek(seqKey(seq))
		record, err = recordOf(key, stored, seq)
		return err
	})
	return record, inFile(err, eventsName, seq)
}

// recordOf decodes what was found where commit want should be. Errors: ErrCorrupt.
func recordOf(key, stored []byte, want Seq) (Record, error) {
	if err := expectKey(key, stored, want); err != nil {
		return Record{}, err
	}
	record, err := DecodeRecord(stored)
	if err != nil {
		return Record{}, inFile(err, "", want)
	}
	if record.Seq != want {
		return Record{}, &CorruptError{Seq: want, What: "commit number", Want: fmt.Sprint(want), Got: fmt.Sprint(record.Seq)}
	}
	return record, nil
}

func expectKey(key, stored []byte, want Seq) error {
	switch {
	case len(key) != 8:
		return &CorruptError{Seq: want, What: "key", Want: fmt.Sprint(want), Got: fmt.Sprintf("%d bytes", len(key))}
	case Seq(binary.BigEndian.Uint64(key)) != want:
		return &CorruptError{Seq: want, What: "key", Want: fmt.Sprint(want), Got: fmt.Sprint(binary.BigEndian.Uint64(key))}
	case len(stored) > recordBytesMax:
		return &CorruptError{Seq: want, What: "length", Want: fmt.Sprintf("at most %d", recordBytesMax), Got: fmt.Sprint(len(stored))}
	}
	return nil
}

func seqKey(seq Seq) []byte { return binary.BigEndian.AppendUint64(nil, uint64(seq)) }
