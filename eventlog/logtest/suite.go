package logtest

import (
	"testing"

	"github.com/membrain-db/membrain/eventlog"
)

// Store is what the suite runs on: eventlog.Bolt and eventlog.Memory are such.
type Store interface {
	Log() eventlog.Log
	Contents() eventlog.Contents
	Close() error
}

// Suite is the conformance suite of one store.
type Suite struct {
	// New returns an empty store; the suite closes it.
	New func(t *testing.T) Store
	// Reopen closes a store and opens its data again.
	Reopen func(t *testing.T, store Store) Store
}

// Run runs all of it.
func (s Suite) Run(t *testing.T) {
	for _, each := range []struct {
		name string
		test func(*testing.T, Suite)
	}{
		{"Append", testAppend},
		{"AppendRejectsStaleHead", testStaleHead},
		{"AppendIsAtomic", testAtomic},
		{"AppendResolvesSameCommit", testSameCommit},
		{"AppendObeysContext", testAppendContext},
		{"AppendOfNothing", testAppendNothing},
		{"AtKnowsItsBounds", testAt},
		{"ScanReadsInChunks", testScanChunks},
		{"ScanSeesTheHeadOfTheCall", testScanHead},
		{"ScanObeysContext", testScanContext},
		{"ConcurrentReaders", testConcurrentReaders},
		{"Walk", testWalk},
		{"WalkNoticesBrokenLinks", testWalkBroken},
		{"VerifyIsClean", testVerify},
		{"VerifyNoticesUnlawfulCommits", testVerifyUnlawful},
		{"Subscribe", testSubscribe},
		{"WriterRecordsAreThoseStored", testWriterRecords},
		{"Contents", testContents},
		{"ContentsScan", testContentsScan},
		{"Symbols", testSymbols},
		{"Sweep", testSweep},
		{"Erase", testErase},
		{"LargeContents", testLargeContents},
		{"Reopen", testReopen},
		{"Closed", testClosed},
	} {
		t.Run(each.name, func(t *testing.T) { each.test(t, s) })
	}
}

func (s Suite) open(t *testing.T) Store {
	t.Helper()
	store := s.New(t)
	t.Cleanup(func() { _ = store.Close() }) // a test may have closed it
	return store
}
