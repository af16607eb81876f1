// Package eventpb is the protobuf of everything that the event log stores, kept for ever.
//
// StoredCommit (commit.proto) is the envelope of one atomic append and belongs to eventlog. The bodies of the
// facts and the rows of the state table belong to eventlog/codec.
//
// Fields are added, never renumbered, reused or given another meaning. Protobuf maps are not used: their order is
// not deterministic. Bytes on disk are hashed as they stand, never as a re-encoding. The Go files come from
// "make proto" (internal/protogen) and are committed; MarshalVT, UnmarshalVT and SizeVT are the fast forms.
package eventpb
