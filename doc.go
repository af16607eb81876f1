// Package membrain is a memory engine for software agents: it strengthens with use, fades on a logical clock of
// interactions, reopens when recalled, and can always say where a memory came from, why it was returned, and what
// happened to it. It runs inside the host's process, on a directory of its own, with no model, key or network.
//
//	store, err := membrain.Open(ctx, dir, membrain.Options{})
//	got, err := store.Encode(ctx, membrain.EncodeRequest{Namespace: "team", Type: membrain.Fact, Text: "The staging database moved to Frankfurt."})
//	res, err := store.Recall(ctx, membrain.RecallRequest{Namespace: "team", Query: "where is staging hosted?", Limit: 5})
//
// The types to know: Store, the request and reply types (aliases of package model's), Error.
//
// Promises: when a call returns without an error its effect is on disk and every later call sees it. A call that
// fails leaves nothing, unless its error says that the outcome is unknown; then a retry with the same request id is
// answered, never repeated. One process holds a directory; the next gets an error that names it.
//
// Files in the directory: events.db, contents.db and blobs/ (the truth), state.db, index/ and checkpoints/ (made
// anew when missing or damaged), lock. Drawn in docs/formats.
package membrain
