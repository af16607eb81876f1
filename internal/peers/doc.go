// Command peers measures the vector index beside hnswlib and usearch on the same vectors. README.md has the commands.
//
//	data    writes vectors: generated clusters and GloVe, as NAME.base.fvecs and NAME.query.fvecs
//	build   builds and saves ours; peers.py builds theirs
//	run     asks all of them in turns and writes docs/figures/vectors.json, which internal/peers/plot draws
//
// The peers come from PyPI into a folder of the user's. They are no part of the product, and no test needs them.
package main
