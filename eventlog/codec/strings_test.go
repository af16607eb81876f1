package codec_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/membrain-db/membrain/eventlog/eventpb"
)

// idsAndDigests are the only bytes fields of facts and rows. Lengths of 16, or a multiple of it, are enforced at
// decode (TestDecodeFact_RefusesMalformedBodies).
var idsAndDigests = []string{
	"ContentRevisedPart.content_digest",
	"ContentRevisedPart.payload_digest",
	"MemoryState.belief_chain",
	"MemoryState.compressed_to",
	"MemoryState.conflict_ids",
	"MemoryState.content_digest",
	"MemoryState.distilled_from",
	"MemoryState.duplicate_of",
	"MemoryState.endpoints",
	"MemoryState.engram",
	"MemoryState.entity_ids",
	"MemoryState.era",
	"MemoryState.id",
	"MemoryState.lineage",
	"MemoryState.outcome_family",
	"MemoryState.payload_digest",
	"MemoryState.relation_ids",
	"MemoryState.superseded_by",
	"RecallReceiptPart.memories",
	"RequestAcceptedFact.body_digest",
	"RequestAcceptedFact.memories",
	"RequestRefusedFact.memory",
}

// storedFields calls visit for every field of every message of facts.proto and state.proto.
func storedFields(visit func(name string, field protoreflect.FieldDescriptor)) {
	for _, file := range []protoreflect.FileDescriptor{eventpb.File_eventlog_eventpb_facts_proto, eventpb.File_eventlog_eventpb_state_proto} {
		for i := range file.Messages().Len() {
			message := file.Messages().Get(i)
			for j := range message.Fields().Len() {
				field := message.Fields().Get(j)
				visit(string(message.Name())+"."+string(field.Name()), field)
			}
		}
	}
}

// L4: there is no field in which a string of a caller could stand.
func TestFactsAndRows_HaveNoFieldForAString(t *testing.T) {
	var bytesFields []string
	storedFields(func(name string, field protoreflect.FieldDescriptor) {
		require.NotEqual(t, protoreflect.StringKind, field.Kind(), name)
		if field.Kind() == protoreflect.BytesKind {
			bytesFields = append(bytesFields, name)
		}
	})
	slices.Sort(bytesFields)
	require.Equal(t, idsAndDigests, bytesFields)
}

// L2: no map, whose order is random; L1: no double or float, which would lose a -0.
func TestFactsAndRows_HaveNoFieldThatIsNotExact(t *testing.T) {
	fields := 0
	storedFields(func(name string, field protoreflect.FieldDescriptor) {
		require.False(t, field.IsMap(), name)
		require.NotEqual(t, protoreflect.DoubleKind, field.Kind(), name)
		require.NotEqual(t, protoreflect.FloatKind, field.Kind(), name)
		fields++
	})
	require.Greater(t, fields, 100)
}
