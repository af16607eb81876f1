package eventlog

import "fmt"

// TogetherBytesMax bounds what SubmitTogether takes: it becomes one transaction, which holds up other writers.
const TogetherBytesMax = 1 << 30

// SubmitTogether queues entries that are appended in one transaction: all of them become durable, or none. Their
// commits number Prev from the first of them (1 is the first entry's commit); it is shifted here. Every Done is
// called, as with Submit. Errors: those of Submit; no Done is called then.
func (w *Writer) SubmitTogether(entries []Entry) (first Seq, err error) {
	size := 0
	for i := range entries {
		size += roughBytes(entries[i].Commit)
	}
	if size > TogetherBytesMax {
		return 0, fmt.Errorf("commits of %d bytes together, at most %d: %w", size, TogetherBytesMax, ErrTooLarge)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(entries) == 0 {
		return w.next, nil
	}
	if err := w.admits(entries[0]); err != nil {
		return 0, err
	}
	first = w.next
	for i := range entries {
		shift(entries[i].Commit, first-1)
		if _, err := toEnvelope(entries[i].Commit, first+Seq(i), [32]byte{}); err != nil {
			return 0, err
		}
		entries[i].joined = i > 0
	}
	w.queue = append(w.queue, entries...)
	w.next += Seq(len(entries))
	w.kick()
	return first, nil
}

func shift(c *Commit, by Seq) {
	for i := range c.Facts {
		if p := c.Facts[i].Prev; p != 0 && p != SameCommit {
			c.Facts[i].Prev = p + by
		}
	}
}
