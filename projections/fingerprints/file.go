package fingerprints

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/membrain-db/membrain/model"
)

// ErrRebuild says that a stored index is of no use: absent, damaged, foreign or newer. Build it again from the contents.
var ErrRebuild = errors.New("fingerprint index must be rebuilt")

// Header says what a saved index contains.
type Header struct {
	Namespace uint32
	StoreID   [16]byte
	Epoch     uint64
	Seq       uint64 // last commit whose contents are in the index
}

const (
	magic       = "mbrnfpnt"
	version     = 1
	headerBytes = 56
	entryBytes  = 12
	crcBytes    = 4
)

func checksum(b []byte) uint32 {
	return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) // the table is kept by the standard library
}

// Bytes returns the file of the index, as doc.go draws it.
func (x *Index) Bytes(h Header) []byte {
	b := make([]byte, 0, headerBytes+2*crcBytes+entryBytes*len(x.of))
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, h.Namespace)
	b = append(b, h.StoreID[:]...)
	b = binary.LittleEndian.AppendUint64(b, h.Epoch)
	b = binary.LittleEndian.AppendUint64(b, h.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(x.of)))
	b = binary.LittleEndian.AppendUint32(b, checksum(b))
	from := len(b)
	for _, ordinal := range x.sorted() {
		b = binary.LittleEndian.AppendUint32(b, ordinal)
		b = binary.LittleEndian.AppendUint64(b, uint64(x.of[ordinal]))
	}
	return binary.LittleEndian.AppendUint32(b, checksum(b[from:]))
}

// Parse reads what Bytes wrote. want names the namespace, store and epoch; its Seq is not looked at. Errors: ErrRebuild.
func Parse(b []byte, want Header) (*Index, Header, error) {
	x, h, err := parse(b, want)
	if err != nil {
		return nil, Header{}, fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	return x, h, nil
}

func parse(b []byte, want Header) (*Index, Header, error) {
	h, entries, err := parseHeader(b)
	if err != nil {
		return nil, h, err
	}
	if h.Namespace != want.Namespace || h.StoreID != want.StoreID || h.Epoch != want.Epoch {
		return nil, h, fmt.Errorf("of namespace %d, store %x, epoch %d", h.Namespace, h.StoreID, h.Epoch)
	}
	x := &Index{
		of:       make(map[uint32]model.Fingerprint, len(entries)/entryBytes),
		first:    make(map[model.Fingerprint]uint32, len(entries)/entryBytes),
		families: map[model.Fingerprint][]uint32{},
	}
	last := int64(-1)
	for ; len(entries) > 0; entries = entries[entryBytes:] {
		ordinal := binary.LittleEndian.Uint32(entries)
		if int64(ordinal) <= last {
			return nil, h, fmt.Errorf("ordinal %d after %d", ordinal, last)
		}
		last = int64(ordinal)
		x.Add(ordinal, model.Fingerprint(binary.LittleEndian.Uint64(entries[4:])))
	}
	return x, h, nil
}

// parseHeader returns the header and the entries, both verified.
func parseHeader(b []byte) (Header, []byte, error) {
	if len(b) < headerBytes+2*crcBytes || !bytes.HasPrefix(b, []byte(magic)) {
		return Header{}, nil, errors.New("not a fingerprint index")
	}
	if checksum(b[:headerBytes]) != binary.LittleEndian.Uint32(b[headerBytes:]) {
		return Header{}, nil, errors.New("checksum of the header is wrong")
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version || b[10] != 0 || b[11] != 0 {
		return Header{}, nil, fmt.Errorf("format version %d, this program reads %d", v, version)
	}
	h := Header{
		Namespace: binary.LittleEndian.Uint32(b[12:]),
		StoreID:   [16]byte(b[16:32]),
		Epoch:     binary.LittleEndian.Uint64(b[32:]),
		Seq:       binary.LittleEndian.Uint64(b[40:]),
	}
	entries := b[headerBytes+crcBytes : len(b)-crcBytes]
	if binary.LittleEndian.Uint64(b[48:]) != uint64(len(entries)/entryBytes) || len(entries)%entryBytes != 0 {
		return h, nil, fmt.Errorf("%d bytes of entries", len(entries))
	}
	if checksum(entries) != binary.LittleEndian.Uint32(b[len(b)-crcBytes:]) {
		return h, nil, errors.New("checksum of the entries is wrong")
	}
	return h, entries, nil
}

// LoadFile reads a file that WriteFile wrote. Errors: ErrRebuild, which also wraps fs.ErrNotExist when there is none.
func LoadFile(path string, want Header) (*Index, Header, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, Header{}, fmt.Errorf("%w: %w", ErrRebuild, err)
	}
	x, h, err := Parse(b, want)
	if err != nil {
		return nil, Header{}, fmt.Errorf("load %s: %w", path, err)
	}
	return x, h, nil
}

// WriteFile puts the bytes of an index in place of path: temporary file, sync, rename, sync of the folder.
func WriteFile(path string, b []byte) (err error) {
	temporary := path + ".tmp"
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("save fingerprint index: %w", err)
	}
	_, err = file.Write(b)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary) // the first error is the one to report
		return fmt.Errorf("save fingerprint index: %w", err)
	}
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync folder of fingerprint index: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
