package state

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/membrain-db/membrain/eventlog"
)

// Identity says which store, and which way of folding, a table belongs to.
type Identity struct {
	StoreID [16]byte
	Epoch   uint64
	Format  uint32 // grows whenever equal facts would give other rows
}

// header is the one value of the meta bucket.
type header struct {
	Identity
	applied  eventlog.Head
	rows     uint64
	requests uint64
}

const (
	magic       = "mbrnstat"
	headerBytes = 8 + 4 + 16 + 8 + 8 + 32 + 8 + 8
	crcBytes    = 4
)

func checksum(parts ...[]byte) (sum uint32) {
	table := crc32.MakeTable(crc32.Castagnoli) // kept by the standard library
	for _, part := range parts {
		sum = crc32.Update(sum, table, part)
	}
	return sum
}

// seal appends the checksum of key and value to value.
func seal(key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value, checksum(key, value))
}

// unseal returns value without its checksum, which it verifies.
func unseal(key, sealed []byte) ([]byte, error) {
	if len(sealed) < crcBytes {
		return nil, fmt.Errorf("value of %d bytes under %x", len(sealed), key)
	}
	value := sealed[:len(sealed)-crcBytes]
	want, got := checksum(key, value), binary.BigEndian.Uint32(sealed[len(value):])
	if want != got {
		return nil, fmt.Errorf("checksum %08x under %x, want %08x", got, key, want)
	}
	return value, nil
}

func (h header) append(b []byte) []byte {
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint32(b, h.Format)
	b = append(b, h.StoreID[:]...)
	b = binary.BigEndian.AppendUint64(b, h.Epoch)
	b = binary.BigEndian.AppendUint64(b, uint64(h.applied.Seq))
	b = append(b, h.applied.Hash[:]...)
	b = binary.BigEndian.AppendUint64(b, h.rows)
	return binary.BigEndian.AppendUint64(b, h.requests)
}

func parseHeader(b []byte) (header, error) {
	if len(b) != headerBytes || string(b[:8]) != magic {
		return header{}, fmt.Errorf("header of %d bytes is none of a state table", len(b))
	}
	return header{
		Identity: Identity{
			Format:  binary.BigEndian.Uint32(b[8:]),
			StoreID: [16]byte(b[12:28]),
			Epoch:   binary.BigEndian.Uint64(b[28:]),
		},
		applied:  eventlog.Head{Seq: eventlog.Seq(binary.BigEndian.Uint64(b[36:])), Hash: [32]byte(b[44:76])},
		rows:     binary.BigEndian.Uint64(b[76:]),
		requests: binary.BigEndian.Uint64(b[84:]),
	}, nil
}
