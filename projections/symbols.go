package projections

import (
	"context"
	"fmt"
	"sync"

	"github.com/membrain-db/membrain/eventlog"
	"github.com/membrain-db/membrain/model"
)

// symbols are the interned strings of one namespace, both ways. Safe for concurrent use.
type symbols struct {
	mu     sync.RWMutex
	byText map[string]model.Symbol
	texts  map[model.Symbol]string
	high   model.Symbol
}

func newSymbols() *symbols {
	return &symbols{byText: map[string]model.Symbol{}, texts: map[model.Symbol]string{}}
}

// load replaces everything by what contents has, which is all up to high.
func (s *symbols) load(ctx context.Context, contents eventlog.Contents, ns eventlog.Ordinal, high model.Symbol) error {
	fresh := newSymbols()
	fresh.high = high
	for symbol, err := range contents.Symbols(ctx, ns) {
		if err != nil {
			return fmt.Errorf("read symbols of namespace %d: %w", ns, err)
		}
		fresh.put(symbol)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byText, s.texts, s.high = fresh.byText, fresh.texts, fresh.high
	return nil
}

// learn adds symbols. A number that had another string, because the commit that brought it failed, has only the new one.
func (s *symbols) learn(list []eventlog.Symbol) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, symbol := range list {
		s.put(symbol)
	}
}

func (s *symbols) put(symbol eventlog.Symbol) {
	number := model.Symbol(symbol.Number)
	s.high = max(s.high, number)
	if old, ok := s.texts[number]; ok && s.byText[old] == number {
		delete(s.byText, old)
	}
	delete(s.texts, number)
	if symbol.Text == "" { // erased
		return
	}
	s.texts[number] = symbol.Text
	s.byText[symbol.Text] = number
}

// adopt learns what another table knows beyond this one.
func (s *symbols) adopt(other *symbols) {
	other.mu.RLock()
	var list []eventlog.Symbol
	for number, text := range other.texts {
		if _, known := s.text(number); !known {
			list = append(list, eventlog.Symbol{Number: uint64(number), Text: text})
		}
	}
	other.mu.RUnlock()
	s.learn(list)
}

func (s *symbols) lookup(text string) (model.Symbol, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	number, ok := s.byText[text]
	return number, ok
}

func (s *symbols) text(number model.Symbol) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text, ok := s.texts[number]
	return text, ok
}

func (s *symbols) knows(high model.Symbol) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.high >= high
}

func (s *symbols) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.texts)
}
