package codec_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

func TestEncodeFact_RefusesWhatHasNoStoredName(t *testing.T) {
	for _, f := range []model.Fact{nil, &model.MemoryPinned{}} {
		_, err := codec.EncodeFact(f)
		require.ErrorIs(t, err, codec.ErrUnknownFact)
	}
}

func TestDecodeFact_MIG_2_RefusesNewerSchemaWithHint(t *testing.T) {
	for name, f := range exampleFacts() {
		encoded, err := codec.EncodeFact(f)
		require.NoError(t, err)
		_, err = codec.DecodeFact(encoded.Type, encoded.Schema+1, encoded.Body)
		require.ErrorIs(t, err, codec.ErrUnsupported, name)
		require.ErrorContains(t, err, encoded.Type+" schema 2, this build reads up to schema 1")
		require.ErrorContains(t, err, "upgrade")
	}
	_, err := codec.DecodeFact("memory.dreamt.v1", 3, nil)
	require.ErrorIs(t, err, codec.ErrUnsupported)
	require.ErrorContains(t, err, `unknown type "memory.dreamt.v1" (schema 3)`)
	_, err = codec.DecodeFact(codec.TypeMemoryPinned, 0, nil)
	require.ErrorIs(t, err, codec.ErrMalformed, "a schema from before the first is damage, and no reason to upgrade")
}

func TestRows_MIG_2_RefuseNewerVersionWithHint(t *testing.T) {
	m, b := exampleMemory(), exampleBrain()
	memory, brain := codec.AppendMemory(nil, &m), codec.AppendBrain(nil, &b)
	record, payload := codec.EncodeRecord(exampleRecord()), codec.EncodePayload(digest(1), nil)
	for what, newer := range map[string]func() error{
		"state row of a memory": func() error { memory[0]++; _, err := codec.DecodeMemory(memory); return err },
		"state row of a brain":  func() error { brain[0]++; _, err := codec.DecodeBrain(brain); return err },
		"content record":        func() error { record[0]++; _, err := codec.DecodeRecord(record); return err },
		"payload record":        func() error { payload[0]++; _, _, err := codec.DecodePayload(payload); return err },
	} {
		err := newer()
		require.ErrorIs(t, err, codec.ErrUnsupported, what)
		require.ErrorContains(t, err, what+" version 2, this build reads 1")
		require.ErrorContains(t, err, "upgrade")
	}
}

// A cut body may still be a body (fields at its end are absent), but it is never a panic and never an error of
// another kind.
func TestDecode_CutAndFlippedBytesGiveNamedErrors(t *testing.T) {
	damage := func(stored []byte, decode func([]byte) error) {
		for i := range stored {
			requireNamed(t, decode(stored[:i]))
			for bit := range 8 {
				flipped := append([]byte(nil), stored...)
				flipped[i] ^= 1 << bit
				requireNamed(t, decode(flipped))
			}
		}
	}
	for _, f := range exampleFacts() {
		encoded, err := codec.EncodeFact(f)
		require.NoError(t, err)
		damage(encoded.Body, func(b []byte) error {
			_, err := codec.DecodeFact(encoded.Type, encoded.Schema, b)
			return err
		})
	}
	m, b := exampleMemory(), exampleBrain()
	damage(codec.AppendMemory(nil, &m), func(b []byte) error { _, err := codec.DecodeMemory(b); return err })
	damage(codec.AppendBrain(nil, &b), func(b []byte) error { _, err := codec.DecodeBrain(b); return err })
	damage(codec.EncodeRecord(exampleRecord()), func(b []byte) error { _, err := codec.DecodeRecord(b); return err })
	damage(codec.EncodePayload(digest(1), []byte("p")), func(b []byte) error { _, _, err := codec.DecodePayload(b); return err })
}

func requireNamed(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, codec.ErrMalformed) && !errors.Is(err, codec.ErrUnsupported) {
		t.Fatalf("error of no named kind: %v", err)
	}
}

func TestDecodeRecord_RefusesEveryCut(t *testing.T) {
	stored := codec.EncodeRecord(exampleRecord())
	for i := range stored {
		_, err := codec.DecodeRecord(stored[:i])
		require.ErrorIs(t, err, codec.ErrMalformed, "first %d bytes", i)
	}
	_, err := codec.DecodeRecord(append(stored, 0))
	require.ErrorIs(t, err, codec.ErrMalformed)
}

func TestDecodeFact_RefusesMalformedBodies(t *testing.T) {
	const (
		varint = 0
		packed = 2
	)
	field := func(number, wire byte, rest ...byte) []byte {
		tag := int(number)<<3 | int(wire)
		if tag < 0x80 {
			return append([]byte{byte(tag)}, rest...)
		}
		return append([]byte{byte(tag) | 0x80, byte(tag >> 7)}, rest...)
	}
	for name, c := range map[string]struct {
		typ  string
		body []byte
		want string
	}{
		"enum over 255":            {codec.TypeMemoryPinned, field(3, varint, 0x80, 0x02), "was is 256, over 255"},
		"id of 3 bytes":            {codec.TypeMemoryEncoded, field(1, packed, 3, 1, 2, 3), "id has 3 bytes, not 16"},
		"ids of 17 bytes":          {codec.TypeMemoryEncoded, field(28, packed, append([]byte{17}, make([]byte, 17)...)...), "not a multiple of 16"},
		"tags without origins":     {codec.TypeMemoryEncoded, field(58, packed, 1, 5), "tags: columns of 1 and 0 entries"},
		"entities without ids":     {codec.TypeMemoryEncoded, field(61, packed, 1, 5), "entities: columns of 16 and 0 entries"},
		"cues without values":      {codec.TypeMemoryEncoded, field(40, packed, 1, 5), "cues: columns"},
		"revised tags not set":     {codec.TypeMemoryRevised, append(field(9, packed, 1, 5), field(10, packed, 1, 1)...), "tags that are not set"},
		"no parameters":            {codec.TypeParamsChanged, nil, "a part of the parameters is missing"},
		"no embedder":              {codec.TypeEmbedderChanged, nil, "the embedder is missing"},
		"form over 255":            {codec.TypeEmbedderChanged, field(1, packed, 3, 0x18, 0x80, 0x02), "form is 256, over 255"},
		"parts of no item":         {codec.TypeRequestAccepted, field(7, packed, 3, 0x3a, 1, 1), "parts of no item"},
		"items without memories":   {codec.TypeRequestAccepted, field(7, packed, 3, 0x12, 1, 1), "memories: columns of 16 and 0 entries"},
		"omitted without counts":   {codec.TypeRequestAccepted, field(7, packed, 3, 0x4a, 1, 1), "omitted: columns of 1 and 0 entries"},
		"wrong wire type":          {codec.TypeMemoryPinned, field(1, packed, 0), "wrong wireType"},
		"group that never started": {codec.TypeMemoryPinned, field(1, 4), "end group"},
		"body that ends early":     {codec.TypeMemoryRecalled, field(5, 1, 1, 2, 3), "unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := codec.DecodeFact(c.typ, 1, c.body)
			require.ErrorIs(t, err, codec.ErrMalformed)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, c.typ)
		})
	}
}

func TestDecodeRecord_RefusesASecondFormOfALength(t *testing.T) {
	stored := codec.EncodeRecord(model.Record{})
	head := stored[:len(stored)-3] // three lengths of 0
	_, err := codec.DecodeRecord(append(append([]byte(nil), head...), 0x80, 0x00, 0, 0))
	require.ErrorIs(t, err, codec.ErrMalformed)
	_, err = codec.DecodeRecord(append(append([]byte(nil), head...), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0))
	require.ErrorIs(t, err, codec.ErrMalformed)
	_, err = codec.DecodeRecord(append(append([]byte(nil), head...), 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f))
	require.ErrorIs(t, err, codec.ErrMalformed, "a count of embeddings that cannot be there")
}
