package filters

import "github.com/membrain-db/membrain/model"

// window is a labile window that ends at a tick: labile while tick < until.
type window struct {
	until   model.Tick
	ordinal uint32
}

// windows is a heap, the earliest end at its root. An entry whose window was restarted stays until its tick has passed.
type windows struct{ heap []window }

func (h *windows) push(w window) {
	h.heap = append(h.heap, w)
	i := len(h.heap) - 1
	for i > 0 && h.heap[i].until < h.heap[(i-1)/2].until {
		h.heap[i], h.heap[(i-1)/2] = h.heap[(i-1)/2], h.heap[i]
		i = (i - 1) / 2
	}
}

// popUntil removes and returns a window that is over at tick.
func (h *windows) popUntil(tick model.Tick) (window, bool) {
	if len(h.heap) == 0 || h.heap[0].until > tick {
		return window{}, false
	}
	w := h.heap[0]
	last := len(h.heap) - 1
	h.heap[0] = h.heap[last]
	h.heap = h.heap[:last]
	h.down()
	return w, true
}

func (h *windows) down() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.heap); child++ {
			if h.heap[child].until < h.heap[least].until {
				least = child
			}
		}
		if least == i {
			return
		}
		h.heap[i], h.heap[least] = h.heap[least], h.heap[i]
		i = least
	}
}

// over calls fn for each window that is over at tick, in no order, in time linear in their number.
func (h *windows) over(tick model.Tick, fn func(window)) { h.overFrom(0, tick, fn) }

func (h *windows) overFrom(i int, tick model.Tick, fn func(window)) {
	if i >= len(h.heap) || h.heap[i].until > tick {
		return
	}
	fn(h.heap[i])
	h.overFrom(2*i+1, tick, fn)
	h.overFrom(2*i+2, tick, fn)
}
