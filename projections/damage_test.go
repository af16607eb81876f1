package projections_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/projections"
	"github.com/stretchr/testify/require"
)

// damages calls fn with copies of a file that were cut and flipped at places spread over it.
func damages(b []byte, fn func(name string, damaged []byte)) {
	step := max(1, len(b)/16)
	for at := 0; at < len(b); at += step {
		fn(fmt.Sprintf("cut at %d", at), b[:at])
		flipped := append([]byte(nil), b...)
		flipped[at] ^= 1 << (at % 8)
		fn(fmt.Sprintf("flipped at %d", at), flipped)
	}
	fn("longer", append(append([]byte(nil), b...), make([]byte, 4096)...))
}

func TestOpen_AUT_1_DamageToAnyDerivedFileChangesNoAnswer(t *testing.T) {
	s := newStore(t, 20)
	p := s.live()
	s.create("team")
	s.history(150)
	want, wantDigest := answers(t, s, p), digest(t, p)
	require.NoError(t, p.Close())
	pristine := t.TempDir()
	require.NoError(t, os.CopyFS(pristine, os.DirFS(s.dir)))
	files := derived(t, pristine)
	require.Len(t, files, 5)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		name := strings.TrimPrefix(file, pristine)
		damages(b, func(how string, damaged []byte) {
			o := s.options()
			o.Dir = filepath.Join(t.TempDir(), "data")
			require.NoError(t, os.CopyFS(o.Dir, os.DirFS(pristine)))
			require.NoError(t, os.WriteFile(filepath.Join(o.Dir, name), damaged, 0o600))
			again := s.open(o)
			require.Equal(t, wantDigest, digest(t, again), "%s %s", name, how)
			require.Equal(t, want, answers(t, s, again), "%s %s", name, how)
			require.NoError(t, again.Close())
			require.NoError(t, os.RemoveAll(o.Dir))
		})
	}
}

func TestOpen_ANamespaceWithoutMemoriesMissesNothing(t *testing.T) {
	s := newStore(t, 25)
	p := s.live()
	s.create("team")
	require.NoError(t, p.Close())
	s.events = nil
	require.NoError(t, s.open(s.options()).Close())
	require.Empty(t, reported(s.events))
}

func TestOpen_RemovesWhatACrashLeftInTheIndexFolders(t *testing.T) {
	s := newStore(t, 24)
	p := s.live()
	s.create("team")
	s.history(20)
	require.NoError(t, p.Close())
	var left []string
	for _, name := range []string{"lexical/1.lex.tmp", "vectors/.1.vec.1234.tmp", "fingerprints/1.fp.tmp"} {
		path := filepath.Join(s.dir, "index", name)
		require.NoError(t, os.WriteFile(path, []byte("half an index"), 0o600))
		left = append(left, path)
	}
	require.NoError(t, s.open(s.options()).Close())
	for _, path := range left {
		require.NoFileExists(t, path)
	}
}

func TestOpen_LogThatWentBackRebuildsAll(t *testing.T) {
	long, short := newStore(t, 21), newStore(t, 21)
	long.live()
	long.create("team")
	long.history(300)
	require.NoError(t, long.p.Close())
	p := short.live()
	short.create("team")
	short.history(100)
	want := answers(t, short, p)
	o := short.options()
	o.Dir = long.dir // files ahead of the log
	again := short.open(o)
	require.Equal(t, want, answers(t, short, again))
	require.Contains(t, reported(short.events), "state.db")
}

func TestOpen_FilesOfAnotherStoreAreNotUsed(t *testing.T) {
	one := newStore(t, 22)
	one.live()
	one.create("team")
	one.history(300)
	require.NoError(t, one.p.Close())
	other := newStore(t, 23)
	other.mem = eventlog.NewMemoryAs(eventlog.Identity{StoreID: [16]byte{9}, Epoch: 2, Secret: [32]byte{3}})
	p := other.live()
	other.create("team")
	other.history(300)
	want := answers(t, other, p)
	o := other.options()
	o.Dir = one.dir
	again := other.open(o)
	require.Equal(t, want, answers(t, other, again))
	require.Equal(t, []string{"state.db", "index", "lexical", "vectors", "fingerprints"}, sortedLike(reported(other.events), "state.db", "index", "lexical", "vectors", "fingerprints"))
}

func reported(events []projections.Event) (list []string) {
	for _, e := range events {
		if e.Kind == projections.EventRebuilt {
			list = append(list, e.What)
		}
	}
	return list
}

// sortedLike returns those of order that are in list, in that order.
func sortedLike(list []string, order ...string) (sorted []string) {
	for _, name := range order {
		for _, got := range list {
			if got == name {
				sorted = append(sorted, name)
				break
			}
		}
	}
	return sorted
}

func TestOpen_SaysWhatItRebuilt(t *testing.T) {
	s := newStore(t, 24)
	s.live()
	s.create("team")
	s.history(100)
	require.NoError(t, s.p.Close())
	require.NoError(t, os.Truncate(filepath.Join(s.dir, "index", "lexical", "1.lex"), 20))
	s.events = nil
	again := s.open(s.options())
	require.Equal(t, []string{"lexical"}, reported(s.events))
	require.EqualValues(t, 1, again.Stats().Rebuilds)
	require.EqualValues(t, len(s.spaces[1].memories), again.Stats().Namespaces[0].Words)
}
