package eventlog

import (
	"unsafe"

	"go.etcd.io/bbolt"
)

const (
	// readAheadBytes is how far ahead of the reader the kernel is asked to read. bbolt maps its files for random
	// access, so without this a cold scan waits for each page.
	readAheadBytes = 8 << 20
	// readAheadCommitsMin is the length of scan from which asking is worth a system call.
	readAheadCommitsMin = 256
)

// readAhead asks for the pages ahead of a scan. Commits lie in the file in the order of their numbers, nearly.
// A nil readAhead does nothing.
type readAhead struct {
	file  *boltFile
	base  uintptr // of the mapping, during one transaction
	size  int64   // of the file in use, during one transaction
	asked int64   // offset up to which pages were asked for
}

func (l *boltLog) newReadAhead(next, last Seq) *readAhead {
	if last < next || last-next < readAheadCommitsMin {
		return nil
	}
	return &readAhead{file: l.file}
}

// begin is told of each transaction: the mapping may have moved.
func (r *readAhead) begin(tx *bbolt.Tx) {
	if r != nil {
		r.base, r.size = tx.DB().Info().Data, tx.Size()
	}
}

// passed is told of each record in turn, as it lies in the mapping.
func (r *readAhead) passed(stored []byte) {
	if r == nil || len(stored) == 0 {
		return
	}
	at := int64(uintptr(unsafe.Pointer(&stored[0])) - r.base)
	if at < 0 || at > r.size {
		return // not in the mapping
	}
	if at+readAheadBytes/2 > r.asked || at+4*readAheadBytes < r.asked {
		adviseWillNeed(r.file.file, at, readAheadBytes)
		r.asked = at + readAheadBytes
	}
}
