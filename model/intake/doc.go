// Package intake reads files of memories that came from elsewhere into rows that a store can encode.
//
// The types to know: [Batch] is what a file holds, [Row] is one memory of it, [Faults] is everything that is
// wrong with a file, told at once. [LocomoQuestions] reads the questions of a LoCoMo file for benchmarks.
//
//	jsonl    one model.EncodeRequest per line: {"text": "...", "memory_type": "fact", "namespace": "team"}
//	locomo   the LoCoMo dialogues: [{"sample_id": "conv-1", "conversation": {"session_1_date_time": ..., "session_1": [...]}}]
//
// It promises: a file is read whole or refused whole; every row has passed model.Normalise; a refusal names
// lines or paths, fields and what is allowed, and never repeats a byte of the file, so that pointing an import
// at a wrong file tells nobody what stands in it.
//
// It never opens a file, reads a clock, or writes: it is pure over an io.Reader.
package intake
