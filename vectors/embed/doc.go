// Package embed turns texts into vectors: with a table of word vectors inside the binary, or by asking a server.
//
// The types to know: [Embedder] is what the engine consumes; [StaticEN] is the built-in one, which needs no network
// and no model file; [OpenAI] speaks the /embeddings call that OpenAI, Ollama, vLLM, LM Studio and others answer.
//
// # StaticEN
//
// A vector has 512 dimensions: 100 of meaning (GloVe vectors of the words, times 0.8) and 412 of spelling (signed
// hashes of the stems), each part of length 1 before it is weighed, stored as int8 with the largest number at ±127.
// A word counts in a document by how rare English knows it (SIF, a = 0.001), and in a query by how rare the namespace
// knows it (the idf of its lexical index, handed in as [IDF]). So stored vectors never depend on a collection that grows.
// A text without any token (stop words, emoji, nothing at all) gets pseudo-random signs drawn from a hash of its bytes:
// it is near an identical text and about at right angles to all others.
//
// Sources: Pennington et al., "GloVe", EMNLP 2014; Arora et al., "A Simple but Tough-to-Beat Baseline for Sentence
// Embeddings" (SIF), ICLR 2017; Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009.
// English only; other languages live on the spelling part.
//
// Measured on LoCoMo (five dialogues, 760 questions, vectors alone): recall@10 is 50.4 % without idf and 61.0 % with it,
// at 12 microseconds for a turn. WordNet's irregular forms (went, go) ahead of the stemmer give 61.3 % alone and nothing
// beside BM25 (65.4 % against 65.6 %, 7 questions better and 7 worse), so they were left out.
//
// # Promises
//
// An [Embedder.ID] names everything that a vector depends on. Vectors of two ids must never be compared, also when
// their dimensions agree. StaticEN gives the same bytes on every machine for one id: it adds integers in text order
// and rounds once; testdata/golden.txt pins it. What an embedder of this package returns passes Validate. The API key of OpenAI is
// in no error and no log, and nor is any text.
//
// The package never logs, never stores, never retries without a bound, and never mixes embedders.
//
// # The table
//
// table/static-en-1.bin, made by internal/embedtable; all numbers little-endian:
//
//	8 B magic "mbstat01" | 4 B words n | 4 B dimensions d | 4 B bytes of the word block w
//	w B words, joined by newlines, most frequent first
//	n x 2 B scale of the row, as a share of the largest scale (65,535)
//	n x d x 1 B int8 numbers of the row; a number's value is number x scale
//
// n = 60,000 and d = 100: 6.6 MB. Its sha256 stands beside it and gives the id; licences are in table/NOTICE.
package embed

//go:generate go run ../../internal/embedtable -out table
