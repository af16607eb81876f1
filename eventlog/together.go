package eventlog

import (
	"fmt"
	"slices"
)

// TogetherBytesMax bounds what SubmitTogether takes: it becomes one transaction, which holds up other writers.
const TogetherBytesMax = 1 << 30

// SubmitTogether queues entries that are appended in one transaction: all of them become durable, or none. Their
// commits number Prev from the first of them (1 is the first entry's commit); it is shifted here. Every Done is
// called, as with Submit. They may be more than QueueMax and BatchCommitsMax allow. Errors: those of Submit; no Done
// is called then, and no commit has been changed.
func (w *Writer) SubmitTogether(entries []Entry) (first Seq, err error) {
	entries = slices.Clone(entries)
	if err := mayGoTogether(entries); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(entries) == 0 {
		return w.next, nil
	}
	for _, e := range entries {
		if err := w.admits(e); err != nil {
			return 0, err
		}
	}
	first = w.next
	for _, e := range entries {
		shift(e.Commit, first-1)
	}
	w.queue = append(w.queue, entries...)
	w.next += Seq(len(entries))
	w.kick()
	return first, nil
}

// mayGoTogether checks what does not depend on the writer's state, and joins the entries.
func mayGoTogether(entries []Entry) error {
	size := 0
	for i := range entries {
		e := &entries[i]
		if err := e.prepare(); err != nil {
			return err
		}
		if err := storableCommit(e.Commit, Seq(i+1)); err != nil {
			return err
		}
		e.joined = i > 0
		size += roughBytes(e.Commit)
	}
	if size > TogetherBytesMax {
		return fmt.Errorf("commits of %d bytes together, at most %d: %w", size, TogetherBytesMax, ErrTooLarge)
	}
	return nil
}

func shift(c *Commit, by Seq) {
	for i := range c.Facts {
		if p := c.Facts[i].Prev; p != 0 && p != SameCommit {
			c.Facts[i].Prev = p + by
		}
	}
}
