package lexical

import "slices"

// Purge erases ordinals, live or superseded, and with them every word that no other document
// holds. It hides them first, under the lock; then it builds the lists without them while readers
// go on; then it puts those in place, n, sumLen and df together. Unknown ordinals are passed over.
// The caller saves the index afterwards, which replaces the old file.
func (x *Index) Purge(ordinals []uint32) {
	x.writer.Lock()
	defer x.writer.Unlock()
	x.analyser.Forget()
	if gone := x.known(ordinals); len(gone) > 0 {
		x.hide(gone)
		x.replace(x.sweep(gone), gone)
	}
}

// known returns the ordinals that have postings, ascending, each once.
func (x *Index) known(ordinals []uint32) []uint32 {
	gone := slices.DeleteFunc(slices.Clone(ordinals), func(ordinal uint32) bool {
		return int(ordinal) >= len(x.lens) || x.lens[ordinal] == 0
	})
	slices.Sort(gone)
	return slices.Compact(gone)
}

func (x *Index) hide(gone []uint32) {
	dead := make(bitset, wordsFor(len(x.lens)))
	for _, ordinal := range gone {
		dead.set(ordinal)
	}
	x.mu.Lock()
	x.dead = dead
	x.mu.Unlock()
}

// swept is a list that is to replace another.
type swept struct {
	id   uint32
	list posting
}

// sweep reads without the readers' lock: the writer's is held, and nobody else changes anything.
func (x *Index) sweep(gone []uint32) []swept {
	live := slices.Clone(x.live)
	live.remove(x.dead)
	var lists []swept
	for id := range x.terms {
		if list, changed := x.terms[id].without(gone, x.dead, live); changed {
			lists = append(lists, swept{uint32(id), list})
		}
	}
	return lists
}

func (x *Index) replace(lists []swept, gone []uint32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range lists {
		if len(s.list.docs) > 0 {
			x.terms[s.id] = s.list
			continue
		}
		delete(x.dict, s.list.term)
		x.terms[s.id] = posting{}
		x.free = append(x.free, s.id)
	}
	for _, ordinal := range gone {
		if x.live.has(ordinal) {
			x.live.clear(ordinal)
			x.n--
			x.sumLen -= int64(x.lengths[x.lens[ordinal]])
		}
		x.lens[ordinal] = 0
	}
	x.dead = nil
}
