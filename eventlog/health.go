package eventlog

import "time"

// health remembers a failure until a write succeeds again. The owner's lock guards it.
type health struct {
	cause error // nil when all is well
	since time.Time
	until time.Time // no attempt before
	pause time.Duration
}

// failed starts or lengthens the pause: 50 ms, doubling to 2 s.
func (h *health) failed(cause error, now time.Time) {
	if h.cause == nil {
		h.since = now
	}
	h.cause = cause
	h.pause = min(max(pauseMin, 2*h.pause), pauseMax)
	h.until = now.Add(h.pause)
}

func (h *health) recovered() { *h = health{} }

func (h *health) resting(now time.Time) bool { return h.cause != nil && now.Before(h.until) }

// Health reports whether the last write failed, since when, and why. The store serves reads all the same.
func (w *Writer) Health() (degraded bool, since time.Time, cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.health.cause != nil, w.health.since, w.health.cause
}
