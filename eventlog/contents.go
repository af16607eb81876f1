package eventlog

import (
	"context"
	"encoding/binary"
	"fmt"
)

const (
	// ContentBytesMax is the greatest size of one content: a payload of 64 MiB and what goes with it.
	ContentBytesMax = 72 << 20
	// SymbolBytesMax is the greatest length of a symbol.
	SymbolBytesMax = 16 << 10
)

// Erasure names contents and symbols of one namespace to be erased, and what is kept instead of them.
type Erasure struct {
	Namespace  Ordinal
	Contents   []uint64
	Symbols    []uint64
	TimeMillis int64 // Unix milliseconds
	Reason     uint8 // reason code; this package gives it no meaning
}

// Eraser is a Contents that can forget on purpose.
type Eraser interface {
	// Erase replaces bodies by tombstones, durably. Numbers that do not exist, or are erased already, are
	// left as they are. The bytes may still stand in free pages of the file until it is compacted.
	// Errors: ErrUnavailable, ErrClosed.
	Erase(ctx context.Context, e Erasure) error
}

// Kinds of a stored content or symbol; never renumber.
const (
	cellInline byte = 1 // body
	cellBlob   byte = 2 // size u64, CRC32C of the body u32; the body is a file
	cellErased byte = 3 // time i64 in Unix milliseconds, reason u8
)

// cell is the stored form of a content or symbol, whose CRC covers its key too: a cell in another's place is
// noticed.
type cell struct {
	kind byte
	body []byte // of cellInline

	blobSize uint64
	blobCRC  uint32

	erasedMillis int64
	erasedReason uint8
}

func encodeCell(key []byte, c cell) []byte {
	b := make([]byte, 0, 1+max(len(c.body), 12)+crcBytes)
	b = append(b, c.kind)
	switch c.kind {
	case cellInline:
		b = append(b, c.body...)
	case cellBlob:
		b = binary.LittleEndian.AppendUint64(b, c.blobSize)
		b = binary.LittleEndian.AppendUint32(b, c.blobCRC)
	case cellErased:
		b = binary.LittleEndian.AppendUint64(b, uint64(c.erasedMillis))
		b = append(b, c.erasedReason)
	}
	return binary.LittleEndian.AppendUint32(b, crc32c(key, b))
}

// decodeCell reads a cell; its body still lies in stored. Errors: ErrCorrupt without a file.
func decodeCell(key, stored []byte) (cell, error) {
	what := cellName(key)
	if len(stored) < 1+crcBytes || len(stored) > ContentBytesMax {
		return cell{}, damaged(what, "a cell", fmt.Sprintf("%d bytes", len(stored)))
	}
	body := stored[:len(stored)-crcBytes]
	if want, got := crc32c(key, body), binary.LittleEndian.Uint32(stored[len(body):]); want != got {
		return cell{}, damaged(what, fmt.Sprintf("checksum %08x", want), fmt.Sprintf("%08x", got))
	}
	c, rest := cell{kind: body[0]}, body[1:]
	switch {
	case c.kind == cellInline:
		c.body = rest
	case c.kind == cellBlob && len(rest) == 12:
		c.blobSize, c.blobCRC = binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint32(rest[8:])
	case c.kind == cellErased && len(rest) == 9:
		c.erasedMillis, c.erasedReason = int64(binary.LittleEndian.Uint64(rest)), rest[8]
	default:
		return cell{}, damaged(what, "a known kind", fmt.Sprintf("kind %d of %d bytes", c.kind, len(rest)))
	}
	return c, nil
}

// cellKey is namespace and number, big-endian, so that a namespace's cells lie together in order.
func cellKey(ns Ordinal, number uint64) []byte {
	key := make([]byte, 0, 12)
	key = binary.BigEndian.AppendUint32(key, uint32(ns))
	return binary.BigEndian.AppendUint64(key, number)
}

func splitCellKey(key []byte) (ns Ordinal, number uint64, err error) {
	if len(key) != 12 {
		return 0, 0, damaged("key", "12 bytes", fmt.Sprint(len(key)))
	}
	return Ordinal(binary.BigEndian.Uint32(key)), binary.BigEndian.Uint64(key[4:]), nil
}

func cellName(key []byte) string {
	ns, number, err := splitCellKey(key)
	if err != nil {
		return "content with a bad key"
	}
	return fmt.Sprintf("cell %d/%d", ns, number)
}

// checkSizes refuses a batch that could not be stored. Errors: ErrTooLarge.
func checkSizes(batch []ContentBatch) error {
	for _, b := range batch {
		for _, content := range b.Contents {
			if len(content.Body) > ContentBytesMax-1-crcBytes {
				return fmt.Errorf("content %d/%d of %d bytes: %w", b.Namespace, content.Number, len(content.Body), ErrTooLarge)
			}
		}
		for _, symbol := range b.Symbols {
			if len(symbol.Text) > SymbolBytesMax {
				return fmt.Errorf("symbol %d/%d of %d bytes: %w", b.Namespace, symbol.Number, len(symbol.Text), ErrTooLarge)
			}
		}
	}
	return nil
}

func notThere(ns Ordinal, number uint64) error {
	return fmt.Errorf("content %d/%d: %w", ns, number, ErrNotFound)
}

func erasedError(ns Ordinal, number uint64, c cell) error {
	return &ErasedError{Namespace: ns, Number: number, TimeMillis: c.erasedMillis, Reason: c.erasedReason}
}
