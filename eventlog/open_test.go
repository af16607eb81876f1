package eventlog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

func TestOpen_MakesAStoreWithNarrowModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "data")
	store := openBolt(t, dir, eventlog.Options{})
	require.NoError(t, store.Contents().Put(context.Background(), []eventlog.ContentBatch{{
		Namespace: 1, Contents: []eventlog.Content{{Number: 1, Body: make([]byte, eventlog.BlobBytesMin)}},
	}}))
	require.NoError(t, store.Close())
	if runtime.GOOS == "windows" {
		t.Skip("modes mean little here")
	}
	var names []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := entry.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		name, _ := filepath.Rel(dir, path)
		names = append(names, name)
		return nil
	}))
	require.Equal(t, []string{".", "blobs", "blobs/1-1", "contents.db", "events.db", "lock"}, names)
}

func TestOpen_DrawsTheIdentityFromWhatIsHandedIn(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_123)
	seeded := func() eventlog.Options {
		return eventlog.Options{Rand: bytes.NewReader(bytes.Repeat([]byte{7}, 48)), Clock: func() time.Time { return at }}
	}
	store := openBolt(t, t.TempDir(), seeded())
	require.Equal(t, eventlog.Identity{
		StoreID: [16]byte(bytes.Repeat([]byte{7}, 16)), Epoch: 1,
		Secret: [32]byte(bytes.Repeat([]byte{7}, 32)), CreatedMillis: at.UnixMilli(),
	}, store.Identity())
	require.NoError(t, store.Close())

	restored := store.Identity()
	restored.Epoch = 2
	again := openBolt(t, t.TempDir(), eventlog.Options{Identity: &restored})
	require.Equal(t, restored, again.Identity())
	require.Equal(t, uint64(2), again.Log().Epoch())
	require.NoError(t, again.Close())

	_, err := eventlog.OpenBolt(t.TempDir(), eventlog.Options{Rand: bytes.NewReader([]byte{1})})
	require.Error(t, err, "randomness that runs dry")
}

// TestOpen_RestoredLogKeepsItsHashes: appending the commits of one log to another gives the same chain.
func TestOpen_RestoredLogKeepsItsHashes(t *testing.T) {
	from, to := openBolt(t, t.TempDir(), small()), openBolt(t, t.TempDir(), small())
	logtest.Fill(t, from.Log(), 9, 50)
	var commits []*eventlog.Commit
	for _, record := range logtest.All(t, from.Log(), 0) {
		commits = append(commits, &record.Commit)
	}
	head, err := to.Log().Append(context.Background(), 0, commits)
	require.NoError(t, err)
	require.Equal(t, from.Log().Head(), head)
	require.NoError(t, from.Close())
	require.NoError(t, to.Close())
}

func TestOpen_SecondOpenerIsToldWhoHoldsIt(t *testing.T) {
	dir := t.TempDir()
	store := openBolt(t, dir, eventlog.Options{Socket: "/run/one.sock"})
	started := time.Now()
	_, err := eventlog.OpenBolt(dir, eventlog.Options{LockTimeout: 50 * time.Millisecond})
	require.ErrorIs(t, err, eventlog.ErrLocked)
	require.Less(t, time.Since(started), 30*time.Second)
	var locked *eventlog.LockedError
	require.ErrorAs(t, err, &locked)
	require.Equal(t, os.Getpid(), locked.PID)
	require.Equal(t, "/run/one.sock", locked.Socket)
	require.False(t, locked.Started.IsZero())
	require.Contains(t, err.Error(), "/run/one.sock")

	require.NoError(t, store.Announce("/run/two.sock"))
	_, err = eventlog.OpenBolt(dir, eventlog.Options{LockTimeout: -1})
	require.ErrorAs(t, err, &locked)
	require.Equal(t, "/run/two.sock", locked.Socket)

	waiting := make(chan error)
	go func() {
		again, err := eventlog.OpenBolt(dir, eventlog.Options{LockTimeout: time.Minute})
		if err == nil {
			err = again.Close()
		}
		waiting <- err
	}()
	require.NoError(t, store.Close())
	require.NoError(t, <-waiting, "a waiting opener gets it when it is free")
	require.ErrorIs(t, store.Announce("late"), eventlog.ErrClosed)
	require.NoError(t, store.Close())
}

func TestOpen_LockFileIsJSON(t *testing.T) {
	dir := t.TempDir()
	store := openBolt(t, dir, eventlog.Options{Socket: "s", Clock: func() time.Time { return time.Unix(1, 0) }})
	text, err := os.ReadFile(filepath.Join(dir, "lock"))
	require.NoError(t, err)
	var note map[string]any
	require.NoError(t, json.Unmarshal(text, &note))
	require.Equal(t, map[string]any{"pid": float64(os.Getpid()), "started": "1970-01-01T00:00:01Z", "socket": "s"}, note)
	require.NoError(t, store.Close())
}

// rewriteHeader changes the header of a file and makes its checksum good.
func rewriteHeader(t *testing.T, path string, change func([]byte)) {
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket([]byte("meta"))
		header := bytes.Clone(bucket.Get([]byte("header")))
		change(header)
		end := len(header) - 4
		binary.LittleEndian.PutUint32(header[end:], crc32.Checksum(header[:end], crc32.MakeTable(crc32.Castagnoli)))
		return bucket.Put([]byte("header"), header)
	}))
	require.NoError(t, db.Close())
}

func filesOf(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		require.NoError(t, err)
		if !entry.IsDir() && entry.Name() != "lock" {
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			files[path] = string(whole)
		}
		return nil
	}))
	return files
}

func TestOpen_RefusesANewerFormatAndWritesNothing(t *testing.T) {
	for _, name := range []string{"events.db", "contents.db"} {
		dir := smallStore(t)
		rewriteHeader(t, filepath.Join(dir, name), func(header []byte) { header[8]++ })
		before := filesOf(t, dir)
		_, err := eventlog.OpenBolt(dir, small())
		require.ErrorIs(t, err, eventlog.ErrUnsupportedVersion)
		require.ErrorContains(t, err, "format 2")
		require.Equal(t, before, filesOf(t, dir))
	}
}

func TestOpen_RefusesContentsOfAnotherStore(t *testing.T) {
	dir, other := smallStore(t), smallStore(t)
	require.NoError(t, os.Rename(filepath.Join(other, "contents.db"), filepath.Join(dir, "contents.db")))
	_, err := eventlog.OpenBolt(dir, small())
	require.ErrorIs(t, err, eventlog.ErrCorrupt)
	require.ErrorContains(t, err, "store id")
}

func TestOpen_NeverMakesANewFileForALostOne(t *testing.T) {
	for _, name := range []string{"events.db", "contents.db"} {
		dir := smallStore(t)
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
		_, err := eventlog.OpenBolt(dir, small())
		require.ErrorIs(t, err, eventlog.ErrCorrupt, name)
		require.ErrorContains(t, err, name)
		require.NoFileExists(t, filepath.Join(dir, name))

		dir = smallStore(t)
		require.NoError(t, os.Truncate(filepath.Join(dir, name), 0))
		_, err = eventlog.OpenBolt(dir, small())
		require.ErrorIs(t, err, eventlog.ErrCorrupt, name)
	}
}

func TestOpen_FinishesWhatACrashLeftHalfMade(t *testing.T) {
	dir := t.TempDir()
	store := openBolt(t, dir, small())
	id := store.Identity()
	require.NoError(t, store.Close())
	require.NoError(t, os.Remove(filepath.Join(dir, "events.db")))
	for _, name := range []string{"events.db.new", "contents.db.new", "blobs/1-1.new"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600))
	}
	store = openBolt(t, dir, small())
	require.Equal(t, id, store.Identity(), "contents.db was there already, so its id holds")
	logtest.Fill(t, store.Log(), 1, 3)
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
	require.NoFileExists(t, filepath.Join(dir, "blobs/1-1.new"))
	require.NoFileExists(t, filepath.Join(dir, "events.db.new"))
}

func TestOpen_SweepsBlobsOfPutsThatNeverHappened(t *testing.T) {
	dir := smallStore(t)
	stray := filepath.Join(dir, "blobs", "1-99")
	require.NoError(t, os.WriteFile(stray, []byte("left by a crash"), 0o600))
	store := openBolt(t, dir, small())
	_, err := store.Contents().Sweep(1, 41, 41)
	require.NoError(t, err)
	require.NoFileExists(t, stray)
	require.FileExists(t, filepath.Join(dir, "blobs", "1-41"))
	require.NoError(t, store.Close())
}

// TestOpen_ReservesNoRealDisk: growing by 64 MiB and mapping 16 GiB must cost neither disk nor memory.
func TestOpen_ReservesNoRealDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks du")
	}
	dir := t.TempDir()
	store := openBolt(t, dir, eventlog.Options{})
	logtest.Fill(t, store.Log(), 1, 10)
	require.NoError(t, store.Contents().Put(context.Background(), []eventlog.ContentBatch{{Namespace: 1, Symbols: []eventlog.Symbol{{Number: 1, Text: "a"}}}}))
	require.NoError(t, store.Close())
	output, err := exec.Command("du", "-sk", dir).Output()
	require.NoError(t, err)
	kib := strings.Fields(string(output))[0]
	require.LessOrEqual(t, len(kib), 3, "%s KiB for ten commits", kib)
}
