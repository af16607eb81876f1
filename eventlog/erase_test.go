package eventlog_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

// TestErase_LeavesNoByteAfterCompact looks for the secret in every byte of every file.
func TestErase_LeavesNoByteAfterCompact(t *testing.T) {
	const secret = "the secret that must go"
	dir := t.TempDir()
	store := openBolt(t, dir, small())
	ctx := context.Background()
	for n := uint64(1); n <= 50; n++ {
		body := bytes.Repeat([]byte{'x'}, 500)
		if n%7 == 0 {
			body = []byte(strings.Repeat(secret, 20))
		}
		if n == 49 {
			body = []byte(strings.Repeat(secret, eventlog.BlobBytesMin/8))
		}
		require.NoError(t, store.Contents().Put(ctx, []eventlog.ContentBatch{{
			Namespace: 1, Contents: []eventlog.Content{{Number: n, Body: body}}, Symbols: []eventlog.Symbol{{Number: n, Text: secret}},
		}}))
	}
	holds := func() (names []string) {
		for name, whole := range filesOf(t, dir) {
			if strings.Contains(whole, secret) {
				names = append(names, name)
			}
		}
		return names
	}
	require.Len(t, holds(), 2, "contents.db and the blob")
	e := eventlog.Erasure{Namespace: 1, Contents: []uint64{7, 14, 21, 28, 35, 42, 49}, TimeMillis: 1, Reason: 1}
	for n := uint64(1); n <= 50; n++ {
		e.Symbols = append(e.Symbols, n)
	}
	require.NoError(t, store.Contents().(eventlog.Eraser).Erase(ctx, e))
	require.NoError(t, store.Contents().(eventlog.Compacter).Compact(ctx))
	require.Empty(t, holds())
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
	store = openBolt(t, dir, small())
	_, err := store.Contents().Get(1, 7)
	require.ErrorIs(t, err, eventlog.ErrErased)
	require.NoError(t, store.Close())
}

func TestCompact_LetsReadersWait(t *testing.T) {
	dir := smallStore(t)
	store := openBolt(t, dir, small())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 200 {
				if body, err := store.Contents().Get(2, 1); err != nil || len(body) != 20 {
					t.Errorf("Get = %d bytes, %v", len(body), err)
					return
				}
			}
		})
	}
	for range 5 {
		require.NoError(t, store.Contents().(eventlog.Compacter).Compact(context.Background()))
	}
	readers.Wait()
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
}
