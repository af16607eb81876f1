// Package mem holds memory that the garbage collector does not scan: rows of one size in chunks that never move, and
// files mapped for reading.
//
// Chunks is a growing table of rows, 65,536 to a chunk. On Linux a chunk is an anonymous mapping, aligned to 2 MiB and
// marked for huge pages when it is that large; elsewhere it is a slice of the Go heap without pointers. Rows are zero
// until written. Growing adds chunks and copies nothing, so addresses stay valid until Free.
//
// File is a file mapped for reading, where the system can do that, and read into memory elsewhere. Reading a mapped
// file can fault, because someone cut it or because the disk failed: File.Guard turns the fault into ErrFault.
//
// The package never locks memory, never writes to a file, and knows nothing of what the bytes mean.
package mem
