package logtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
)

func testReopen(t *testing.T, s Suite) {
	store := s.open(t)
	history := Fill(t, store.Log(), 5, 300)
	put(t, store.Contents(), 1, numbered(1, 2), eventlog.Symbol{Number: 1, Text: "kept"})
	before, records := store.Log().Head(), All(t, store.Log(), 0)
	id, epoch, secret := store.Log().StoreID(), store.Log().Epoch(), store.Contents().Secret()
	require.NotEqual(t, [16]byte{}, id)
	require.NotEqual(t, [32]byte{}, secret)
	require.Equal(t, uint64(1), epoch)

	again := s.Reopen(t, store)
	t.Cleanup(func() { _ = again.Close() })
	require.Equal(t, before, again.Log().Head())
	require.Equal(t, records, All(t, again.Log(), 0))
	require.Equal(t, id, again.Log().StoreID())
	require.Equal(t, epoch, again.Log().Epoch())
	require.Equal(t, secret, again.Contents().Secret())
	require.Equal(t, numbered(1, 2), scanned(t, again.Contents(), 1, 0))
	require.Equal(t, []eventlog.Symbol{{Number: 1, Text: "kept"}}, symbols(t, again.Contents(), 1))
	_, err := again.Log().Append(context.Background(), before.Seq, history.Take(10))
	require.NoError(t, err)
	RequireSound(t, again)
}

func testClosed(t *testing.T, s Suite) {
	store := s.open(t)
	Fill(t, store.Log(), 6, 3)
	require.NoError(t, store.Close())
	log, contents := store.Log(), store.Contents()
	_, err := log.Append(context.Background(), 3, NewHistory(1).Take(1))
	require.ErrorIs(t, err, eventlog.ErrClosed)
	_, err = log.At(1)
	require.ErrorIs(t, err, eventlog.ErrClosed)
	_, err = log.Reload()
	require.ErrorIs(t, err, eventlog.ErrClosed)
	for _, err := range log.Scan(context.Background(), 1) {
		require.ErrorIs(t, err, eventlog.ErrClosed)
	}
	_, err = contents.Get(1, 1)
	require.ErrorIs(t, err, eventlog.ErrClosed)
	require.ErrorIs(t, contents.Put(context.Background(), []eventlog.ContentBatch{{Namespace: 1, Contents: numbered(1)}}), eventlog.ErrClosed)
	_, err = contents.Sweep(1, 0, 0)
	require.ErrorIs(t, err, eventlog.ErrClosed)
	for _, err := range contents.Scan(context.Background(), 1, 0) {
		require.ErrorIs(t, err, eventlog.ErrClosed)
	}
	for _, err := range contents.Symbols(context.Background(), 1) {
		require.ErrorIs(t, err, eventlog.ErrClosed)
	}
}
