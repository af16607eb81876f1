package lexical_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/membrain-db/membrain/projections/lexical"
	"github.com/membrain-db/membrain/text"
	"github.com/stretchr/testify/require"
)

func stored(t testing.TB, x *lexical.Index, h lexical.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, x.Save(&b, h))
	return b.Bytes()
}

func reload(t testing.TB, x *lexical.Index, h lexical.Header) (*lexical.Index, lexical.Header) {
	t.Helper()
	loaded, got, err := lexical.Load(bytes.NewReader(stored(t, x, h)))
	require.NoError(t, err)
	return loaded, got
}

func small() *lexical.Index {
	x := indexOf("red bicycle", "red red car", "the and", "東京 bicycles", "gone entirely")
	x.Remove(1, "red red car")
	x.Purge([]uint32{4})
	return x
}

func TestSave_RoundTrip(t *testing.T) {
	h := lexical.Header{Namespace: 7, Seq: math.MaxUint64}
	for name, x := range map[string]*lexical.Index{"empty": lexical.New(), "small": small()} {
		loaded, got := reload(t, x, h)
		require.Equal(t, h, got, name)
		require.Equal(t, x.Digest(), loaded.Digest(), name)
		require.Equal(t, x.Stats(), loaded.Stats(), name)
		require.Equal(t, x.Words(), loaded.Words(), name)
		require.Equal(t, x.Present().ToArray(), loaded.Present().ToArray(), name)
		require.Equal(t, stored(t, x, h), stored(t, loaded, h), "%s: stored twice", name)
	}
}

func TestLoad_KeepsListsApart(t *testing.T) {
	x, _ := reload(t, indexOf("alpha beta", "beta gamma", "gamma alpha"), lexical.Header{})
	x.Add([]lexical.Doc{{Ordinal: 3, Text: "alpha beta"}})
	require.Equal(t, indexOf("alpha beta", "beta gamma", "gamma alpha", "alpha beta").Digest(), x.Digest())
}

func TestLoad_RefusesEveryCutAndEveryFlip(t *testing.T) {
	whole := stored(t, small(), lexical.Header{Namespace: 1, Seq: 2})
	refused := func(data []byte, what string, at int) {
		x, h, err := lexical.Load(bytes.NewReader(data))
		require.ErrorIs(t, err, lexical.ErrRebuild, "%s at %d", what, at)
		require.Nil(t, x)
		require.Zero(t, h)
	}
	for at := range whole {
		refused(whole[:at], "cut", at)
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << bit
			refused(flipped, "flip", at)
		}
	}
	refused(append(bytes.Clone(whole), 0), "byte too many", len(whole))
}

func TestLoad_RefusesOtherVersions(t *testing.T) {
	whole := stored(t, small(), lexical.Header{})
	size := 4 + 2 + 1 + len(text.AnalyserVersion) + 4 + 8 + 4 + 8 + 24
	for name, change := range map[string]func([]byte){
		"foreign":        func(b []byte) { copy(b, "BOLT") },
		"newer":          func(b []byte) { b[4]++ },
		"other analyser": func(b []byte) { b[7]++ },
	} {
		b := bytes.Clone(whole)
		change(b)
		binary.LittleEndian.PutUint32(b[size:], lexical.Checksum(b[:size]))
		_, _, err := lexical.Load(bytes.NewReader(b))
		require.ErrorIs(t, err, lexical.ErrRebuild, name)
		require.NotContains(t, err.Error(), "checksum", name)
	}
}

func TestLoad_PassesReadErrorsOn(t *testing.T) {
	_, _, err := lexical.Load(broken{})
	require.ErrorIs(t, err, errBroken)
	require.NotErrorIs(t, err, lexical.ErrRebuild)
	require.ErrorIs(t, small().Save(broken{}, lexical.Header{}), errBroken)
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errBroken }
func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestSaveFile_ReplacesAndLeavesNothingBeside(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "7.lex")
	_, _, err := lexical.LoadFile(path)
	require.ErrorIs(t, err, lexical.ErrRebuild)
	require.ErrorIs(t, err, fs.ErrNotExist)

	require.NoError(t, os.WriteFile(path+".tmp", bytes.Repeat([]byte("left by a crash"), 9999), 0o600))
	require.NoError(t, indexOf("old").SaveFile(path, lexical.Header{Namespace: 7, Seq: 1}))
	x := small()
	require.NoError(t, x.SaveFile(path, lexical.Header{Namespace: 7, Seq: 2}))
	loaded, h, err := lexical.LoadFile(path)
	require.NoError(t, err)
	require.Equal(t, lexical.Header{Namespace: 7, Seq: 2}, h)
	require.Equal(t, x.Digest(), loaded.Digest())
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)

	require.ErrorIs(t, x.SaveFile(filepath.Join(folder, "no", "7.lex"), h), fs.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("MLEX"), 0o600))
	_, _, err = lexical.LoadFile(path)
	require.ErrorIs(t, err, lexical.ErrRebuild)
	require.ErrorContains(t, err, path)
}

// Saves run while a writer appends, inserts in the middle, sweeps and purges: each must be whole.
func TestSave_WhileTheWriterWorks(t *testing.T) {
	h := newHistory(5)
	h.add(h.docs(0, 2000)...)
	h.next = 2000
	files := make(chan []byte, 1)
	go func() {
		defer close(files)
		for range 20 {
			var b bytes.Buffer
			if h.x.Save(&b, lexical.Header{}) == nil {
				files <- b.Bytes()
			}
		}
	}()
	saved := 0
	for data := range files {
		h.step()
		x, _, err := lexical.Load(bytes.NewReader(data))
		require.NoError(t, err)
		h.reconcile(x)
		require.Equal(t, h.x.Digest(), x.Digest())
		saved++
	}
	require.Equal(t, 20, saved)
}

func TestPurge_LeavesNoWordBehind(t *testing.T) {
	const secret = "xylographer" // found in one document, live, superseded or purged twice
	path := filepath.Join(t.TempDir(), "1.lex")
	x := indexOf("red bicycle", "the "+secret+" of 秘密", "red "+secret+" car")
	x.Remove(2, "red "+secret+" car")
	find(x, secret) // a reader's cache must not keep it either
	require.NoError(t, x.SaveFile(path, lexical.Header{}))
	requireInFile(t, path, "xylograph", true)

	require.Positive(t, x.Cached())
	x.Purge([]uint32{1, 2})
	require.Zero(t, x.Cached())
	require.NoError(t, x.SaveFile(path, lexical.Header{}))
	require.Equal(t, []string{"bicycl", "red"}, x.Words())
	for _, word := range []string{"xylograph", "秘密", "秘", "car"} {
		requireInFile(t, path, word, false)
	}
	require.Empty(t, find(x, secret))
	terms, _ := x.Weigh(secret)
	require.Zero(t, terms[0].DF)

	x.Add([]lexical.Doc{{Ordinal: 3, Text: "brand new words, more of them than were freed"}})
	fresh := lexical.New()
	fresh.Add([]lexical.Doc{{Ordinal: 0, Text: "red bicycle"}, {Ordinal: 3, Text: "brand new words, more of them than were freed"}})
	require.Equal(t, fresh.Digest(), x.Digest(), "freed ids are reused")
}

func requireInFile(t *testing.T, path, word string, want bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, bytes.Contains(data, []byte(word)), "%q in %s", word, path)
}

// sections of a file, so that a fuzzer's changes reach the code behind the checksums.
func reseal(data []byte) []byte {
	head := 4 + 2 + 1 + len(text.AnalyserVersion) + 4 + 8 + 4 + 8 + 24
	if len(data) < head+4 {
		return data
	}
	b := bytes.Clone(data)
	sizes := b[head-24:]
	binary.LittleEndian.PutUint32(b[head:], lexical.Checksum(b[:head]))
	at := uint64(head + 4)
	for i := range 3 {
		size := binary.LittleEndian.Uint64(sizes[8*i:])
		if size > uint64(len(b)) || at+size+4 > uint64(len(b)) {
			return b
		}
		binary.LittleEndian.PutUint32(b[at+size:], lexical.Checksum(b[at:at+size]))
		at += size + 4
	}
	return b
}

func FuzzLoad(f *testing.F) {
	f.Add(stored(f, lexical.New(), lexical.Header{}))
	f.Add(stored(f, small(), lexical.Header{Namespace: 3, Seq: 9}))
	w := newWriter(1, 40)
	x := lexical.New()
	x.Add(w.docs(0, 60))
	f.Add(stored(f, x, lexical.Header{}))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, h, err := lexical.Load(bytes.NewReader(reseal(data)))
		if err != nil {
			require.ErrorIs(t, err, lexical.ErrRebuild)
			return
		}
		again, got := reload(t, x, h)
		require.Equal(t, h, got)
		require.Equal(t, x.Digest(), again.Digest())
		require.Equal(t, x.Stats(), again.Stats())
		for _, word := range x.Words() {
			x.Search(lexical.Query{Text: word, K: 3})
		}
		x.Add([]lexical.Doc{{Ordinal: uint32(len(data)), Text: "red bicycle"}})
		x.Purge(x.Present().ToArray())
		require.Zero(t, x.Stats())
	})
}
