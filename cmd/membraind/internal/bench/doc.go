// Package bench measures the real store, through package membrain where it can be seen from there, and says what
// each figure is to be compared with.
//
// The types to know: [Options] says where and how long, [Report] is what one benchmark found, [Row] is one figure.
// [Run] runs a benchmark of [Names].
//
//	locomo      retrieval on dialogues: recall@5/10/20, hit@10, MRR; every ranking feature switched off in turn
//	cranfield   retrieval on plain documents: nDCG@10, recall@10
//	log         durable commits against a transaction per commit and, with the build tag sqlite, SQLite; warm scans
//	actors      reinforced recalls, bytes written, activation, heap of an idle memory, overlapping callers
//	recall      encode and recall by size of the store, open and rebuild
//	vectors     the vector index on generated clusters: recall, speed, size, filters, churn, readers beside a writer, cold shard
//
// It promises: the names of metrics are stable; a baseline is measured in the same run, its rounds interleaved with
// those of what it is compared with; generated texts come from a seed; a store lives in a folder of its own below
// Options.Dir and is removed when the benchmark ends.
//
// It never touches a data directory of the user, and ships no data: the sets of locomo and cranfield are found
// through MEMBRAIN_DATASETS.
package bench
