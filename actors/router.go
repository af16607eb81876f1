package actors

import (
	"errors"
	"fmt"
	"time"
)

// Defaults of RouterOptions.
const (
	DefaultResidentMax = 50_000
	DefaultIdleAfter   = 10 * time.Minute
	DefaultPendingMax  = 256
)

// futileMax is the number of activations in a row that end before they have taken a message; then the messages are given up.
const futileMax = 3

// RouterOptions of a Router. Name and Producer are required; the rest has defaults.
type RouterOptions[K comparable] struct {
	// Name gives the child's name for a key: injective, and different from the names of the parent's other children.
	Name func(K) string
	// Producer makes the child; it learns its key from Context.Name when Started. It runs on the child's goroutine.
	Producer func() Actor
	// ResidentMax is the number of children kept alive. It is exceeded only while more than that are held. Default DefaultResidentMax.
	ResidentMax int
	// IdleAfter is the time without a message after which Sweep passivates a child. Default DefaultIdleAfter; negative: never.
	IdleAfter time.Duration
	// PendingMax is the number of messages buffered per key while the old incarnation stops. Default DefaultPendingMax.
	PendingMax int
	// MailboxMax caps a child's mailbox. Default: the system's.
	MailboxMax int
	// Now is the clock. Default time.Now.
	Now func() time.Time
}

// Router owns the children of one actor that are found by key: it activates them when a message comes, and passivates them when they
// are idle or too many, without losing a message. Nobody else stops them or keeps their Refs.
//
// It is no actor and not for concurrent use: it lives in its parent's Receive and is made anew in each incarnation of the parent. The parent
// passes Terminated and Quarantined on to it.
//
// Invariants:
//   - R1: an accepted message is handled, or its Undelivered is called.
//   - R2: messages for one key are handled in the order of Route, across passivations.
//   - R3: a held key is not passivated, nor is the newest.
type Router[K comparable] struct {
	opts     RouterOptions[K]
	kind     *kind // one Props for all children
	entries  map[K]*entry[K]
	lru      lru[K] // live and not held
	live     int    // live entries, held or not
	pending  int    // messages buffered
	verdicts map[K]error
	banned   []K // keys of verdicts, oldest first
}

// NewRouter returns an empty router. It panics when Name or Producer is missing.
func NewRouter[K comparable](opts RouterOptions[K]) *Router[K] {
	if opts.Name == nil || opts.Producer == nil {
		panic("actors: RouterOptions without Name or Producer")
	}
	if opts.ResidentMax <= 0 {
		opts.ResidentMax = DefaultResidentMax
	}
	if opts.IdleAfter == 0 {
		opts.IdleAfter = DefaultIdleAfter
	}
	if opts.PendingMax <= 0 {
		opts.PendingMax = DefaultPendingMax
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Router[K]{opts: opts, entries: make(map[K]*entry[K]), verdicts: make(map[K]error)}
}

// Route hands msg to the actor of key, activating it when needed. The caller has checked that key exists: a random key
// would evict a useful actor.
// Errors (the message was not taken): ErrBusy past the child's mailbox or PendingMax, ErrQuarantined with its cause, ErrStopped when the parent is stopping.
func (r *Router[K]) Route(c *Context, key K, msg any) error {
	if cause, banned := r.verdicts[key]; banned {
		return cause
	}
	e := r.entries[key]
	if e == nil {
		e = &entry[K]{key: key}
		if err := r.activate(c, e); err != nil {
			return err
		}
		r.entries[key] = e
	}
	return r.send(e, msg)
}

// send tells the child, or buffers until its Terminated comes.
func (r *Router[K]) send(e *entry[K], msg any) error {
	if e.state == entryLive {
		err := e.ref.Tell(msg)
		if !errors.Is(err, ErrStopped) {
			r.touch(e)
			e.futile = 0
			return err
		}
		r.markStopping(e) // stopped by somebody else, or quarantined
	}
	if len(e.buffered) >= r.opts.PendingMax {
		return ErrBusy
	}
	e.buffered = append(e.buffered, msg)
	r.pending++
	return nil
}

// activate spawns the child of e and makes room for it.
func (r *Router[K]) activate(c *Context, e *entry[K]) error {
	if r.kind == nil {
		r.kind = newKind(c.cell.kind.system, r.opts.Producer, []SpawnOption{MailboxMax(r.opts.MailboxMax)})
		family := c.cell.ensureFamily()
		family.buffers = append(family.buffers, r)
	}
	ref, err := c.cell.spawn(r.kind, r.opts.Name(e.key))
	if err != nil {
		return err
	}
	ref.cell.tag = e
	e.ref, e.state = ref, entryLive
	r.live++
	r.touch(e)
	r.evict(e)
	return nil
}

// touch makes e the newest.
func (r *Router[K]) touch(e *entry[K]) {
	e.used = r.opts.Now().UnixNano()
	if e.held == 0 {
		r.lru.toFront(e)
	}
}

// Hold keeps the actor of key alive until as many calls of Release: a proposal is in flight. It reports whether the router
// knows the key: Route first, then Hold.
func (r *Router[K]) Hold(key K) bool {
	e := r.entries[key]
	if e == nil {
		return false
	}
	e.held++
	r.lru.remove(e)
	return true
}

// Release undoes one Hold. It reports whether the key was held.
func (r *Router[K]) Release(key K) bool {
	e := r.entries[key]
	if e == nil || e.held == 0 {
		return false
	}
	e.held--
	if e.held == 0 && e.state == entryLive {
		r.touch(e)
		r.evict(e)
	}
	return true
}

// Terminated takes the parent's message of that name and reports whether the child was this router's. When messages are
// buffered or the key is held, the child is activated again.
func (r *Router[K]) Terminated(c *Context, t Terminated) bool {
	e := r.entryOf(t.Ref)
	if e == nil {
		return false
	}
	r.markStopping(e)
	cause, banned := r.verdicts[e.key]
	switch {
	case banned:
		r.drop(c.cell.kind.system, e, cause)
	case len(e.buffered) == 0 && e.held == 0:
		delete(r.entries, e.key)
	case e.futile >= futileMax:
		r.drop(c.cell.kind.system, e, ErrStopped)
	default:
		r.reactivate(c, e)
	}
	return true
}

// reactivate starts the next incarnation and hands it what is buffered. One that ends while starting leaves the buffer to its Terminated.
func (r *Router[K]) reactivate(c *Context, e *entry[K]) {
	if err := r.activate(c, e); err != nil {
		r.drop(c.cell.kind.system, e, err)
		return
	}
	e.futile++
	for len(e.buffered) > 0 {
		if e.ref.TellUncapped(e.buffered[0]) != nil {
			r.markStopping(e)
			return
		}
		e.buffered[0] = nil
		e.buffered = e.buffered[1:]
		e.futile = 0
		r.pending--
	}
	e.buffered = nil
}

// drop forgets e and ends what it has buffered.
func (r *Router[K]) drop(s *System, e *entry[K], err error) {
	delete(r.entries, e.key)
	r.pending -= len(e.buffered)
	for _, msg := range e.buffered {
		s.undelivered(msg, err)
	}
	e.buffered = nil
}

func (r *Router[K]) entryOf(ref Ref) *entry[K] {
	if ref.cell == nil {
		return nil
	}
	e, ok := ref.cell.tag.(*entry[K])
	if !ok || r.entries[e.key] != e || e.ref != ref {
		return nil
	}
	return e
}

// markStopping takes e out of the live ones.
func (r *Router[K]) markStopping(e *entry[K]) {
	if e.state == entryLive {
		e.state = entryStopping
		r.live--
		r.lru.remove(e)
	}
}

// abandon ends all buffered messages when the parent's incarnation ends.
func (r *Router[K]) abandon(err error) {
	for _, e := range r.entries {
		if len(e.buffered) > 0 {
			r.drop(r.kind.system, e, fmt.Errorf("%s: %w", r.opts.Name(e.key), err))
		}
	}
	clear(r.entries)
	r.lru = lru[K]{}
	r.live = 0
}
