package eventlog

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// The layout of bbolt's files as far as it must be known before mapping one. Source: go.etcd.io/bbolt,
// internal/common (page.go, meta.go, inode.go, bucket.go). Integers are in the machine's own order.
const (
	pageHeaderBytes = 16 // id u64, flags u16, count u16, overflow u32
	pageIsBranch    = 0x01
	pageIsLeaf      = 0x02
	pageIsFreelist  = 0x10
	metaBytes       = 64
	metaMagic       = uint32(0xED0CDAED)
	metaVersion     = 2
	pageBytesMin    = 512
	pageBytesMax    = 16 << 20
	noFreelist      = ^uint64(0)
)

// metaPage is one of the two pages that say where everything stands. The one with the higher txid holds.
type metaPage struct {
	pageBytes uint32
	root      uint64 // page of the root bucket
	freelist  uint64
	highWater uint64 // pages from here on are not in use
	txid      uint64
}

// preflight checks by plain reads what bbolt takes on trust: both meta pages, and a file that is as long as they
// say (bbolt would map past the end and die of SIGBUS). One damaged meta page is an error too: bbolt would fall
// back to the other in silence, and with it lose the last transaction. A meta page lies within one sector, so a
// power failure does not tear it. salvage accepts the older page.
func preflight(file *os.File, name string, salvage bool) (metaPage, error) {
	info, err := file.Stat()
	if err != nil {
		return metaPage{}, unavailable(err)
	}
	meta, err := readMeta(file, info.Size(), salvage)
	if err != nil {
		return metaPage{}, inFile(err, name, 0)
	}
	if want := int64(meta.highWater) * int64(meta.pageBytes); meta.highWater > 1<<50 || info.Size() < want {
		return metaPage{}, inFile(damaged("file length", fmt.Sprintf("at least %d", want), fmt.Sprint(info.Size())), name, 0)
	}
	return meta, nil
}

func readMeta(r io.ReaderAt, size int64, salvage bool) (metaPage, error) {
	first, err0 := metaAt(r, 0)
	if err0 != nil && !salvage {
		return metaPage{}, fmt.Errorf("meta page 0: %w", err0)
	}
	if err0 != nil {
		return searchSecondMeta(r, size)
	}
	second, err1 := metaAt(r, int64(first.pageBytes))
	switch {
	case err1 != nil && salvage:
		return first, nil
	case err1 != nil:
		return metaPage{}, fmt.Errorf("meta page 1: %w", err1)
	case second.pageBytes != first.pageBytes:
		return metaPage{}, damaged("meta page 1", fmt.Sprintf("pages of %d bytes", first.pageBytes), fmt.Sprint(second.pageBytes))
	case second.txid > first.txid:
		return second, nil
	}
	return first, nil
}

// searchSecondMeta finds the second meta page without knowing the page size, as bbolt does.
func searchSecondMeta(r io.ReaderAt, size int64) (metaPage, error) {
	for at := int64(1024); at <= pageBytesMax && at < size; at *= 2 {
		if meta, err := metaAt(r, at); err == nil && int64(meta.pageBytes) == at {
			return meta, nil
		}
	}
	return metaPage{}, damaged("meta pages", "a valid one", "none")
}

func metaAt(r io.ReaderAt, at int64) (metaPage, error) {
	var page [pageHeaderBytes + metaBytes]byte
	if _, err := r.ReadAt(page[:], at); err != nil {
		return metaPage{}, damaged("meta page", fmt.Sprintf("%d bytes at offset %d", len(page), at), err.Error())
	}
	b, order := page[pageHeaderBytes:], binary.NativeEndian
	sum := fnv.New64a()
	sum.Write(b[:56])
	if got := order.Uint64(b[56:]); got != sum.Sum64() {
		return metaPage{}, damaged("meta checksum", fmt.Sprintf("%016x", sum.Sum64()), fmt.Sprintf("%016x", got))
	}
	if magic, version := order.Uint32(b), order.Uint32(b[4:]); magic != metaMagic || version != metaVersion {
		return metaPage{}, damaged("meta page", fmt.Sprintf("%08x version %d", metaMagic, metaVersion), fmt.Sprintf("%08x version %d", magic, version))
	}
	meta := metaPage{
		pageBytes: order.Uint32(b[8:]), root: order.Uint64(b[16:]), freelist: order.Uint64(b[32:]),
		highWater: order.Uint64(b[40:]), txid: order.Uint64(b[48:]),
	}
	if meta.pageBytes < pageBytesMin || meta.pageBytes > pageBytesMax {
		return metaPage{}, damaged("page size", fmt.Sprintf("%d to %d", pageBytesMin, pageBytesMax), fmt.Sprint(meta.pageBytes))
	}
	return meta, nil
}
