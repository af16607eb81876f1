package cli

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bars draws one progress bar after the other, for whichever stage speaks; nothing unless stderr is a terminal. Safe
// for concurrent use: a store reports background work too.
type bars struct {
	w io.Writer // nil draws nothing

	mu    sync.Mutex
	stage string
	bar   *progressbar.ProgressBar
}

func (s *session) bars() *bars {
	if s.quiet || !terminal(s.env.Stderr) {
		return &bars{}
	}
	return &bars{w: s.env.Stderr}
}

// show moves the bar of a stage. Work that is over at once draws none.
func (b *bars) show(stage string, done, total uint64) {
	if b.w == nil || total == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil || b.stage != stage {
		b.wipe()
		b.stage = stage
		b.bar = progressbar.NewOptions64(int64(total),
			progressbar.OptionSetWriter(b.w), progressbar.OptionSetDescription(stage), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	b.bar.ChangeMax64(int64(total))
	_ = b.bar.Set64(int64(done)) // a bar that cannot be drawn is no reason to stop
}

func (b *bars) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wipe()
}

// wipe needs mu.
func (b *bars) wipe() {
	if b.bar != nil {
		_ = b.bar.Clear() // as in show
		b.bar = nil
	}
}
