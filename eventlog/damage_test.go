package eventlog_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/logtest"
)

// small keeps files short and mappings few: thousands of stores are opened.
func small() eventlog.Options {
	return eventlog.Options{MmapBytes: 1 << 16, AllocBytes: 1 << 12, LockTimeout: -1}
}

// smallStore makes a data directory with some of everything, and closes it.
func smallStore(t testing.TB) string {
	dir := t.TempDir()
	store := openBolt(t, dir, small())
	logtest.Fill(t, store.Log(), 7, 60)
	for n := uint64(1); n <= 40; n++ {
		require.NoError(t, store.Contents().Put(context.Background(), []eventlog.ContentBatch{{
			Namespace: eventlog.Ordinal(1 + n%3),
			Contents:  []eventlog.Content{{Number: n, Body: bytes.Repeat([]byte{byte(n)}, int(20*n))}},
			Symbols:   []eventlog.Symbol{{Number: n, Text: fmt.Sprint("symbol ", n)}},
		}}))
	}
	require.NoError(t, store.Contents().Put(context.Background(), []eventlog.ContentBatch{{
		Namespace: 1, Contents: []eventlog.Content{{Number: 41, Body: bytes.Repeat([]byte("blob"), eventlog.BlobBytesMin/4)}},
	}}))
	require.NoError(t, store.Close())
	return dir
}

var errProblems = errors.New("verify found problems")

// answers opens a store and digests everything that it answers. Whatever is wrong must come out as a named error.
func answers(dir string) (digest [32]byte, err error) {
	store, err := eventlog.OpenBolt(dir, small())
	if err != nil {
		return digest, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ctx := context.Background()
	sum := sha256.New()
	for record, err := range store.Log().Scan(ctx, 0) {
		if err != nil {
			return digest, err
		}
		again, err := store.Log().At(record.Seq)
		if err != nil {
			return digest, err
		}
		fmt.Fprintf(sum, "%+v", again)
	}
	for ns := eventlog.Ordinal(0); ns < 5; ns++ {
		for content, err := range store.Contents().Scan(ctx, ns, 0) {
			if err != nil {
				return digest, err
			}
			fmt.Fprintf(sum, "%d %+v", ns, content)
		}
		for symbol, err := range store.Contents().Symbols(ctx, ns) {
			if err != nil {
				return digest, err
			}
			fmt.Fprintf(sum, "%d %+v", ns, symbol)
		}
	}
	fmt.Fprintf(sum, "%+v", store.Identity())
	report, err := eventlog.Verify(ctx, store.Log(), store.Contents(), nil)
	if err == nil && len(report.Problems) > 0 {
		err = fmt.Errorf("%w: %+v", errProblems, report.Problems[0])
	}
	return [32]byte(sum.Sum(nil)), err
}

// judge says what is wrong with the answers of a damaged store: nothing when they are equal or refused by name.
func judge(want, got [32]byte, err error) error {
	for _, named := range []error{eventlog.ErrCorrupt, eventlog.ErrUnsupportedVersion, errProblems} {
		if errors.Is(err, named) {
			return nil
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("error without a name: %w", err)
	case want != got:
		return errors.New("other answers, in silence")
	}
	return nil
}

// mutation is one way to damage a file.
type mutation struct {
	name  string
	apply func(whole []byte) []byte
}

func cut(at int) mutation {
	return mutation{fmt.Sprintf("cut at %d", at), func(whole []byte) []byte { return whole[:at] }}
}

func flip(at int, mask byte) mutation {
	return mutation{fmt.Sprintf("flip %#02x at %d", mask, at), func(whole []byte) []byte {
		damaged := bytes.Clone(whole)
		damaged[at] ^= mask
		return damaged
	}}
}

// mutations samples a file of some length: cuts and flips in strides that drift over all positions of a page, and
// every byte of what bbolt reads first (meta pages and the headers of pages).
func mutations(length, stride int) []mutation {
	var all []mutation
	masks := []byte{0x01, 0x80, 0xff, 0x03}
	for at := 0; at < length; at++ {
		inHeader := at%4096 < 16 || (at < 8192 && at%4096 < 96)
		if at%stride == 0 || (inHeader && at%2 == 0 && stride > 1) {
			all = append(all, flip(at, masks[at%len(masks)]))
		}
		if at%(4*stride+1) == 0 {
			all = append(all, cut(at))
		}
	}
	return all
}

func strideOf(length int) int {
	if text := os.Getenv("MEMBRAIN_DAMAGE_STRIDE"); text != "" {
		if stride, err := strconv.Atoi(text); err == nil && stride > 0 {
			return stride
		}
	}
	if length < 2048 {
		return 1
	}
	return length/300 | 1
}

func TestDamage_IsAnsweredByNameOrNotAtAll(t *testing.T) {
	dir := smallStore(t)
	want, err := answers(dir)
	require.NoError(t, err)
	for _, name := range []string{"events.db", "contents.db", "blobs/1-41", "lock"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			path := filepath.Join(dir, name)
			whole, err := os.ReadFile(path)
			require.NoError(t, err)
			if name == "lock" {
				whole = []byte(`{"pid":1,"started":"2026-01-01T00:00:00Z","socket":"x"}`)
			}
			equal, named := 0, 0
			for _, m := range mutations(len(whole), strideOf(len(whole))) {
				require.NoError(t, os.WriteFile(path, m.apply(whole), 0o600))
				got, err := bounded(t, m.name, dir)
				require.NoError(t, judge(want, got, err), m.name)
				if err != nil {
					named++
				} else {
					equal++
				}
			}
			t.Logf("%d answered equally, %d refused by name", equal, named)
			require.NoError(t, os.WriteFile(path, whole, 0o600))
			got, err := answers(dir)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

// bounded fails the test when the answers do not come.
func bounded(t *testing.T, name, dir string) (digest [32]byte, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		digest, err = answers(dir)
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: no answer within a minute", name)
	}
	return digest, err
}

// TestDamage_UnnoticedByReadersIsHarmlessToWriters writes after damage that reading did not notice.
func TestDamage_UnnoticedByReadersIsHarmlessToWriters(t *testing.T) {
	dir := smallStore(t)
	path := filepath.Join(dir, "events.db")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	written := 0
	for at := 0; at < len(whole); at += len(whole)/150 | 1 {
		m := flip(at, 0x05)
		require.NoError(t, os.WriteFile(path, m.apply(whole), 0o600))
		if _, err := answers(dir); err != nil {
			continue
		}
		store := openBolt(t, dir, small())
		for range 3 {
			commits := []*eventlog.Commit{{Namespace: 9, Door: "test"}}
			_, err := store.Log().Append(context.Background(), store.Log().Head().Seq, commits)
			require.NoError(t, err, m.name)
		}
		logtest.RequireSound(t, store)
		require.NoError(t, store.Close())
		written++
	}
	require.Positive(t, written)
}

// TestDamage_LinksThatLeadInCircles sets each link between pages to the page that it stands on and to another page
// of the tree. bbolt would recurse until the process dies, or read one page for another.
func TestDamage_LinksThatLeadInCircles(t *testing.T) {
	dir := smallStore(t)
	path := filepath.Join(dir, "events.db")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	order := binary.NativeEndian
	tried := 0
	for page := 2; (page+1)*4096 <= len(whole); page++ {
		header := whole[page*4096:]
		if order.Uint16(header[8:]) != 1 { // not a branch
			continue
		}
		for i := range int(order.Uint16(header[10:])) {
			at := page*4096 + 16 + 16*i + 8
			for _, target := range []uint64{uint64(page), order.Uint64(whole[page*4096+16+8:]), 1 << 40} {
				damaged := bytes.Clone(whole)
				if order.Uint64(damaged[at:]) == target {
					continue
				}
				order.PutUint64(damaged[at:], target)
				require.NoError(t, os.WriteFile(path, damaged, 0o600))
				_, err := bounded(t, fmt.Sprintf("page %d link %d to %d", page, i, target), dir)
				if err != nil { // a branch of an older state is not in use
					require.ErrorIs(t, err, eventlog.ErrCorrupt)
					tried++
				}
			}
		}
	}
	require.Positive(t, tried)
}

// TestDamage_FreeListNamesAPageInUse would have the next commit overwrite an old one.
func TestDamage_FreeListNamesAPageInUse(t *testing.T) {
	dir := smallStore(t)
	path := filepath.Join(dir, "events.db")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	order := binary.NativeEndian
	refused := 0
	for page := 2; (page+1)*4096 <= len(whole); page++ {
		if order.Uint16(whole[page*4096+8:]) != 0x10 || order.Uint16(whole[page*4096+10:]) == 0 {
			continue
		}
		for used := uint64(2); used < uint64(len(whole)/4096); used++ {
			damaged := bytes.Clone(whole)
			order.PutUint16(damaged[page*4096+10:], 1)
			order.PutUint64(damaged[page*4096+16:], used)
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			if _, err := answers(dir); err != nil {
				require.ErrorIs(t, err, eventlog.ErrCorrupt)
				refused++
			}
		}
	}
	require.Greater(t, refused, 5)
}

func TestDamage_NamesFileAndCommit(t *testing.T) {
	dir := smallStore(t)
	path := filepath.Join(dir, "events.db")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	store := openBolt(t, dir, small())
	record, err := store.Log().At(30)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	at := bytes.Index(whole, record.Facts[0].Body)
	require.Positive(t, at)
	require.NoError(t, os.WriteFile(path, flip(at, 0x10).apply(whole), 0o600))

	store = openBolt(t, dir, small())
	_, err = store.Log().At(30)
	var corrupt *eventlog.CorruptError
	require.ErrorAs(t, err, &corrupt)
	require.Equal(t, "events.db", corrupt.File)
	require.Equal(t, eventlog.Seq(30), corrupt.Seq)
	require.Equal(t, "checksum", corrupt.What)
	require.NotEqual(t, corrupt.Want, corrupt.Got)
	seen := eventlog.Seq(0)
	for record, err := range store.Log().Scan(context.Background(), 0) {
		if err != nil {
			require.ErrorAs(t, err, &corrupt)
			require.Equal(t, eventlog.Seq(30), corrupt.Seq)
			break
		}
		seen = record.Seq
	}
	require.Equal(t, eventlog.Seq(29), seen)
	report, err := eventlog.Verify(context.Background(), store.Log(), store.Contents(), nil)
	require.NoError(t, err)
	require.Equal(t, uint64(59), report.Commits, "verify goes on behind the damage")
	require.Len(t, report.Problems, 1)
	require.Equal(t, eventlog.Seq(30), report.Problems[0].Seq)
	require.NoError(t, store.Close())
}

// TestDamage_OneContentKeepsNobodyElseOut: a damaged cell is refused, and its namespace goes on.
func TestDamage_OneContentKeepsNobodyElseOut(t *testing.T) {
	dir := smallStore(t)
	path := filepath.Join(dir, "contents.db")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	const last = 39 // of namespace 1, but for the blob
	store := openBolt(t, dir, small())
	body, err := store.Contents().Get(1, last)
	require.NoError(t, err)
	require.NoError(t, store.Close())
	damaged := bytes.ReplaceAll(whole, body, bytes.Repeat([]byte{0xee}, len(body)))
	require.NotEqual(t, whole, damaged)
	require.NoError(t, os.WriteFile(path, damaged, 0o600))

	store = openBolt(t, dir, small())
	ctx := context.Background()
	_, err = store.Contents().Get(1, last)
	require.ErrorIs(t, err, eventlog.ErrCorrupt)
	require.ErrorContains(t, err, "1/39")
	_, err = store.Contents().Get(1, last+1)
	require.ErrorIs(t, err, eventlog.ErrCorrupt, "it could be the damaged one")
	removed, err := store.Contents().Sweep(1, last, 100)
	require.NoError(t, err)
	require.Equal(t, 1, removed)
	require.NoError(t, store.Contents().Put(ctx, []eventlog.ContentBatch{{Namespace: 1, Contents: []eventlog.Content{{Number: last + 1, Body: []byte("new")}}}}))
	got, err := store.Contents().Get(1, last+1)
	require.NoError(t, err)
	require.Equal(t, "new", string(got))
	report, err := eventlog.Verify(ctx, store.Log(), store.Contents(), nil)
	require.NoError(t, err)
	require.Len(t, report.Problems, 1)
	require.Equal(t, eventlog.ProblemContent, report.Problems[0].Kind)
	require.NoError(t, store.Contents().Put(ctx, []eventlog.ContentBatch{{Namespace: 1, Contents: []eventlog.Content{{Number: last, Body: []byte("mended")}}}}))
	logtest.RequireSound(t, store)
	require.NoError(t, store.Close())
}

func TestDamage_SalvageOpensWithTheOlderMetaPage(t *testing.T) {
	dir := smallStore(t)
	path := filepath.Join(dir, "events.db")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, page := range []int{0, 4096} {
		require.NoError(t, os.WriteFile(path, flip(page+40, 0x10).apply(whole), 0o600))
		_, err = eventlog.OpenBolt(dir, small())
		require.ErrorIs(t, err, eventlog.ErrCorrupt)
		salvage := small()
		salvage.Salvage = true
		store := openBolt(t, dir, salvage)
		for _, err := range store.Log().Scan(context.Background(), 0) {
			require.NoError(t, err)
		}
		require.NoError(t, store.Close())
	}
}

// TestDamage_FileShrinksUnderAReader cuts the file while it is mapped: reading past its end is SIGBUS, in a
// process of its own because an unguarded one would take the test with it.
func TestDamage_FileShrinksUnderAReader(t *testing.T) {
	if dir := os.Getenv("MEMBRAIN_TEST_SHRINK"); dir != "" {
		shrinkUnderReader(t, dir)
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^TestDamage_FileShrinksUnderAReader$", "-test.v")
	child.Env = append(os.Environ(), "MEMBRAIN_TEST_SHRINK="+smallStore(t))
	output, err := child.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "named: ")
}

func shrinkUnderReader(t *testing.T, dir string) {
	store := openBolt(t, dir, small())
	require.NoError(t, os.Truncate(filepath.Join(dir, "events.db"), 8192))
	require.NoError(t, os.Truncate(filepath.Join(dir, "contents.db"), 8192))
	_, err := store.Log().At(2)
	require.ErrorIs(t, err, eventlog.ErrCorrupt)
	fmt.Println("named:", err)
	_, err = store.Contents().Get(2, 1)
	require.ErrorIs(t, err, eventlog.ErrCorrupt)
	for _, err := range store.Log().Scan(context.Background(), 1) {
		require.ErrorIs(t, err, eventlog.ErrCorrupt)
	}
	_, err = store.Log().Append(context.Background(), store.Log().Head().Seq, logtest.NewHistory(1).Take(1))
	require.Error(t, err)
	require.ErrorIs(t, store.Contents().Put(context.Background(), []eventlog.ContentBatch{{Namespace: 1, Symbols: []eventlog.Symbol{{Number: 99}}}}), eventlog.ErrCorrupt)
	closed := make(chan error, 1)
	go func() { closed <- store.Close() }()
	select {
	case <-closed: // with or without an error
	case <-time.After(time.Minute):
		t.Fatal("Close hangs")
	}
}
