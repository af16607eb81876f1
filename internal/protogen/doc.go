// Command protogen turns the repository's .proto files into Go without protoc or buf.
//
// protocompile parses and links the files; the plugins protoc-gen-go and protoc-gen-go-vtproto, both pinned
// as tools in go.mod, are run through "go tool" and receive the same request that protoc would send. Generated
// code is committed, so a build needs none of this.
//
//	go run ./internal/protogen                      every .proto of eventlog/eventpb
//	go run ./internal/protogen actors/remote/actorpb   another folder, relative to the module root
//
// Run it from the module root (make proto does). Files of one run may import each other by their path from the
// root, such as "eventlog/eventpb/commit.proto". It never deletes a file: remove the .pb.go of a removed .proto by hand.
package main
