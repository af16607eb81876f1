package lexical

import (
	"maps"
	"slices"
)

// Words lists the dictionary, so that a test can look for erased words where they would hide.
func (x *Index) Words() []string { return slices.Sorted(maps.Keys(x.dict)) }

// Checksum lets a test forge sections that pass for whole.
func Checksum(b []byte) uint32 { return checksum(b) }

// Cached is how many words the caches of the index hold, the writer's and one reader's.
func (x *Index) Cached() int {
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	return x.analyser.Cached() + s.analyser.Cached()
}

// Hide is the first half of Purge, which is otherwise too short to look at.
func (x *Index) Hide(ordinals ...uint32) { x.hide(x.known(ordinals)) }
