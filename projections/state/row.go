package state

import (
	"encoding/binary"
	"fmt"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// Row is the fold of one stream. It is immutable once it is in a table; readers share it.
type Row struct {
	Head   eventlog.Seq  // commit of the last fact folded in; 0 when not even the first could be
	Memory *model.Memory // of a memory's stream
	Brain  *model.Brain  // of a namespace's stream
	Fault  *Fault        // set when the stream is quarantined: what stands beside it is the last good fold
}

// Fault says why a stream is quarantined.
type Fault struct {
	Seq    eventlog.Seq // commit whose fact could not be folded
	Reason string       // at most ReasonBytesMax, never text of a caller
}

// ReasonBytesMax bounds the reason of a fault.
const ReasonBytesMax = 200

const (
	whatNothing = 0
	whatMemory  = 1
	whatBrain   = 2

	keyBytes        = 4 + 1 + 16
	requestKeyBytes = 4 + 16
)

// AppendKey appends the key of a stream; keys sort by namespace, family and id.
func AppendKey(dst []byte, s eventlog.Stream) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.Namespace))
	dst = append(dst, byte(s.Family))
	return append(dst, s.ID[:]...)
}

// ParseKey reads what AppendKey wrote.
func ParseKey(key []byte) (eventlog.Stream, error) {
	if len(key) != keyBytes {
		return eventlog.Stream{}, fmt.Errorf("key of %d bytes, want %d", len(key), keyBytes)
	}
	return eventlog.Stream{
		Namespace: eventlog.Ordinal(binary.BigEndian.Uint32(key)),
		Family:    eventlog.Family(key[4]),
		ID:        [16]byte(key[5:]),
	}, nil
}

// Append appends the bytes of a row, the same for equal folds (T4).
func (r *Row) Append(dst []byte) []byte {
	what := byte(whatNothing)
	switch {
	case r.Memory != nil:
		what = whatMemory
	case r.Brain != nil:
		what = whatBrain
	}
	fault := byte(0)
	if r.Fault != nil {
		fault = 1
	}
	dst = append(dst, what, fault)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Head))
	if r.Fault != nil {
		reason := r.Fault.Reason[:min(len(r.Fault.Reason), ReasonBytesMax)]
		dst = binary.BigEndian.AppendUint64(dst, uint64(r.Fault.Seq))
		dst = append(dst, byte(len(reason)))
		dst = append(dst, reason...)
	}
	switch what {
	case whatMemory:
		dst = codec.AppendMemory(dst, r.Memory)
	case whatBrain:
		dst = codec.AppendBrain(dst, r.Brain)
	}
	return dst
}

// ParseRow reads what Append wrote. The row shares no memory with b.
func ParseRow(b []byte) (*Row, error) {
	if len(b) < 10 || b[0] > whatBrain || b[1] > 1 {
		return nil, fmt.Errorf("row of %d bytes has no valid frame", len(b))
	}
	what := b[0]
	row := &Row{Head: eventlog.Seq(binary.BigEndian.Uint64(b[2:]))}
	rest := b[10:]
	if b[1] == 1 {
		if len(rest) < 9 || len(rest) < 9+int(rest[8]) {
			return nil, fmt.Errorf("row of %d bytes ends within its fault", len(b))
		}
		n := int(rest[8])
		row.Fault = &Fault{Seq: eventlog.Seq(binary.BigEndian.Uint64(rest)), Reason: string(rest[9 : 9+n])}
		rest = rest[9+n:]
	}
	err := row.parseFold(what, rest)
	return row, err
}

func (r *Row) parseFold(what byte, b []byte) (err error) {
	switch what {
	case whatMemory:
		r.Memory, err = codec.DecodeMemory(b)
	case whatBrain:
		r.Brain, err = codec.DecodeBrain(b)
	default:
		if len(b) != 0 {
			err = fmt.Errorf("%d bytes of a fold that is not there", len(b))
		}
	}
	return err
}

func appendRequestKey(dst []byte, k requestKey) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(k.namespace))
	return append(dst, k.digest[:]...)
}

func parseRequestKey(key []byte) (requestKey, error) {
	if len(key) != requestKeyBytes {
		return requestKey{}, fmt.Errorf("request key of %d bytes, want %d", len(key), requestKeyBytes)
	}
	return requestKey{eventlog.Ordinal(binary.BigEndian.Uint32(key)), [16]byte(key[4:])}, nil
}
