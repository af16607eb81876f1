package eventlog

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// formatVersion is the version of the data directory. A store with a higher one is refused, untouched.
const formatVersion = 1

const (
	eventsMagic   = "MBEVENTS"
	contentsMagic = "MBCONTNT"
	headerBytes   = 8 + 4 + 4 + 16 + 8 + 8 + 32 + crcBytes
)

// Identity is what a store keeps for ever, apart from Epoch.
type Identity struct {
	StoreID       [16]byte
	Epoch         uint64   // from 1; a restore from a backup adds 1, so that old cursors are noticed
	Secret        [32]byte // key of keyed digests; lives in contents.db only
	CreatedMillis int64    // genesis: Unix milliseconds
}

// encodeHeader draws the identity as it is stored under the key "header" of either file (see doc.go).
func encodeHeader(magic string, id Identity) []byte {
	b := make([]byte, 0, headerBytes)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	b = binary.LittleEndian.AppendUint32(b, 0) // shard
	b = append(b, id.StoreID[:]...)
	b = binary.LittleEndian.AppendUint64(b, id.Epoch)
	b = binary.LittleEndian.AppendUint64(b, uint64(id.CreatedMillis))
	b = append(b, id.Secret[:]...)
	return binary.LittleEndian.AppendUint32(b, crc32c(b))
}

// decodeHeader reads a header. A newer version may have a longer one, so magic and version are looked at first,
// and the checksum always stands at the end. Errors: ErrCorrupt, ErrUnsupportedVersion.
func decodeHeader(magic string, b []byte) (Identity, error) {
	if len(b) < headerBytes {
		return Identity{}, damaged("header", fmt.Sprintf("%d bytes", headerBytes), fmt.Sprint(len(b)))
	}
	body := b[:len(b)-crcBytes]
	if want, got := crc32c(body), binary.LittleEndian.Uint32(b[len(body):]); want != got {
		return Identity{}, damaged("header checksum", fmt.Sprintf("%08x", want), fmt.Sprintf("%08x", got))
	}
	if !strings.HasPrefix(string(b), magic) {
		return Identity{}, damaged("header", magic, fmt.Sprintf("%q", b[:8]))
	}
	if version := binary.LittleEndian.Uint32(b[8:]); version > formatVersion {
		return Identity{}, fmt.Errorf("data directory has format %d, this version knows up to %d; use a newer membraind: %w",
			version, formatVersion, ErrUnsupportedVersion)
	}
	var id Identity
	copy(id.StoreID[:], b[16:])
	id.Epoch = binary.LittleEndian.Uint64(b[32:])
	id.CreatedMillis = int64(binary.LittleEndian.Uint64(b[40:]))
	copy(id.Secret[:], b[48:])
	return id, nil
}
