package membrain_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/membrain-db/membrain"
	"github.com/membrain-db/membrain/model"
)

// TestDisk_FullIsUnavailableAndHeals fills the disk under an open store. What fails says unavailable and leaves
// nothing, what was answered stays, and everything works again once there is space.
func TestDisk_FullIsUnavailableAndHeals(t *testing.T) {
	ctx := context.Background()
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=8m,mode=0700"); err != nil {
		t.Skipf("cannot mount a tmpfs: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(disk, unix.MNT_DETACH)) })
	h := newHost(t, func(o *membrain.Options) { o.Clock = nil })
	h.close()
	h.dir = filepath.Join(disk, "data")
	h.open()
	ids := h.grow(20)
	want := h.answers(ids)
	ballast := filepath.Join(disk, "ballast")
	fillDisk(t, ballast)

	filler := string(bytes.Repeat([]byte("mast "), 2000))
	kept := 0 // pages that are allocated already still take some
	for ; ; kept++ {
		_, err := h.s.Encode(ctx, membrain.EncodeRequest{Namespace: "filler", Text: fmt.Sprint(kept, filler), RequestID: fmt.Sprint(kept)})
		if err != nil {
			requireCode(t, model.CodeUnavailable, err)
			break
		}
	}
	_, err := h.s.Import(ctx, membrain.ImportRequest{Format: "jsonl", Name: "rows", Namespace: "rows", Reader: bytes.NewReader([]byte(`{"text": "a row"}`))})
	requireCode(t, model.CodeUnavailable, err)
	_, err = h.s.Rebuild(ctx, nil)
	requireCode(t, model.CodeUnavailable, err)
	requireCode(t, model.CodeUnavailable, h.s.Checkpoint(ctx, ""))
	require.Equal(t, want, h.answers(ids), "what is there is served")

	if err := h.s.Close(); err != nil {
		requireCode(t, model.CodeUnavailable, err)
	}
	h.s = nil
	if s, err := membrain.Open(ctx, h.dir, h.o); err != nil {
		requireCode(t, model.CodeUnavailable, err)
	} else {
		_ = s.Close() // what is derived may not fit
	}
	require.NoError(t, os.Remove(ballast))
	h.open()
	require.Equal(t, want, h.answers(ids))
	require.Equal(t, kept, h.memories("filler"))
	h.encode("There is space again.")
	require.NoError(t, h.s.Checkpoint(ctx, ""))
	h.verified()
	requireOneDigest(h)
	h.close()
	requireNothingUnfinished(t, h.dir)
}

// fillDisk writes until nothing more fits.
func fillDisk(t *testing.T, path string) {
	f, err := os.Create(path)
	require.NoError(t, err)
	for block := make([]byte, 64<<10); len(block) > 0; {
		if _, err := f.Write(block); err != nil {
			block = block[:len(block)/2]
		}
	}
	require.NoError(t, f.Close())
}
