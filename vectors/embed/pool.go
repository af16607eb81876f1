package embed

import (
	"sync"

	"github.com/membrain-db/membrain/text"
)

const (
	poolMax   = 8    // idle scratch values, each with a stem cache of at most 4 MB
	tokensMax = 8192 // tokens that an idle scratch keeps room for
)

// scratchPool lends scratch values. It is no sync.Pool, because that cannot be told to forget.
type scratchPool struct {
	mu   sync.Mutex
	age  uint64 // raised by clear; a scratch of an older age is not taken back
	idle []*scratch
}

// scratch is what one embedding needs; one goroutine has it at a time.
type scratch struct {
	age      uint64
	analyser *text.Analyser
	tokens   []text.Token
	sums     sums
}

func (p *scratchPool) take() *scratch {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		s := p.idle[last]
		p.idle = p.idle[:last]
		return s
	}
	return &scratch{age: p.age, analyser: text.NewAnalyser()}
}

// put takes s back without the words of the last text.
func (p *scratchPool) put(s *scratch) {
	s.tokens = s.tokens[:cap(s.tokens)]
	clear(s.tokens)
	if len(s.tokens) > tokensMax {
		s.tokens = nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.age == p.age && len(p.idle) < poolMax {
		p.idle = append(p.idle, s)
	}
}

func (p *scratchPool) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.age++
	clear(p.idle)
	p.idle = p.idle[:0]
}
