// Package text turns written language into the tokens that the lexical index and the built-in
// embedder share, and into the fingerprint that groups duplicates.
//
// The types to know: [Analyser] cuts a text into [Token] values; [Fold] is the spelling that all
// tokens have; [Fingerprint] is the 64-bit hint of a duplicate family.
//
//	"Café Müller’s tests"  ->  cafe/cafe  muller/muller  tests/test      (surface/stem)
//	"東京タワー"            ->  東京 京タ タワ ワー, and in documents also 東 京 タ ワ ー
//
// It promises: the same input gives the same output on every machine and in every run, for one
// [AnalyserVersion]; a query finds what a document holds in the same words, whatever their case,
// accents or width; no input is syntax. testdata/analyser.golden pins it: a change there needs a
// new AnalyserVersion, and whoever stores tokens rebuilds.
//
// It never reads a clock, a file or the network, holds no state beyond an Analyser's own cache,
// and drops rather than guesses: emoji and punctuation give no tokens.
package text
