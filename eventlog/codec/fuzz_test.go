package codec_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/membrain-db/membrain/eventlog/codec"
)

// The three fuzzers state L3, and L1 and L2 of whatever decodes: its encoding decodes to the same encoding.

func FuzzDecodeFact(f *testing.F) {
	for _, example := range exampleFacts() {
		encoded, err := codec.EncodeFact(example)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded.Type, encoded.Schema, encoded.Body)
	}
	f.Fuzz(func(t *testing.T, typ string, schema uint32, body []byte) {
		got, err := codec.DecodeFact(typ, schema, body)
		if err != nil {
			checkNamed(t, err)
			return
		}
		first, err := codec.EncodeFact(got)
		if err != nil || first.Type != typ || first.Schema != schema {
			t.Fatalf("EncodeFact of a decoded fact = %s schema %d, %v; want %s schema %d", first.Type, first.Schema, err, typ, schema)
		}
		again, err := codec.DecodeFact(first.Type, first.Schema, first.Body)
		if err != nil {
			t.Fatalf("own encoding does not decode: %v", err)
		}
		second, err := codec.EncodeFact(again)
		if err != nil || !bytes.Equal(first.Body, second.Body) {
			t.Fatalf("encoding changed from %x to %x, %v", first.Body, second.Body, err)
		}
	})
}

func FuzzDecodeMemory(f *testing.F) {
	m := exampleMemory()
	f.Add(codec.AppendMemory(nil, &m))
	f.Fuzz(func(t *testing.T, row []byte) {
		got, err := codec.DecodeMemory(row)
		if err != nil {
			checkNamed(t, err)
			return
		}
		first := codec.AppendMemory(nil, got)
		again, err := codec.DecodeMemory(first)
		if err != nil {
			t.Fatalf("own encoding does not decode: %v", err)
		}
		if second := codec.AppendMemory(nil, again); !bytes.Equal(first, second) {
			t.Fatalf("encoding changed from %x to %x", first, second)
		}
	})
}

// A content record has one form only, so its encoding is the very input.
func FuzzDecodeRecord(f *testing.F) {
	f.Add(codec.EncodeRecord(exampleRecord()))
	f.Fuzz(func(t *testing.T, stored []byte) {
		got, err := codec.DecodeRecord(stored)
		if err != nil {
			checkNamed(t, err)
			return
		}
		if again := codec.EncodeRecord(got); !bytes.Equal(stored, again) {
			t.Fatalf("EncodeRecord(DecodeRecord(%x)) = %x", stored, again)
		}
	})
}

func checkNamed(t *testing.T, err error) {
	if !errors.Is(err, codec.ErrMalformed) && !errors.Is(err, codec.ErrUnsupported) {
		t.Fatalf("error of no named kind: %v", err)
	}
}
