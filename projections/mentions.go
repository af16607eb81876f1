package projections

import (
	"slices"
	"strings"
	"sync"

	"github.com/membrain-db/membrain/model"
	"github.com/membrain-db/membrain/text"
)

// mentions recognises names of entities in a query: those all of whose tokens stand in it. Symbols come once and stay; one that no
// live memory mentions any more is passed over by the reader. add needs the writer's lock of its owner.
type mentions struct {
	tokens map[model.Symbol][]string // distinct stems of the name; empty for a name of stop words, which is never recognised
	first  map[string][]model.Symbol // by the first stem of the name

	analysing sync.Mutex
	analyser  *text.Analyser
	scratch   []text.Token
}

func newMentions() *mentions {
	return &mentions{tokens: map[model.Symbol][]string{}, first: map[string][]model.Symbol{}, analyser: text.NewAnalyser()}
}

// add makes a name recognisable.
func (m *mentions) add(symbol model.Symbol, name string) {
	if _, known := m.tokens[symbol]; known {
		return
	}
	stems := m.stems(name, m.analyser.Query)
	if len(stems) > mentionTokensMax {
		stems = nil
	}
	m.tokens[symbol] = stems
	if len(stems) > 0 {
		m.first[stems[0]] = append(m.first[stems[0]], symbol)
	}
}

// named returns the symbols that a query names, ascending. It reads the query as a document is read, so that a
// name of one character is found within a longer run.
func (m *mentions) named(query string) []model.Symbol {
	stems := m.stems(query, m.analyser.Document)
	in := make(map[string]bool, len(stems))
	for _, stem := range stems {
		in[stem] = true
	}
	var found []model.Symbol
	for _, stem := range stems {
		for _, symbol := range m.first[stem] {
			if !slices.ContainsFunc(m.tokens[symbol], func(s string) bool { return !in[s] }) {
				found = append(found, symbol)
			}
		}
	}
	slices.Sort(found)
	return found
}

// stems returns the distinct stems of s, in text order.
func (m *mentions) stems(s string, analyse func([]text.Token, string) []text.Token) []string {
	m.analysing.Lock()
	defer m.analysing.Unlock()
	m.scratch = analyse(m.scratch[:0], s)
	var stems []string
	seen := map[string]bool{}
	for _, token := range m.scratch {
		if !seen[token.Stem] {
			stem := strings.Clone(token.Stem)
			seen[stem] = true
			stems = append(stems, stem)
		}
	}
	clear(m.scratch)
	return stems
}
