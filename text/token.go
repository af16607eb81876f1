package text

// AnalyserVersion names the rules of [Fold] and [Analyser]. Whoever stores tokens, or vectors made
// of them, stores it beside them and rebuilds when it differs.
const AnalyserVersion = "tok2"

// tokenBytesMax cuts longer words (encoded blobs) at a character boundary. SHA-512 in hex still fits.
const tokenBytesMax = 128

// Token is one unit of matching, for example {Surface: "running", Stem: "run"}.
// Surface and Stem may share memory with the folded text: clone what outlives it.
type Token struct {
	Surface string // folded, at most 128 bytes, never a stop word, begins with a letter or digit
	Stem    string // Porter2 of an ASCII Surface, else Surface
	Bigram  bool   // two neighbouring clusters of an unspaced run such as 東京
	Part    bool   // single cluster of a longer run, in documents only: matches, but adds no length
}
