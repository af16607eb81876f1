package actors

import (
	"slices"
)

// Quarantined takes the parent's message of that name and reports whether the child was this router's. Its key is refused from now on.
func (r *Router[K]) Quarantined(q Quarantined) bool {
	e := r.entryOf(q.Ref)
	if e == nil {
		return false
	}
	r.ban(e.key, q.Err)
	r.markStopping(e)
	return true
}

// Quarantine refuses key from now on and stops its actor, if there is one. The messages it has queued or buffered are ended.
func (r *Router[K]) Quarantine(key K, cause error) {
	r.ban(key, quarantineError(r.opts.Name(key), cause))
	if e := r.entries[key]; e != nil && e.state == entryLive {
		r.markStopping(e)
		e.ref.stop()
	}
}

func (r *Router[K]) ban(key K, verdict error) {
	if _, again := r.verdicts[key]; !again {
		r.banned = append(r.banned, key)
	}
	r.verdicts[key] = verdict
}

// Pardon lets key be activated again. It reports whether it was quarantined.
func (r *Router[K]) Pardon(key K) bool {
	if _, banned := r.verdicts[key]; !banned {
		return false
	}
	delete(r.verdicts, key)
	r.banned = slices.DeleteFunc(r.banned, func(k K) bool { return k == key })
	return true
}

// QuarantinedKeys returns the quarantined keys, oldest first. The slice is the caller's.
func (r *Router[K]) QuarantinedKeys() []K { return slices.Clone(r.banned) }

// Verdict returns why key is quarantined, an error that wraps ErrQuarantined, or nil.
func (r *Router[K]) Verdict(key K) error { return r.verdicts[key] }
