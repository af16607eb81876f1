package logtest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
)

func put(t testing.TB, c eventlog.Contents, ns eventlog.Ordinal, contents []eventlog.Content, symbols ...eventlog.Symbol) {
	t.Helper()
	require.NoError(t, c.Put(context.Background(), []eventlog.ContentBatch{{Namespace: ns, Contents: contents, Symbols: symbols}}))
}

func numbered(numbers ...uint64) []eventlog.Content {
	var contents []eventlog.Content
	for _, n := range numbers {
		contents = append(contents, eventlog.Content{Number: n, Body: []byte{byte(n), byte(n >> 8)}})
	}
	return contents
}

func scanned(t testing.TB, c eventlog.Contents, ns eventlog.Ordinal, from uint64) []eventlog.Content {
	t.Helper()
	var contents []eventlog.Content
	for content, err := range c.Scan(context.Background(), ns, from) {
		require.NoError(t, err)
		contents = append(contents, content)
	}
	return contents
}

func symbols(t testing.TB, c eventlog.Contents, ns eventlog.Ordinal) []eventlog.Symbol {
	t.Helper()
	var found []eventlog.Symbol
	for symbol, err := range c.Symbols(context.Background(), ns) {
		require.NoError(t, err)
		found = append(found, symbol)
	}
	return found
}

func testContents(t *testing.T, s Suite) {
	c := s.open(t).Contents()
	put(t, c, 1, []eventlog.Content{{Number: 1, Body: []byte("one")}, {Number: 2, Body: []byte{}}})
	put(t, c, 2, []eventlog.Content{{Number: 1, Body: []byte("other")}})
	for _, each := range []struct {
		ns     eventlog.Ordinal
		number uint64
		want   string
	}{{1, 1, "one"}, {1, 2, ""}, {2, 1, "other"}} {
		got, err := c.Get(each.ns, each.number)
		require.NoError(t, err)
		require.Equal(t, each.want, string(got))
	}
	_, err := c.Get(1, 3)
	require.ErrorIs(t, err, eventlog.ErrNotFound)
	put(t, c, 1, []eventlog.Content{{Number: 1, Body: []byte("replaced")}})
	got, err := c.Get(1, 1)
	require.NoError(t, err)
	require.Equal(t, "replaced", string(got))
	err = c.Put(context.Background(), []eventlog.ContentBatch{{Namespace: 1, Contents: []eventlog.Content{{Number: 9, Body: make([]byte, eventlog.ContentBytesMax)}}}})
	require.ErrorIs(t, err, eventlog.ErrTooLarge)
	err = c.Put(context.Background(), []eventlog.ContentBatch{{Namespace: 1, Symbols: []eventlog.Symbol{{Number: 9, Text: string(make([]byte, eventlog.SymbolBytesMax+1))}}}})
	require.ErrorIs(t, err, eventlog.ErrTooLarge)
}

func testContentsScan(t *testing.T, s Suite) {
	c := s.open(t).Contents()
	put(t, c, 1, numbered(1, 2, 3, 10))
	put(t, c, 2, numbered(4, 5))
	require.Equal(t, numbered(1, 2, 3, 10), scanned(t, c, 1, 0))
	require.Equal(t, numbered(3, 10), scanned(t, c, 1, 3))
	require.Equal(t, numbered(4, 5), scanned(t, c, 2, 1))
	require.Empty(t, scanned(t, c, 3, 0))
	require.Empty(t, scanned(t, c, 1, 11))
	var many []uint64
	for n := uint64(1); n <= 21_000; n++ {
		many = append(many, n)
	}
	put(t, c, 4, numbered(many...))
	require.Equal(t, numbered(many[5:]...), scanned(t, c, 4, 6))
}

func testSymbols(t *testing.T, s Suite) {
	c := s.open(t).Contents()
	put(t, c, 0, nil, eventlog.Symbol{Number: 1, Text: "team"})
	put(t, c, 1, nil, eventlog.Symbol{Number: 2, Text: "b"}, eventlog.Symbol{Number: 1, Text: "a"})
	require.Equal(t, []eventlog.Symbol{{Number: 1, Text: "team"}}, symbols(t, c, 0))
	require.Equal(t, []eventlog.Symbol{{Number: 1, Text: "a"}, {Number: 2, Text: "b"}}, symbols(t, c, 1))
	require.Empty(t, symbols(t, c, 2))
}

func testSweep(t *testing.T, s Suite) {
	c := s.open(t).Contents()
	put(t, c, 1, numbered(1, 2, 3, 4), eventlog.Symbol{Number: 1, Text: "kept"}, eventlog.Symbol{Number: 2, Text: "swept"})
	put(t, c, 2, numbered(9))
	removed, err := c.Sweep(1, 2, 1)
	require.NoError(t, err)
	require.Equal(t, 3, removed)
	require.Equal(t, numbered(1, 2), scanned(t, c, 1, 0))
	require.Equal(t, []eventlog.Symbol{{Number: 1, Text: "kept"}}, symbols(t, c, 1))
	require.Equal(t, numbered(9), scanned(t, c, 2, 0), "other namespaces are left alone")
	removed, err = c.Sweep(1, 2, 1)
	require.NoError(t, err)
	require.Zero(t, removed)
}

func testErase(t *testing.T, s Suite) {
	store := s.open(t)
	c := store.Contents()
	eraser, ok := c.(eventlog.Eraser)
	require.True(t, ok)
	large := bytes.Repeat([]byte("secret"), eventlog.BlobBytesMin)
	put(t, c, 1, append(numbered(1, 2), eventlog.Content{Number: 3, Body: large}), eventlog.Symbol{Number: 1, Text: "secret"})
	require.NoError(t, eraser.Erase(context.Background(), eventlog.Erasure{
		Namespace: 1, Contents: []uint64{2, 3, 77}, Symbols: []uint64{1, 77}, TimeMillis: 1234, Reason: 5,
	}))
	for _, number := range []uint64{2, 3} {
		_, err := c.Get(1, number)
		require.ErrorIs(t, err, eventlog.ErrErased)
		var erased *eventlog.ErasedError
		require.True(t, errors.As(err, &erased))
		require.Equal(t, eventlog.ErasedError{Namespace: 1, Number: number, TimeMillis: 1234, Reason: 5}, *erased)
	}
	_, err := c.Get(1, 77)
	require.ErrorIs(t, err, eventlog.ErrNotFound)
	require.Equal(t, numbered(1), scanned(t, c, 1, 0))
	require.Equal(t, []eventlog.Symbol{{Number: 1}}, symbols(t, c, 1))
	RequireSound(t, store)

	compacter, ok := c.(eventlog.Compacter)
	require.True(t, ok)
	require.NoError(t, compacter.Compact(context.Background()))
	require.Equal(t, numbered(1), scanned(t, c, 1, 0))
	_, err = c.Get(1, 2)
	require.ErrorIs(t, err, eventlog.ErrErased)
	put(t, c, 1, numbered(4))
	require.Equal(t, numbered(1, 4), scanned(t, c, 1, 0))
	RequireSound(t, store)
}

func testLargeContents(t *testing.T, s Suite) {
	store := s.open(t)
	c := store.Contents()
	body := func(n, fill int) []byte { return bytes.Repeat([]byte{byte(fill)}, n) }
	contents := []eventlog.Content{
		{Number: 1, Body: body(eventlog.BlobBytesMin-1, 1)},
		{Number: 2, Body: body(eventlog.BlobBytesMin, 2)},
		{Number: 3, Body: body(1<<20, 3)},
	}
	put(t, c, 1, contents)
	require.Equal(t, contents, scanned(t, c, 1, 0))
	put(t, c, 1, []eventlog.Content{{Number: 2, Body: []byte("small")}, {Number: 1, Body: body(1<<17, 4)}})
	got, err := c.Get(1, 2)
	require.NoError(t, err)
	require.Equal(t, "small", string(got))
	got, err = c.Get(1, 1)
	require.NoError(t, err)
	require.Equal(t, body(1<<17, 4), got)
	removed, err := c.Sweep(1, 2, 0)
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	_, err = c.Get(1, 3)
	require.ErrorIs(t, err, eventlog.ErrNotFound)
	RequireSound(t, store)
}
