package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const (
	blobMagic       = "MBLB"
	blobFormat      = 1
	blobHeaderBytes = 4 + 4 + 4 + 8 + 8 + 4 + crcBytes
)

// blobs is the folder of large contents, one file each, named by namespace and number ("3-12").
type blobs struct {
	dir string
	// atOpen holds the numbers of the files that were there at open, for Sweep: one may be left of a put whose
	// transaction never happened. Not changed afterwards.
	atOpen map[Ordinal][]uint64
}

func openBlobs(dir string) (*blobs, error) {
	b := &blobs{dir: filepath.Join(dir, blobsName), atOpen: map[Ordinal][]uint64{}}
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return nil, fmt.Errorf("list blobs: %w", unavailable(err))
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), unfinished) {
			if err := os.Remove(filepath.Join(b.dir, entry.Name())); err != nil {
				return nil, fmt.Errorf("remove unfinished blob: %w", unavailable(err))
			}
			continue
		}
		var ns Ordinal
		var number uint64
		if _, err := fmt.Sscanf(entry.Name(), "%d-%d", &ns, &number); err == nil {
			b.atOpen[ns] = append(b.atOpen[ns], number)
		}
	}
	return b, nil
}

func blobName(ns Ordinal, number uint64) string { return fmt.Sprintf("%d-%d", ns, number) }

func (b *blobs) path(ns Ordinal, number uint64) string {
	return filepath.Join(b.dir, blobName(ns, number))
}

// write makes or replaces a blob; the name is durable after sync.
func (b *blobs) write(ns Ordinal, number uint64, body []byte) error {
	path := b.path(ns, number)
	file, err := os.OpenFile(path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write blob: %w", unavailable(err))
	}
	_, err = file.Write(encodeBlobHeader(ns, number, body))
	if err == nil {
		_, err = file.Write(body)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(path+unfinished, path)
	}
	if err != nil {
		_ = os.Remove(path + unfinished) // open removes it otherwise
		return fmt.Errorf("write blob %s: %w", blobName(ns, number), unavailable(err))
	}
	return nil
}

func (b *blobs) sync() error { return syncDir(b.dir) }

func encodeBlobHeader(ns Ordinal, number uint64, body []byte) []byte {
	h := make([]byte, 0, blobHeaderBytes)
	h = append(h, blobMagic...)
	h = binary.LittleEndian.AppendUint32(h, blobFormat)
	h = binary.LittleEndian.AppendUint32(h, uint32(ns))
	h = binary.LittleEndian.AppendUint64(h, number)
	h = binary.LittleEndian.AppendUint64(h, uint64(len(body)))
	h = binary.LittleEndian.AppendUint32(h, crc32c(body))
	return binary.LittleEndian.AppendUint32(h, crc32c(h))
}

// read returns the body of the blob that c describes. Errors: ErrCorrupt, ErrUnavailable.
func (b *blobs) read(ns Ordinal, number uint64, c cell) ([]byte, error) {
	name := blobsName + "/" + blobName(ns, number)
	file, err := os.Open(b.path(ns, number))
	if errors.Is(err, os.ErrNotExist) {
		return nil, &CorruptError{File: name, What: "file", Want: "present", Got: "missing"}
	}
	if err != nil {
		return nil, unavailable(err)
	}
	defer file.Close() // only read from
	whole, err := io.ReadAll(io.LimitReader(file, ContentBytesMax+blobHeaderBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read blob: %w", unavailable(err))
	}
	if len(whole) != blobHeaderBytes+int(c.blobSize) {
		return nil, &CorruptError{File: name, What: "length", Want: fmt.Sprint(blobHeaderBytes + c.blobSize), Got: fmt.Sprint(len(whole))}
	}
	header, body := whole[:blobHeaderBytes], whole[blobHeaderBytes:]
	if got := crc32c(body); got != c.blobCRC {
		return nil, &CorruptError{File: name, What: "checksum", Want: fmt.Sprintf("%08x", c.blobCRC), Got: fmt.Sprintf("%08x", got)}
	}
	if want := encodeBlobHeader(ns, number, body); string(want) != string(header) {
		return nil, &CorruptError{File: name, What: "header", Want: hexOf(want), Got: hexOf(header)}
	}
	return body, nil
}

// remove deletes blobs; one that is not there is no error.
func (b *blobs) remove(ns Ordinal, numbers []uint64) error {
	for _, number := range numbers {
		if err := os.Remove(b.path(ns, number)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove blob %s: %w", blobName(ns, number), unavailable(err))
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	return b.sync()
}
