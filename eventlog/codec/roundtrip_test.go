package codec_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/membrain-db/membrain/eventlog/codec"
	"github.com/membrain-db/membrain/model"
)

// fill sets every field below v to a random value that is not zero, so that a field which the codec forgets comes
// back different. Lists get one to four entries.
func fill(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(4), 4))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
	default:
		fillPlain(r, v)
	}
}

func fillPlain(r *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(1 + r.Uint64N(math.MaxUint8))
	case reflect.Uint32:
		v.SetUint(1 + r.Uint64N(math.MaxUint32))
	case reflect.Uint64:
		v.SetUint(max(1, r.Uint64()>>r.IntN(64)))
	case reflect.Int64:
		v.SetInt(-1 - r.Int64N(math.MaxInt64)>>r.IntN(63))
	case reflect.Float64:
		v.SetFloat(r.NormFloat64() + 10)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d\x00\xff", r.Uint32()))
	default:
		panic("fill: what is a " + v.Type().String())
	}
}

// zeroAt names the first field below v that is zero, "" when there is none. A byte of an array may be zero.
func zeroAt(path string, v reflect.Value) string {
	if v.IsZero() {
		return path
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if at := zeroAt(path+"."+v.Type().Field(i).Name, v.Field(i)); at != "" {
				return at
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at := zeroAt(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); at != "" {
				return at
			}
		}
	case reflect.Pointer:
		return zeroAt(path, v.Elem())
	}
	return ""
}

func TestExamples_LeaveNoFieldAtZero(t *testing.T) {
	for _, example := range allExamples() {
		require.Empty(t, zeroAt(reflect.TypeOf(example).String(), reflect.ValueOf(example)))
	}
}

// The facts are found in model's source, so that a fact which nobody gave a stored name fails here.
func TestExamples_HoldEveryFactOfTheModel(t *testing.T) {
	have := map[string]bool{}
	for _, f := range exampleFacts() {
		have[reflect.TypeOf(f).Name()] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "../../model/facts.go", nil, 0)
	require.NoError(t, err)
	found := 0
	for _, decl := range file.Decls {
		if method, ok := decl.(*ast.FuncDecl); ok && method.Name.Name == "fact" {
			name := method.Recv.List[0].Type.(*ast.Ident).Name
			require.True(t, have[name], "no example of %s", name)
			found++
		}
	}
	require.Equal(t, len(have), found)
}

func TestFact_RoundTripKeepsEveryField(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		for name, example := range exampleFacts() {
			v := reflect.New(reflect.TypeOf(example)).Elem()
			fill(r, v)
			want := v.Interface().(model.Fact)
			encoded, err := codec.EncodeFact(want)
			require.NoError(t, err)
			got, err := codec.DecodeFact(encoded.Type, encoded.Schema, encoded.Body)
			require.NoError(t, err)
			require.Equal(t, want, got, "%s", name)
		}
	}
}

func TestFact_ZeroValuesRoundTrip(t *testing.T) {
	for name, example := range exampleFacts() {
		want := reflect.Zero(reflect.TypeOf(example)).Interface().(model.Fact)
		encoded, err := codec.EncodeFact(want)
		require.NoError(t, err)
		got, err := codec.DecodeFact(encoded.Type, encoded.Schema, encoded.Body)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s", name)
	}
}

func TestRows_RoundTripKeepsEveryField(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var m, gotMemory model.Memory
		fill(r, reflect.ValueOf(&m).Elem())
		memory, err := codec.DecodeMemory(codec.AppendMemory(nil, &m))
		require.NoError(t, err)
		gotMemory = *memory
		require.Equal(t, m, gotMemory)

		var b model.Brain
		fill(r, reflect.ValueOf(&b).Elem())
		brain, err := codec.DecodeBrain(codec.AppendBrain(nil, &b))
		require.NoError(t, err)
		require.Equal(t, b, *brain)

		var record model.Record
		fill(r, reflect.ValueOf(&record).Elem())
		gotRecord, err := codec.DecodeRecord(codec.EncodeRecord(record))
		require.NoError(t, err)
		require.Equal(t, record, gotRecord)
	}
}

func TestRows_ZeroValuesRoundTrip(t *testing.T) {
	memory, err := codec.DecodeMemory(codec.AppendMemory(nil, &model.Memory{}))
	require.NoError(t, err)
	require.Equal(t, model.Memory{}, *memory)
	brain, err := codec.DecodeBrain(codec.AppendBrain(nil, &model.Brain{}))
	require.NoError(t, err)
	require.Equal(t, model.Brain{}, *brain)
	record, err := codec.DecodeRecord(codec.EncodeRecord(model.Record{}))
	require.NoError(t, err)
	require.Equal(t, model.Record{}, record)
}

func TestRows_AppendKeepsWhatStandsBefore(t *testing.T) {
	m, b := exampleMemory(), exampleBrain()
	head := []byte("head")
	require.Equal(t, append([]byte("head"), codec.AppendMemory(nil, &m)...), codec.AppendMemory(head, &m))
	require.Equal(t, append([]byte("head"), codec.AppendBrain(nil, &b)...), codec.AppendBrain(head, &b))
	roomy := append(make([]byte, 0, 4096), "head"...)
	require.Equal(t, codec.AppendMemory(head, &m), codec.AppendMemory(roomy, &m))
}

// L1: not only equal but the same bits; -0 and NaN are where a double of protobuf or == would not tell.
func TestFact_FloatsKeepTheirBits(t *testing.T) {
	for _, f := range []float64{math.Copysign(0, -1), math.NaN(), math.Inf(-1), math.SmallestNonzeroFloat64, 0.1} {
		encoded, err := codec.EncodeFact(model.MemoryRecalled{Decayed: f})
		require.NoError(t, err)
		got, err := codec.DecodeFact(encoded.Type, encoded.Schema, encoded.Body)
		require.NoError(t, err)
		require.Equal(t, math.Float64bits(f), math.Float64bits(got.(model.MemoryRecalled).Decayed), "%v", f)
	}
}

// A list that grew past what fits on the stack is encoded like any other.
func TestMemory_LongListsRoundTrip(t *testing.T) {
	m := exampleMemory()
	for i := range model.TagsMax {
		m.Tags = append(m.Tags, model.Tag{Symbol: model.Symbol(1000 + i), Origin: model.OriginDerived})
		m.Entities = append(m.Entities, model.Ref{ID: id(byte(i)), Mention: model.Symbol(i)})
		m.Relations = append(m.Relations, model.Ref{Mention: model.Symbol(i), Status: model.RefAmbiguous})
		m.Cues = append(m.Cues, model.Cue{Name: model.CueArousal, Value: float64(i)})
		m.Lineage = append(m.Lineage, id(byte(i)))
	}
	got, err := codec.DecodeMemory(codec.AppendMemory(nil, &m))
	require.NoError(t, err)
	require.Equal(t, &m, got)
}

func TestMemoryRevised_TellsNoTagsFromUnchangedTags(t *testing.T) {
	for _, want := range []model.MemoryRevised{{}, {Tags: new([]model.Tag)}, {PolicyFlags: new(model.PolicyFlags)}} {
		encoded, err := codec.EncodeFact(want)
		require.NoError(t, err)
		got, err := codec.DecodeFact(encoded.Type, encoded.Schema, encoded.Body)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// L3 of DecodeRecord and the rows: what is read stays as it is when the input is written over.
func TestDecode_SharesNothingWithItsInput(t *testing.T) {
	m, record := exampleMemory(), exampleRecord()
	row, stored := codec.AppendMemory(nil, &m), codec.EncodeRecord(record)
	gotMemory, err := codec.DecodeMemory(row)
	require.NoError(t, err)
	gotRecord, err := codec.DecodeRecord(stored)
	require.NoError(t, err)
	clear(row)
	clear(stored)
	require.Equal(t, &m, gotMemory)
	require.Equal(t, record, gotRecord)
}
