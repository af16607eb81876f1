package actors

import "time"

// Sweep passivates the children that are idle at now and the longest unused over ResidentMax, never held ones nor the newest.
// It returns how many. The parent calls it now and then; its cost is that of the children passivated.
func (r *Router[K]) Sweep(_ *Context, now time.Time) int {
	before := r.live
	if r.opts.IdleAfter >= 0 {
		limit := now.Add(-r.opts.IdleAfter).UnixNano()
		for e := r.lru.oldest; e != nil && e.used <= limit; e = r.lru.oldest {
			r.passivate(e)
		}
	}
	r.evict(r.lru.newest)
	return before - r.live
}

// evict passivates the longest unused over ResidentMax, sparing the newest entry: evicting what was just activated would only
// activate it again.
func (r *Router[K]) evict(newest *entry[K]) {
	for e := r.lru.oldest; r.live > r.opts.ResidentMax && e != nil && e != newest; e = r.lru.oldest {
		r.passivate(e)
	}
}

// passivate stops a child after what it has queued; what comes meanwhile is buffered by Route.
func (r *Router[K]) passivate(e *entry[K]) {
	r.markStopping(e)
	e.ref.retire()
}

// Resident returns the number of children alive and not stopping.
func (r *Router[K]) Resident() int { return r.live }

// Stopping returns the number of children whose Terminated is awaited.
func (r *Router[K]) Stopping() int { return len(r.entries) - r.live }

// Pending returns the number of messages buffered.
func (r *Router[K]) Pending() int { return r.pending }

// Held reports whether a key is held.
func (r *Router[K]) Held(key K) bool {
	e := r.entries[key]
	return e != nil && e.held > 0
}
