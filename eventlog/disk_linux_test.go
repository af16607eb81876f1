package eventlog_test

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

// mountTiny mounts a file system of its own, or skips where that is not allowed.
func mountTiny(t *testing.T, options string) string {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

func TestDisk_FullIsUnavailableAndHeals(t *testing.T) {
	dir := mountTiny(t, "size=3m,mode=0700")
	store := openBolt(t, filepath.Join(dir, "data"), eventlog.Options{})
	logtest.Fill(t, store.Log(), 1, 10)
	ballast := filepath.Join(dir, "ballast")
	fillDisk(t, ballast)

	ctx := context.Background()
	before := store.Log().Head()
	history := logtest.NewHistory(2)
	_, err := store.Log().Append(ctx, before.Seq, history.Take(200))
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	require.ErrorIs(t, err, syscall.ENOSPC)
	_, err = store.Log().Append(ctx, before.Seq, history.Take(1))
	require.ErrorIs(t, err, eventlog.ErrUnavailable, "the outcome is unknown until the head has been read")
	head, err := store.Log().Reload()
	require.NoError(t, err)
	require.Equal(t, before, head, "rolled back")
	require.Len(t, logtest.All(t, store.Log(), 0), 10, "readable")

	for _, size := range []int{eventlog.BlobBytesMin - 1, eventlog.BlobBytesMin} {
		err = store.Contents().Put(ctx, []eventlog.ContentBatch{{Namespace: 1, Contents: []eventlog.Content{{Number: 1, Body: make([]byte, size)}}}})
		require.ErrorIs(t, err, eventlog.ErrUnavailable)
	}

	require.NoError(t, os.Remove(ballast))
	_, err = store.Log().Append(ctx, head.Seq, []*eventlog.Commit{{Namespace: 9}})
	require.NoError(t, err, "usable again once there is space")
	require.NoError(t, store.Contents().Put(ctx, []eventlog.ContentBatch{{Namespace: 1, Contents: []eventlog.Content{{Number: 1, Body: []byte("x")}}}}))
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
	store = openBolt(t, filepath.Join(dir, "data"), eventlog.Options{})
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
}

func fillDisk(t *testing.T, path string) {
	file, err := os.Create(path)
	require.NoError(t, err)
	block := make([]byte, 4096)
	for err == nil {
		_, err = file.Write(block)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, file.Close())
}

func TestDisk_FullWhileMakingAStore(t *testing.T) {
	dir := mountTiny(t, "size=3m,mode=0700")
	ballast := filepath.Join(dir, "ballast")
	fillDisk(t, ballast)
	_, err := eventlog.OpenBolt(filepath.Join(dir, "data"), eventlog.Options{})
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	require.NoError(t, os.Remove(ballast))
	store := openBolt(t, filepath.Join(dir, "data"), eventlog.Options{})
	logtest.Fill(t, store.Log(), 1, 3)
	require.NoError(t, store.Close())
}

func TestDisk_ReadOnlyIsUnavailable(t *testing.T) {
	dir := mountTiny(t, "size=3m,mode=0700")
	data := filepath.Join(dir, "data")
	store := openBolt(t, data, eventlog.Options{})
	logtest.Fill(t, store.Log(), 1, 3)
	require.NoError(t, store.Close())
	require.NoError(t, unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	for _, path := range []string{data, filepath.Join(dir, "new")} {
		_, err := eventlog.OpenBolt(path, eventlog.Options{})
		require.ErrorIs(t, err, eventlog.ErrUnavailable)
		require.ErrorContains(t, err, "read-only file system")
		require.ErrorContains(t, err, path)
	}
}

// TestDisk_ARemovedDirectoryTakesNoMoreWrites removes the files of an open store: what it holds is read, and nothing
// that would be gone at Close is acknowledged.
func TestDisk_ARemovedDirectoryTakesNoMoreWrites(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	store := openBolt(t, dir, eventlog.Options{})
	logtest.Fill(t, store.Log(), 1, 3)
	require.NoError(t, os.Rename(dir, dir+"2"))
	_, err := store.Log().Append(context.Background(), store.Log().Head().Seq, []*eventlog.Commit{{Namespace: 9}})
	require.NoError(t, err, "one that was moved keeps what is written")
	require.NoError(t, os.RemoveAll(dir+"2"))
	before := store.Log().Head()
	_, err = store.Log().Append(context.Background(), before.Seq, []*eventlog.Commit{{Namespace: 9}})
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	require.ErrorContains(t, err, "events.db was removed")
	err = store.Contents().Put(context.Background(), []eventlog.ContentBatch{{Namespace: 1, Contents: []eventlog.Content{{Number: 1, Body: []byte("x")}}}})
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	_, err = store.Log().Reload()
	require.NoError(t, err)
	require.Len(t, logtest.All(t, store.Log(), 0), int(before.Seq))
	require.NoError(t, store.Close())
}

// TestDisk_FileSizeLimitIsUnavailable needs no privilege: a process that may not make its files any longer.
func TestDisk_FileSizeLimitIsUnavailable(t *testing.T) {
	if dir := os.Getenv("MEMBRAIN_TEST_FSIZE"); dir != "" {
		appendAtTheLimit(t, dir)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestDisk_FileSizeLimitIsUnavailable$")
	child.Env = append(os.Environ(), "MEMBRAIN_TEST_FSIZE="+t.TempDir())
	output, err := child.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

func appendAtTheLimit(t *testing.T, dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	store := openBolt(t, dir, small())
	logtest.Fill(t, store.Log(), 1, 10)
	before := store.Log().Head()
	var limit unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &limit))
	free := limit.Cur
	limit.Cur = 64 << 10
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &limit))
	_, err := store.Log().Append(context.Background(), before.Seq, logtest.NewHistory(2).Take(500))
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	head, err := store.Log().Reload()
	require.NoError(t, err)
	require.Equal(t, before, head)
	limit.Cur = free
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &limit))
	_, err = store.Log().Append(context.Background(), before.Seq, []*eventlog.Commit{{Namespace: 9}})
	require.NoError(t, err)
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
}
