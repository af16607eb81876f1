package text

import (
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/clipperhouse/uax29/v2/words"
)

// stemsMax bounds the cache of an Analyser: about 4 MB. A full cache starts again from nothing.
const stemsMax = 1 << 15

// Analyser cuts texts into tokens. It remembers the stems of words that it has seen, which makes a
// document three to five times cheaper; the cache never changes a result. Not safe for concurrent
// use. Make one with [NewAnalyser].
type Analyser struct {
	words *words.Iterator[string]
	env   *snowballstem.Env
	stems map[string]stemmed
	ends  []int // scratch: cluster ends of the present run
}

// stemmed keeps its own copy of both words, so that a cached stem pins no document.
type stemmed struct{ surface, stem string }

// NewAnalyser returns an Analyser with an empty cache.
func NewAnalyser() *Analyser {
	return &Analyser{
		words: words.FromString(""),
		env:   snowballstem.NewEnv(""),
		stems: make(map[string]stemmed),
	}
}

// Document appends the tokens of a stored text to dst, in text order. A run of an unspaced script
// gives its bigrams and, marked as Part, its single clusters.
func (a *Analyser) Document(dst []Token, s string) []Token { return a.analyse(dst, s, true) }

// Query appends the tokens of a search text to dst, in text order, repeats included. A run of an
// unspaced script gives its bigrams, or its only cluster.
func (a *Analyser) Query(dst []Token, s string) []Token { return a.analyse(dst, s, false) }

// Forget empties the cache. A purge calls it, so that no erased word stays reachable.
func (a *Analyser) Forget() {
	clear(a.stems)
	a.words.SetText("")
	a.env.SetCurrent("")
}

// Cached returns how many words the cache holds.
func (a *Analyser) Cached() int { return len(a.stems) }

// analyse walks the words of UAX #29 and cuts them further, so that foo_bar, 3.5 and a.b split
// alike everywhere. A spaced word ends with its UAX #29 word; an unspaced run goes on, because
// there each character is a word of its own.
func (a *Analyser) analyse(dst []Token, s string, parts bool) []Token {
	s = Fold(s)
	kind, start, end := classBreak, 0, 0 // the piece being read is s[start:end]
	flush := func() {
		switch kind {
		case classWord:
			dst = a.appendWord(dst, s[start:end])
		case classUnspaced:
			dst = a.appendRun(dst, s[start:end], parts)
		}
		kind = classBreak
	}
	a.words.SetText(s)
	for a.words.Next() {
		if kind == classWord {
			flush()
		}
		at := a.words.Start()
		for i, r := range a.words.Value() {
			c := classOf(r)
			switch {
			case c == classMark, c == classApostrophe && kind == classWord:
				// goes on with whatever piece is open; in none it is dropped
			case c == classWord || c == classUnspaced:
				if c != kind {
					flush()
					kind, start = c, at+i
				}
			default:
				flush()
			}
			end = at + i + utf8.RuneLen(r)
		}
	}
	flush()
	a.words.SetText("")
	return dst
}

// appendWord trims, drops stop words and stems.
func (a *Analyser) appendWord(dst []Token, w string) []Token {
	w = cut(strings.TrimRight(w, "'"))
	if isStop(w) {
		return dst
	}
	w = strings.TrimRight(strings.TrimSuffix(w, "'s"), "'")
	if w == "" || isStop(w) {
		return dst
	}
	if !isASCII(w) {
		return append(dst, Token{Surface: w, Stem: w})
	}
	known, ok := a.stems[w]
	if !ok {
		known = a.stem(w)
	}
	return append(dst, Token{Surface: known.surface, Stem: known.stem})
}

func (a *Analyser) stem(w string) stemmed {
	if len(a.stems) >= stemsMax {
		clear(a.stems)
	}
	w = strings.Clone(w)
	a.env.SetCurrent(w)
	english.Stem(a.env)
	known := stemmed{surface: w, stem: a.env.Current()}
	a.stems[w] = known
	return known
}

// appendRun cuts an unspaced run into clusters of a base and its marks, and emits them in pairs.
func (a *Analyser) appendRun(dst []Token, run string, parts bool) []Token {
	a.ends = a.ends[:0]
	for i, r := range run {
		if i > 0 && classOf(r) != classMark {
			a.ends = append(a.ends, i)
		}
	}
	a.ends = append(a.ends, len(run))
	if len(a.ends) == 1 {
		one := cut(run)
		return append(dst, Token{Surface: one, Stem: one})
	}
	start := 0
	for i, end := range a.ends {
		if i+1 < len(a.ends) {
			pair := cut(run[start:a.ends[i+1]])
			dst = append(dst, Token{Surface: pair, Stem: pair, Bigram: true})
		}
		if parts {
			one := cut(run[start:end])
			dst = append(dst, Token{Surface: one, Stem: one, Part: true})
		}
		start = end
	}
	return dst
}

// cut bounds a token at a character boundary.
func cut(w string) string {
	if len(w) <= tokenBytesMax {
		return w
	}
	end := tokenBytesMax
	for !utf8.RuneStart(w[end]) {
		end--
	}
	return w[:end]
}
