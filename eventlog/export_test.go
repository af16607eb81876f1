package eventlog

import "go.etcd.io/bbolt"

// ScanRaw passes the stored bytes of all commits, in place and unverified, in the chunks of Scan.
func ScanRaw(log Log, fn func(stored []byte)) error {
	l := log.(*boltLog)
	for next, last := Seq(1), l.Head().Seq; next <= last; {
		err := l.file.view(func(tx *bbolt.Tx) error {
			count := 0
			return scanRaw(tx, next, last, func(seq Seq, stored []byte) bool {
				fn(stored)
				next = seq + 1
				count++
				return count < chunkCommitsMax
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}
