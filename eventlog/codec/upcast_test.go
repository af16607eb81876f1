package codec_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// Two versions that were never released stand in for older ones. "memory.held.v1" schema 1 was 17 bytes: time, tick
// and class. "memory.pinned.v1" schema 0 was protobuf as today, but its tick stood in field 9.
var (
	held    = codec.Version{Type: "memory.held.v1", Schema: 1}
	pinned0 = codec.Version{Type: codec.TypeMemoryPinned, Schema: 0}
	pinned1 = codec.Version{Type: codec.TypeMemoryPinned, Schema: 1}
)

func olderVersions() []codec.Upcaster {
	return []codec.Upcaster{
		{From: held, To: pinned0, Body: heldToPinned0},
		{From: pinned0, To: pinned1, Body: pinned0To1},
	}
}

func heldToPinned0(old []byte) ([]byte, error) {
	if len(old) != 17 {
		return nil, fmt.Errorf("%d bytes, not 17", len(old))
	}
	b := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), binary.BigEndian.Uint64(old))
	b = protowire.AppendVarint(protowire.AppendTag(b, 9, protowire.VarintType), binary.BigEndian.Uint64(old[8:]))
	return protowire.AppendVarint(protowire.AppendTag(b, 3, protowire.VarintType), uint64(old[16])), nil
}

func pinned0To1(old []byte) (b []byte, err error) {
	for len(old) > 0 {
		number, wire, n := protowire.ConsumeField(old)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		if number == 9 {
			number = 2
		}
		_, _, tag := protowire.ConsumeTag(old)
		b = append(protowire.AppendTag(b, number, wire), old[tag:n]...)
		old = old[n:]
	}
	return b, nil
}

func heldBody() []byte {
	b := binary.BigEndian.AppendUint64(nil, exampleMillis)
	b = binary.BigEndian.AppendUint64(b, 71)
	return append(b, byte(model.RetainDurable))
}

func TestDecoder_MIG_2_UpcastsOlderVersionsInSteps(t *testing.T) {
	decoder, err := codec.NewDecoder(olderVersions())
	require.NoError(t, err)
	want := model.MemoryPinned{At: exampleMillis, Tick: 71, Was: model.RetainDurable}

	oldest := golden(t, "unreleased/memory.held.v1.schema1", "body of memory.held.v1 schema 1, a version that only this test knows", heldBody())
	got, err := decoder.Decode(held.Type, held.Schema, oldest)
	require.NoError(t, err)
	require.Equal(t, want, got)

	old, err := heldToPinned0(heldBody())
	require.NoError(t, err)
	old = golden(t, "unreleased/memory.pinned.v1.schema0", "body of memory.pinned.v1 schema 0, a version that only this test knows", old)
	got, err = decoder.Decode(pinned0.Type, pinned0.Schema, old)
	require.NoError(t, err)
	require.Equal(t, want, got)

	encoded, err := codec.EncodeFact(want)
	require.NoError(t, err)
	got, err = decoder.Decode(encoded.Type, encoded.Schema, encoded.Body)
	require.NoError(t, err, "the current schema reads as before")
	require.Equal(t, want, got)
}

func TestDecoder_MIG_2_RefusesWhatNoStepStartsFrom(t *testing.T) {
	decoder, err := codec.NewDecoder(olderVersions())
	require.NoError(t, err)
	_, err = decoder.Decode(held.Type, 2, heldBody())
	require.ErrorIs(t, err, codec.ErrUnsupported)
	_, err = codec.DecodeFact(held.Type, held.Schema, heldBody())
	require.ErrorIs(t, err, codec.ErrUnsupported, "the released table knows nothing of it")
}

func TestDecoder_NamesTheVersionOfAMalformedOlderBody(t *testing.T) {
	decoder, err := codec.NewDecoder(olderVersions())
	require.NoError(t, err)
	_, err = decoder.Decode(held.Type, held.Schema, []byte{1})
	require.ErrorIs(t, err, codec.ErrMalformed)
	require.ErrorContains(t, err, "upcast memory.held.v1 schema 1")
}

func TestNewDecoder_ReportsEveryFaultOfTheTable(t *testing.T) {
	step := func(from, to codec.Version) codec.Upcaster {
		return codec.Upcaster{From: from, To: to, Body: func(b []byte) ([]byte, error) { return nil, errors.New("unused") }}
	}
	a, b := codec.Version{Type: "a", Schema: 1}, codec.Version{Type: "b", Schema: 1}
	for name, c := range map[string]struct {
		table []codec.Upcaster
		want  []string
	}{
		"a current schema":     {[]codec.Upcaster{step(pinned1, pinned1)}, []string{"memory.pinned.v1 schema 1: is current"}},
		"two steps from one":   {[]codec.Upcaster{step(a, pinned1), step(a, pinned1)}, []string{"a schema 1: stands twice"}},
		"a circle":             {[]codec.Upcaster{step(a, b), step(b, a)}, []string{"a schema 1: leads to", "b schema 1: leads to"}},
		"a step into nothing":  {[]codec.Upcaster{step(a, b)}, []string{"a schema 1: leads to b schema 1, which is not current"}},
		"a step of no body":    {[]codec.Upcaster{{From: a, To: pinned1}}, []string{"a schema 1: no function"}},
		"faults of two kinds ": {[]codec.Upcaster{step(pinned1, pinned1), step(a, b)}, []string{"is current", "leads to b"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := codec.NewDecoder(c.table)
			require.ErrorIs(t, err, codec.ErrUpcasters)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}
