package codec

import (
	"fmt"

	"github.com/membrain-db/membrain/model"
)

type fact = model.Fact

// Encoded is a fact as the log stores it.
type Encoded struct {
	Type   string // stored name, one of the Type constants
	Schema uint32 // schema version of Body, from 1
	Body   []byte // owned by the receiver
}

// EncodeFact returns the stored form of f, in the current schema of its type. f is a value, not a pointer.
// Errors: ErrUnknownFact.
func EncodeFact(f model.Fact) (Encoded, error) {
	switch f := f.(type) {
	case model.MemoryEncoded:
		return Encoded{TypeMemoryEncoded, 1, appendMemoryState(nil, &f.Memory)}, nil
	case model.MemoryRecalled:
		return Encoded{TypeMemoryRecalled, 1, encodeMemoryRecalled(&f)}, nil
	case model.MemoryRevised:
		return Encoded{TypeMemoryRevised, 1, encodeMemoryRevised(&f)}, nil
	case model.MemoryPinned:
		return Encoded{TypeMemoryPinned, 1, encodeMemoryPinned(f)}, nil
	case model.MemoryUnpinned:
		return Encoded{TypeMemoryUnpinned, 1, encodeMemoryUnpinned(f)}, nil
	case model.LabileWindowClosed:
		return Encoded{TypeLabileWindowClosed, 1, encodeLabileWindowClosed(f)}, nil
	case model.MemoryArchived:
		return Encoded{TypeMemoryArchived, 1, encodeMemoryArchived(f)}, nil
	case model.MemoryRestored:
		return Encoded{TypeMemoryRestored, 1, encodeMemoryRestored(f)}, nil
	case model.NamespaceCreated:
		return Encoded{TypeNamespaceCreated, 1, encodeNamespaceCreated(&f)}, nil
	case model.ParamsChanged:
		return Encoded{TypeParamsChanged, 1, encodeParamsChanged(&f)}, nil
	case model.EmbedderChanged:
		return Encoded{TypeEmbedderChanged, 1, encodeEmbedderChanged(f)}, nil
	case model.ImportStarted:
		return Encoded{TypeImportStarted, 1, encodeImportStarted(f)}, nil
	case model.ImportAborted:
		return Encoded{TypeImportAborted, 1, encodeImportAborted(f)}, nil
	case model.RequestAccepted:
		return Encoded{TypeRequestAccepted, 1, encodeRequestAccepted(&f)}, nil
	case model.RequestRefused:
		return Encoded{TypeRequestRefused, 1, encodeRequestRefused(&f)}, nil
	}
	return Encoded{}, fmt.Errorf("encode %T: %w", f, ErrUnknownFact)
}

// sound takes what MarshalVT returns. It fails only for foreign or required fields, and our messages have neither.
func sound(body []byte, err error) []byte {
	if err != nil {
		panic(fmt.Sprintf("codec: marshal of an own message: %v", err))
	}
	return body
}

// extend lengthens dst by size bytes and returns the whole and the new tail.
func extend(dst []byte, size int) (whole, tail []byte) {
	n := len(dst)
	if cap(dst)-n < size {
		grown := make([]byte, n, n+size)
		copy(grown, dst)
		dst = grown
	}
	dst = dst[:n+size]
	return dst, dst[n:]
}
